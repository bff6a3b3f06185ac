//! The gateway: all orders enter the exchange through it. It knows the shard of each instrument,
//! and decides which shard gets another instrument.

use crate::audience::Audience;
use crate::order::{AMOUNT_MAX, Action, Answer, Order, OrderId, Refusal, Symbol};
use crate::shard::Shard;
use std::mem;
use std::sync::Arc;
use std::time::Duration;
use vivant::prelude::*;

/// An order on its way, and when it was due: latencies count from then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The order.
    pub order: Order,
    /// Time since the system began.
    pub due: Duration,
}

/// The conditions for a hand-over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance {
    /// After so many orders the shard that had most of them gives every other of its instruments
    /// away, if it has more than one; 0: never.
    pub every: u64,
    /// Limit of the shards. Below it instruments go to a new shard; at the limit to the shard that
    /// had the fewest orders.
    pub shards_max: usize,
}

/// The gateway.
#[derive(Actor, Debug)]
pub struct Gateway {
    audience: Arc<Audience>,
    balance: Balance,
    shards: Vec<Address<Shard>>,
    /// By instrument.
    routes: Vec<Route>,
    /// The number of the last order.
    last: OrderId,
    since: u64,
    refused: u64,
    hand_overs: u64,
}

#[derive(Debug)]
struct Route {
    /// The index of the shard that has it, or will have it.
    shard: usize,
    /// Orders since the last hand-over.
    orders: u64,
    /// All orders, for the audit.
    passed_on: Vec<Order>,
}

/// The gateway's record for the audit.
#[derive(Clone, Debug, Default)]
pub struct GatewayLedger {
    /// By instrument: the orders that it has passed on, in their order.
    pub passed_on: Vec<Vec<Order>>,
    /// The number of refused orders.
    pub refused: u64,
    /// The number of hand-overs.
    pub hand_overs: u64,
    /// All shards.
    pub shards: Vec<Address<Shard>>,
}

impl Gateway {
    /// A gateway for `symbols` instruments, all of them at the first shard.
    #[must_use]
    pub fn new(
        audience: Arc<Audience>,
        shard: Address<Shard>,
        symbols: u32,
        balance: Balance,
    ) -> Gateway {
        let route = |_| Route {
            shard: 0,
            orders: 0,
            passed_on: Vec::new(),
        };
        Gateway {
            audience,
            balance,
            shards: vec![shard],
            routes: (0..symbols).map(route).collect(),
            last: 0,
            since: 0,
            refused: 0,
            hand_overs: 0,
        }
    }

    /// Whether an order may be passed on.
    fn check(&self, order: &Order) -> Result<(), Refusal> {
        match order.action {
            _ if order.trader as usize >= self.audience.traders.len() => {
                Err(Refusal::UnknownTrader)
            }
            _ if order.symbol as usize >= self.routes.len() => Err(Refusal::UnknownSymbol),
            _ if order.id <= self.last => Err(Refusal::OldNumber),
            Action::Limit { price: 0, .. } => Err(Refusal::NoPrice),
            Action::Limit { quantity: 0, .. } | Action::Market { quantity: 0, .. } => {
                Err(Refusal::NoQuantity)
            }
            Action::Limit { price, .. } if price > AMOUNT_MAX => Err(Refusal::TooMuch),
            action if action.quantity() > AMOUNT_MAX => Err(Refusal::TooMuch),
            _ => Ok(()),
        }
    }

    /// The busiest shard, of those that have more than one instrument, gives every other of them
    /// away.
    fn balance(&mut self, t: &Turn<Self>) {
        let mut own: Vec<Vec<(u64, Symbol)>> = vec![Vec::new(); self.shards.len()];
        for (symbol, route) in (0..).zip(&mut self.routes) {
            own[route.shard].push((mem::take(&mut route.orders), symbol));
        }
        let load = |shard: usize| -> u64 { own[shard].iter().map(|(orders, _)| orders).sum() };
        let shards = 0..self.shards.len();
        let has_some = |shard: &usize| own[*shard].len() > 1;
        let Some(from) = shards.clone().filter(has_some).max_by_key(|it| load(*it)) else {
            return;
        };
        let to = if self.shards.len() < self.balance.shards_max {
            self.shards.push(Shard::spawn(t, self.audience.clone()));
            shards.end
        } else {
            match shards.filter(|it| *it != from).min_by_key(|it| load(*it)) {
                Some(to) => to,
                None => return,
            }
        };
        let mut own = own.swap_remove(from);
        own.sort_unstable();
        // The most popular one stays.
        for (_, symbol) in own.into_iter().rev().skip(1).step_by(2) {
            self.hand_over(t, symbol, to);
        }
    }

    /// Has an instrument handed over. Orders that come from here on go where it goes;
    /// `shard/mod.rs` says why none is lost.
    fn hand_over(&mut self, t: &Turn<Self>, symbol: Symbol, to: usize) {
        let route = &mut self.routes[symbol as usize];
        t.send(self.shards[route.shard].give(symbol, self.shards[to].clone()));
        route.shard = to;
        self.hand_overs += 1;
    }
}

#[behaviours]
impl Gateway {
    /// Passes an order on, or refuses it.
    pub fn order(&mut self, t: &Turn<Self>, incoming: Incoming) {
        let Incoming { order, due } = incoming;
        if let Err(refusal) = self.check(&order) {
            self.refused += 1;
            if let Some(trader) = self.audience.traders.get(order.trader as usize) {
                t.send(trader.answered(order.id, due, Answer::Refused(refusal)));
            }
            return;
        }
        self.last = order.id;
        let route = &mut self.routes[order.symbol as usize];
        route.orders += 1;
        route.passed_on.push(order);
        t.send(self.shards[route.shard].submit(incoming));
        self.since += 1;
        if self.since == self.balance.every {
            self.since = 0;
            self.balance(t);
        }
    }

    /// Tells what it has passed on.
    pub fn ledger(&self) -> GatewayLedger {
        GatewayLedger {
            passed_on: self.routes.iter().map(|it| it.passed_on.clone()).collect(),
            refused: self.refused,
            hand_overs: self.hand_overs,
            shards: self.shards.clone(),
        }
    }
}
