//! Traders: they send orders, and get the answers.

use crate::order::{Answer, OrderId, Price, Quantity, Side, Symbol, Trade, TraderId};
use example_load::Latency;
use std::collections::BTreeMap;
use std::time::Duration;
use vivant::prelude::*;

/// A trader. It trusts the answers, and keeps accounts.
#[derive(Actor, Debug, Default)]
pub struct Trader {
    ledger: TraderLedger,
}

/// A part in a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its order rested.
    Maker,
    /// Its order came.
    Taker,
}

/// A trader's records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraderLedger {
    /// The trader.
    pub trader: TraderId,
    /// The answers, in the order of their coming.
    pub answers: Vec<(OrderId, Answer)>,
    /// Parts in trades.
    pub trades: u64,
    /// How many it bought, or, below zero, sold.
    pub shares: BTreeMap<Symbol, i64>,
    /// What it was paid, or, below zero, paid.
    pub cash: i128,
    /// From the moment at which an order was due to its answer.
    pub latency: Latency,
}

impl Trader {
    /// One with this number.
    #[must_use]
    pub fn new(trader: TraderId) -> Trader {
        Trader {
            ledger: TraderLedger {
                trader,
                ..TraderLedger::default()
            },
        }
    }
}

#[behaviours]
impl Trader {
    /// An order that was due at that time has this answer.
    pub fn answered(&mut self, t: &Turn<Self>, order: OrderId, due: Duration, answer: Answer) {
        self.ledger.latency.record(t.now().saturating_sub(due));
        self.ledger.answers.push((order, answer));
    }

    /// It took part in a trade.
    pub fn traded(&mut self, role: Role, trade: Trade) {
        let side = match role {
            Role::Maker => trade.taker_side.other(),
            Role::Taker => trade.taker_side,
        };
        let (shares, cash) = worth(side, trade.quantity, trade.price);
        *self.ledger.shares.entry(trade.symbol).or_default() += shares;
        self.ledger.cash += cash;
        self.ledger.trades += 1;
    }

    /// How many answers it has.
    pub fn answers(&self) -> usize {
        self.ledger.answers.len()
    }

    /// Answers with its ledger.
    pub fn ledger(&self) -> TraderLedger {
        self.ledger.clone()
    }
}

/// What a trade means to one side: shares and cash.
pub(crate) fn worth(side: Side, quantity: Quantity, price: Price) -> (i64, i128) {
    let (shares, cash) = (quantity as i64, i128::from(quantity * price));
    match side {
        Side::Buy => (shares, -cash),
        Side::Sell => (-shares, cash),
    }
}
