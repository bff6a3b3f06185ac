//! The audit: whether the records of all actors agree, and whether they are those of a fair
//! exchange.
//!
//! - [`Auditor`]: the actor that checks one instrument after the other.
//! - [`Ledgers`]: the records and their comparison: [`Ledgers::instrument`] one instrument,
//!   [`Ledgers::whole`] the exchange.
//! - [`Finding`]: one error.
//!
//! Invariants when no order is in progress:
//!
//! - X1 Every order that the gateway has passed on was answered once, and no other answers were
//!   sent.
//! - X2 The quantity of every order is the sum of its traded, resting, cancelled and discarded
//!   quantities.
//! - X3 Every trader's shares and cash are those of the trades; over all traders, shares of each
//!   instrument and cash sum up to zero.
//! - X4 The best price first, then the earlier order: replayed from the gateway's list in the
//!   reference book, each instrument has the same trades, answers and resting orders. So no order
//!   was lost or overtaken, however often its instrument was handed over.
//! - X5 No book is crossed, and no reader has read a crossed version.
//! - X6 Every reader has read every version of every instrument, in its order; the versions that it
//!   keeps do not change; and the last one is the state of the book.
//! - X7 Every instrument is at one shard, and no order waits for one.

mod auditor;
mod finding;
mod ledgers;
mod story;

pub use auditor::Auditor;
pub use finding::Finding;
pub use ledgers::Ledgers;

use crate::shard::HandOver;
use example_load::Latency;

/// The audit's result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Orders that were passed on.
    pub orders: u64,
    /// Orders that were refused.
    pub refused: u64,
    /// Trades that were made.
    pub trades: u64,
    /// Orders that rest.
    pub resting: u64,
    /// Shards at the end.
    pub shards: usize,
    /// Versions that were published.
    pub versions: u64,
    /// Versions that readers have read, all together.
    pub read: u64,
    /// Levels that readers have read.
    pub look_ups: u64,
    /// Every hand-over of an instrument between shards.
    pub hand_overs: Vec<HandOver>,
    /// From an order's due time to its answer.
    pub answered: Latency,
    /// From an order's due time to the last reader.
    pub seen: Latency,
    /// The first findings.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Returns true if there is no finding.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }
}
