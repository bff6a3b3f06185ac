//! The wire format: one JSON object a line. The fields are explained in this crate's README.
//!
//! - `protocol`: the lines of a client, and the refusal that it may get.
//! - `snapshot`: the answer, with the numbers of the whole system.
//! - `actor`: the figures of one actor: mailbox, heap, wait.
//! - `pauses`: how long heaps kept actors from running.
//! - `waits`: exclusive waits, and open requests.
//!
//! A reader must ignore fields that it does not know, and take the default for missing ones.
//! [`VERSION`] changes only when that is not enough, [`REVISION`] whenever fields are added.
//! [`Snapshot::from_inspection`] and the conversions that it calls are the only code that knows the
//! fields of both sides.

mod actor;
mod durations;
mod pauses;
mod protocol;
mod snapshot;
mod waits;

pub use actor::{Actor, Heap};
pub use pauses::{Distribution, Pauses, SystemPauses};
pub use protocol::{Greeting, REVISION, Reason, Refusal, Request, Subject, VERSION};
pub use snapshot::{DeadLetters, Report, Snapshot, Totals};
pub use waits::{OpenRequest, Wait, WaitEdge};
