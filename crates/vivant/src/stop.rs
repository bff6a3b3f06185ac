//! Why an actor ends.

use crate::error::Panic;
use std::fmt;

/// Why an actor ends; its stop hook hears it, and so does everybody who still waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Somebody called [`Address::stop`](crate::Address::stop): it ended before its next message.
    Stopped,
    /// It reached the mark that [`Address::stop_after_queue`](crate::Address::stop_after_queue) left in its mailbox.
    Drained,
    /// It called [`Turn::stop`](crate::Turn::stop).
    Finished,
    /// No address of it was left and its mailbox was empty.
    Unreferenced,
    /// The system shut down.
    Shutdown,
    /// One of its turns panicked.
    Panicked(Panic),
}

#[cfg(feature = "metrics")]
impl StopReason {
    /// In one word, as a label.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            StopReason::Stopped => "stopped",
            StopReason::Drained => "drained",
            StopReason::Finished => "finished",
            StopReason::Unreferenced => "unreferenced",
            StopReason::Shutdown => "shutdown",
            StopReason::Panicked(_) => "panicked",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Stopped => f.write_str("it was stopped"),
            StopReason::Drained => f.write_str("it was stopped after its queue"),
            StopReason::Finished => f.write_str("it stopped itself"),
            StopReason::Unreferenced => f.write_str("nothing referred to it any more"),
            StopReason::Shutdown => f.write_str("the system shut down"),
            StopReason::Panicked(panic) => write!(f, "it panicked: {panic}"),
        }
    }
}
