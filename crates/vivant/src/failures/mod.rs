//! Failures and their reports: panics, the reasons of ends, the causes of dead
//! letters, reports.

mod catch;
mod dead_letter;
mod panic;
mod report;
mod saved;
mod stop;
mod wait_cycle;

pub(crate) use catch::{Caught, Injected, catch, message_of, note_places, resume, take_last};
pub use dead_letter::{Cause, DeadLetter, DeadLetterCount};
pub use panic::{Inside, Panic};
pub use report::Report;
pub use stop::{Failed, GaveUp, Linked, NotStarted, StopReason, SupervisorEnded};
pub use wait_cycle::{WaitCycle, WaitEdge};
