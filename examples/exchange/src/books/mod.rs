//! Order books: price levels in their order, at each level the orders that rest there, first come
//! first served.
//!
//! Four books do the same:
//!
//! - [`Book`]: a graph in a collected heap. Orders refer to their neighbours and to their level,
//!   levels to their orders. It is what the exchange uses, each in a region of its own;
//!   [`RegionBook`] is that alone, for comparison.
//! - [`CountedBook`]: the same graph by `Rc<RefCell<…>>`, with `Weak` for the way back.
//! - [`SlabBook`]: the same graph by indices into two slabs.
//! - [`ReferenceBook`]: a sorted list, too simple to be wrong: what the others are tested against,
//!   and what the audit replays orders with.
//!
//! What must hold of each:
//!
//! - K1 An order trades with the best price there is, and at one price with the order that came
//!   first.
//! - K2 It trades at the price of the order that rested, and never at a worse one than its limit.
//! - K3 What is left of a limit order rests; of a market order it is given up. No bid is as high as
//!   an ask.
//! - K4 A level has the orders that rest at its price, its quantity is their sum, and it is gone
//!   with the last of them.

mod counted;
mod graph;
mod matching;
mod reference;
mod region;
mod slabs;

pub use counted::CountedBook;
pub use graph::Book;
pub use reference::ReferenceBook;
pub use region::RegionBook;
pub use slabs::SlabBook;

use crate::order::{Answer, Order, Rest, Trade};
use std::hash::{BuildHasher, Hash, Hasher};
use vivant::gc;

/// An order book of one instrument.
pub trait OrderBook {
    /// Carries an order out, and adds the trades that it made, in their order.
    fn apply(&mut self, order: &Order, trades: &mut Vec<Trade>) -> Answer;

    /// All that rests: bids from the best on, then asks from the best on; at one price in the order
    /// of their coming.
    fn resting(&mut self) -> Vec<Rest>;
}

/// One number for a sequence of things: the same in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// One more thing.
    pub fn add(&mut self, thing: &impl Hash) {
        let mut hasher = gc::FixedState.build_hasher();
        self.0.hash(&mut hasher);
        thing.hash(&mut hasher);
        self.0 = hasher.finish();
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
