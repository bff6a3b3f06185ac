//! The audit: whether all who took part tell the same story, and whether it is the story of a fair
//! exchange.
//!
//! - [`Auditor`]: the actor that asks everybody, and then goes through one instrument after the
//!   other.
//! - [`Ledgers`]: what they answered, compared: [`Ledgers::instrument`] one instrument,
//!   [`Ledgers::whole`] the exchange.
//! - [`Finding`]: what is wrong.
//!
//! What must hold when no order is under way:
//!
//! - X1 Every order that the gateway has passed on was answered once, and nobody was answered who
//!   had not asked.
//! - X2 The quantity of every order is what was traded of it, what rests, what was cancelled and
//!   what was given up.
//! - X3 Every trader's shares and cash are those of the trades; over all traders, shares of each
//!   instrument and cash sum up to zero.
//! - X4 First the best price, then who came first: replayed from the gateway's list in the
//!   reference book, each instrument has the same trades, answers and resting orders. So no order
//!   was lost or overtaken on the way, however often its instrument was handed over.
//! - X5 No book is crossed, and no reader has seen one that was.
//! - X6 Every reader has read every version of every instrument, in its order; those that it keeps
//!   stay as they were; and the last one says what is in the book.
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
    /// Levels that they have looked at.
    pub look_ups: u64,
    /// Every instrument that came from one shard to another.
    pub hand_overs: Vec<HandOver>,
    /// From an order's due time to its answer.
    pub answered: Latency,
    /// From an order's due time to the last reader.
    pub seen: Latency,
    /// What is wrong; the first of it.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.findings.is_empty()
    }
}
