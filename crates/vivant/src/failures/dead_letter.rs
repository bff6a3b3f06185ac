//! A message that was not processed, and why.

use crate::interned::{Name, Place};
use std::fmt;

/// A message that was not processed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// Stable name of the behaviour.
    pub behaviour: Name,
    /// Path of its receiver.
    pub actor: String,
    /// Where in the source it was made.
    pub place: Place,
    /// Why it was not processed.
    pub cause: Cause,
}

/// Why a message was not processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cause {
    /// Its receiver had ended, or ended before its turn came.
    Ended,
    /// The sender took it back in time. Or its reply was not awaited any more when its turn would
    /// have begun, and its behaviour is `#[if_awaited]`.
    Withdrawn,
    /// Its receiver was restarted before its turn came, and does not keep its messages then.
    Restarted,
    /// Its receiver's mailbox was full ([`Mailbox::Reject`](crate::Mailbox::Reject)).
    Rejected,
    /// Like `Rejected`, by [`Mailbox::DropNewest`](crate::Mailbox::DropNewest).
    DroppedNewest,
    /// It had waited longest in a full mailbox
    /// ([`Mailbox::DropOldest`](crate::Mailbox::DropOldest)).
    DroppedOldest,
    /// It closed a cycle of exclusive waits
    /// ([`Promise::exclusive`](crate::Promise::exclusive)).
    WaitCycle,
    /// A synchronizer constrained it, and could never dispatch it
    /// ([`Synchronizer`](crate::Synchronizer)).
    Constrained,
    /// The promise of its receiver's address was broken ([`Pipeline`](crate::Pipeline)).
    Unresolved,
}

/// One line of the count: the number of messages of one kind, made at one place, lost for one
/// cause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeadLetterCount {
    /// Stable name of the behaviour.
    pub behaviour: Name,
    /// Where in the source they were made, `file:line:column`.
    pub place: String,
    /// Why they were not processed.
    pub cause: Cause,
    /// Number of messages.
    pub count: u64,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Ended => "its actor had ended",
            Cause::Withdrawn => "it was withdrawn",
            Cause::Restarted => "its actor was started afresh",
            Cause::Rejected => "the mailbox was full",
            Cause::DroppedNewest => "the mailbox was full, and it was the newest",
            Cause::DroppedOldest => "the mailbox was full, and it was the oldest",
            Cause::WaitCycle => "it closed a cycle of exclusive waits",
            Cause::Constrained => "a synchronizer could never dispatch it",
            Cause::Unresolved => "the promise of its actor was broken",
        })
    }
}

#[cfg(feature = "metrics")]
impl Cause {
    /// In one word, as a label.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cause::Ended => "ended",
            Cause::Withdrawn => "withdrawn",
            Cause::Restarted => "restarted",
            Cause::Rejected => "rejected",
            Cause::DroppedNewest => "dropped newest",
            Cause::DroppedOldest => "dropped oldest",
            Cause::WaitCycle => "wait cycle",
            Cause::Constrained => "constrained",
            Cause::Unresolved => "unresolved",
        }
    }
}
