//! Snapshots that a clock, a number of messages or the program asks for, one after the other.
//!
//! - [`attempt`]: what is reported of each.
//! - [`triggers`]: when a snapshot is due.
//! - [`requests`]: the requests that no snapshot has fulfilled yet.
//! - [`scheduled`]: the taker of the snapshots, and its thread; [`simulated`]: without a thread.
//! - [`handle`]: the schedule as a program has it.
//!
//! The rules R1 and R2 are in `snapshot/README.md`.

mod attempt;
mod handle;
mod requests;
mod scheduled;
mod simulated;
#[cfg(all(test, feature = "macros"))]
mod tests;
mod triggers;

pub use attempt::{SnapshotAttempt, SnapshotCounts, SnapshotTrigger};
pub use handle::{SnapshotSchedule, Snapshots};
pub(crate) use simulated::{next_due_ns, take_due};
