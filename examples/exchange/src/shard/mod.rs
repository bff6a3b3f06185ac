//! Shards: actors with the order books of some instruments.
//!
//! - [`Shard`]: the actor. It executes orders, answers traders, and publishes changes.
//! - [`Listing`]: one instrument: its book, a region of its own ([`Iso`]), and the rest of its
//!   state.
//! - [`Version`]: the published data of an instrument: a [`Val`] that any actor reads.
//!
//! # How an instrument is handed over
//!
//! The gateway makes its present shard *give* it to another, and from then on sends its orders
//! there. That is all: no actor waits for an acknowledgement, and no order is delayed anywhere
//! else.
//!
//! 1. Orders that the gateway has sent before are in the old shard's mailbox before `give`, so they
//!    are executed there (T2).
//! 2. `give` sends the listing as it is: the book moves by one pointer, however many orders rest in
//!    it.
//! 3. Orders that reach the new shard before the listing does are deferred, in their order, and
//!    executed when it arrives. So is a `give` that arrives too early.
//!
//! Invariants:
//!
//! - G1 An instrument is at one shard, or in one message: an `Iso` cannot be copied.
//! - G2 An instrument's orders are executed in the order in which the gateway sent them.
//! - G3 The versions of an instrument have the numbers 1, 2, 3 … wherever it is, and each reader
//!   gets them in this order: the old shard sends its last version before the listing, the new
//!   shard its first one after that, and delivery is causal (T2).

mod listing;
mod version;

pub use listing::{Listing, ListingLedger};
pub use version::Version;

use crate::audience::Audience;
use crate::gateway::Incoming;
use crate::order::{OrderId, Symbol, Trade};
use crate::trader::Role;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use vivant::prelude::*;

/// A shard.
#[derive(Actor, Debug)]
pub struct ShardState<'gc> {
    audience: Arc<Audience>,
    instruments: BTreeMap<Symbol, Whereabouts<'gc>>,
    /// Whether the message that publishes is in flight.
    publishing: Publishing,
    /// Trades of the order that is being executed.
    trades: Vec<Trade>,
    hand_overs: Vec<HandOver>,
}

/// Where an instrument is.
#[derive(Object, Debug)]
enum Whereabouts<'gc> {
    Here(Listing<'gc>),
    /// On its way to this shard; what came for it meanwhile, in its order.
    OnItsWay(Vec<Early>),
}

/// Messages that came before their instrument.
#[derive(Object, Debug)]
#[object(leaf)]
enum Early {
    Order(Incoming),
    Give(Address<Shard>),
}

#[derive(Object, Clone, Copy, Debug, PartialEq, Eq)]
#[object(leaf)]
enum Publishing {
    No,
    Due,
}

/// A listing that has come from another shard.
#[derive(Object, Clone, Copy, Debug, PartialEq, Eq)]
#[object(leaf)]
pub struct HandOver {
    /// The instrument.
    pub symbol: Symbol,
    /// The number of resting orders in its book.
    pub resting: usize,
    /// The number of messages for it that had come before it.
    pub early: usize,
    /// From the turn that gave it to the turn that took it.
    pub took: Duration,
}

/// A shard's record for the audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardLedger {
    /// Its instruments.
    pub listings: Vec<ListingLedger>,
    /// Orders that wait for an instrument which has not come.
    pub waiting: Vec<OrderId>,
    /// The hand-overs to it.
    pub hand_overs: Vec<HandOver>,
}

#[behaviours]
impl<'gc> ShardState<'gc> {
    #[start]
    /// A shard without instruments.
    pub fn new(audience: Arc<Audience>) -> Self {
        ShardState {
            audience,
            instruments: BTreeMap::new(),
            publishing: Publishing::No,
            trades: Vec::new(),
            hand_overs: Vec::new(),
        }
    }

    /// Opens an instrument.
    pub fn list(&mut self, t: &Turn<'gc, Shard>, symbol: Symbol) {
        let listing = Listing::new(t, symbol);
        self.instruments.insert(symbol, Whereabouts::Here(listing));
    }

    /// Executes an order.
    pub fn submit(&mut self, t: &Turn<'gc, Shard>, incoming: Incoming) {
        let Incoming { order, due } = incoming;
        let nowhere = || Whereabouts::OnItsWay(Vec::new());
        let listing = match self.instruments.entry(order.symbol).or_insert_with(nowhere) {
            Whereabouts::Here(listing) => listing,
            Whereabouts::OnItsWay(early) => return early.push(Early::Order(incoming)),
        };
        let answer = listing.apply(&incoming, &mut self.trades);
        // Before the answers: an actor that has an answer and then requests the ledger finds
        // everything published (T2).
        self.publish_soon(t);
        let traders = &self.audience.traders;
        t.send(traders[order.trader as usize].answered(order.id, due, answer));
        for trade in self.trades.drain(..) {
            t.send(traders[trade.maker_trader as usize].traded(Role::Maker, trade));
            t.send(traders[trade.taker_trader as usize].traded(Role::Taker, trade));
        }
    }

    /// Publishes the changes: one version for all orders that were waiting in the mailbox when the
    /// first of them was executed.
    pub fn publish(&mut self, t: &Turn<'gc, Shard>) {
        self.publishing = Publishing::No;
        for instrument in self.instruments.values_mut() {
            let Whereabouts::Here(listing) = instrument else {
                continue;
            };
            let Some((version, dues)) = listing.next_version(t) else {
                continue;
            };
            let (symbol, number) = (version.symbol, version.number);
            // The meter hears of it before the first reader does, and so before that one tells the
            // meter (T2).
            t.send(self.audience.meter.published(symbol, number, dues));
            for reader in &self.audience.readers {
                t.send(reader.read(version));
            }
        }
    }

    /// Gives an instrument to another shard.
    pub fn give(&mut self, t: &Turn<'gc, Shard>, symbol: Symbol, to: Address<Shard>) {
        match self.instruments.remove(&symbol) {
            Some(Whereabouts::Here(listing)) => t.send(to.take(listing, t.now())),
            early => {
                let mut waiting = match early {
                    Some(Whereabouts::OnItsWay(waiting)) => waiting,
                    _ => Vec::new(),
                };
                waiting.push(Early::Give(to));
                self.instruments
                    .insert(symbol, Whereabouts::OnItsWay(waiting));
            }
        }
    }

    /// Takes an instrument, and then what came for it before it came.
    pub fn take(&mut self, t: &Turn<'gc, Shard>, mut listing: Listing<'gc>, given: Duration) {
        let (symbol, resting) = (listing.symbol(), listing.resting_count());
        let before = self.instruments.insert(symbol, Whereabouts::Here(listing));
        let early = match before {
            Some(Whereabouts::OnItsWay(early)) => early,
            _ => Vec::new(),
        };
        self.hand_overs.push(HandOver {
            symbol,
            resting,
            early: early.len(),
            took: t.now().saturating_sub(given),
        });
        self.publish_soon(t);
        for it in early {
            match it {
                Early::Order(incoming) => self.submit(t, incoming),
                Early::Give(to) => self.give(t, symbol, to),
            }
        }
    }

    /// Tells what it has.
    pub fn ledger(&mut self) -> ShardLedger {
        let mut ledger = ShardLedger {
            hand_overs: self.hand_overs.clone(),
            ..ShardLedger::default()
        };
        for instrument in self.instruments.values_mut() {
            match instrument {
                Whereabouts::Here(listing) => ledger.listings.push(listing.ledger()),
                Whereabouts::OnItsWay(early) => {
                    let orders = early.iter().filter_map(|it| match it {
                        Early::Order(incoming) => Some(incoming.order.id),
                        Early::Give(_) => None,
                    });
                    ledger.waiting.extend(orders);
                }
            }
        }
        ledger
    }

    #[local]
    fn publish_soon(&mut self, t: &Turn<'gc, Shard>) {
        if self.publishing == Publishing::No {
            self.publishing = Publishing::Due;
            t.send(t.me().publish());
        }
    }
}
