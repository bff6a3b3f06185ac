//! Order books: price levels in their order, at each level the resting orders, first come first
//! served.
//!
//! Four implementations with the same behaviour:
//!
//! - [`Book`]: a graph in a collected heap. Orders refer to their neighbours and to their level,
//!   levels to their orders. The exchange uses it, each in a region of its own; [`RegionBook`] is
//!   that alone, for comparison.
//! - [`CountedBook`]: the same graph with `Rc<RefCell<…>>`, and `Weak` for the references back.
//! - [`SlabBook`]: the same graph with indices into two slabs.
//! - [`ReferenceBook`]: a simple sorted list: the reference of the tests, and of the audit's
//!   replay.
//!
//! Invariants of each:
//!
//! - K1 An order trades at the best price there is, and at one price with the earliest order.
//! - K2 It trades at the price of the resting order, and never at a worse one than its limit.
//! - K3 The rest of a limit order rests; that of a market order is discarded. No bid is as high as
//!   an ask.
//! - K4 A level has the orders that rest at its price, its quantity is their sum, and it is removed
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
    /// Executes an order, and appends its trades, in their order.
    fn apply(&mut self, order: &Order, trades: &mut Vec<Trade>) -> Answer;

    /// All resting orders: bids from the best on, then asks from the best on; at one price the
    /// earlier first.
    fn resting(&mut self) -> Vec<Rest>;
}

/// A digest of a sequence of things: the same in every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// Adds one thing.
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
