//! Errors between actors. Domain errors are not here: they are the behaviour's own reply type.

use super::options::Mailbox;
use crate::failures::StopReason;
use crate::failures::WaitCycle;
use crate::failures::{Inside, Panic};
use crate::interned::{Name, Place};
use crate::sync::Arc;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Why no reply came. Names the actor, the behaviour and the place, so that the error alone says
/// where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// The actor had ended, or ended before the message was processed.
    Stopped(Arc<Undelivered>),
    /// The actor was restarted before the message was processed, and does not keep its messages
    /// then; see [`Messages::Returned`](crate::Messages::Returned).
    Restarted(Arc<Undelivered>),
    /// The message found the actor's mailbox full, or lost its place in it to a newer one.
    Overloaded(Arc<Overloaded>),
    /// The turn that should have replied panicked.
    Panicked(Panic),
    /// The time limit passed first; the message may have been processed, or may still be.
    TimedOut {
        /// The limit that was set.
        after: Duration,
    },
    /// `.ask()` or `.ask_blocking()` within a turn: waiting there would block the worker.
    InsideTurn(Arc<Inside>),
    /// The resolver was dropped without a reply.
    Broken(Arc<Inside>),
    /// [`AskFuture::cancel`](crate::AskFuture::cancel) withdrew the message before it began.
    Cancelled,
    /// Actors would have waited for each other for ever: this request closed a cycle of exclusive
    /// waits ([`Promise::exclusive`](crate::Promise::exclusive)). The others go on.
    WaitCycle(Arc<WaitCycle>),
    /// A synchronizer constrains the message, and can never dispatch it: see
    /// [`Synchronizer`](crate::Synchronizer).
    Constrained(Arc<NeverDispatched>),
    /// In a simulation: nothing is left that could run, so the reply can never come.
    Stalled,
}

/// A message that was not delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Path of the receiver.
    pub actor: String,
    /// Stable name of the behaviour.
    pub behaviour: Name,
    /// Where in the source the message was made.
    pub place: Place,
    /// Why the actor, or that incarnation of it, ended.
    pub reason: StopReason,
}

/// A message for which a mailbox with a bound had no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overloaded {
    /// Path of the receiver.
    pub actor: String,
    /// Stable name of the behaviour.
    pub behaviour: Name,
    /// Where in the source the message was made.
    pub place: Place,
    /// The mailbox's bound, and the policy by which the message was lost.
    pub mailbox: Mailbox,
}

/// A message that its receiver may not dispatch, because a synchronizer constrains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverDispatched {
    /// Path of the receiver.
    pub actor: String,
    /// Stable name of the behaviour.
    pub behaviour: Name,
    /// Where in the source the message was made.
    pub place: Place,
    /// Which synchronizer constrains it, and why it can never be dispatched.
    pub why: String,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Stopped(it) => write!(
                f,
                "{} (asked at {}) was not processed: {} has ended: {}",
                it.behaviour, it.place, it.actor, it.reason
            ),
            AskError::Restarted(it) => write!(
                f,
                "{} (asked at {}) was not processed: {} was started afresh: {}",
                it.behaviour, it.place, it.actor, it.reason
            ),
            AskError::Overloaded(it) => write!(
                f,
                "{} (asked at {}) was not processed: the mailbox of {} was full: {}",
                it.behaviour, it.place, it.actor, it.mailbox
            ),
            AskError::Panicked(panic) => {
                write!(f, "the turn that should have answered panicked: {panic}")
            }
            AskError::TimedOut { after } => write!(f, "no answer came within {after:?}"),
            AskError::InsideTurn(it) => write!(
                f,
                "{} of {} waited for an answer inside its turn, which would hold up a worker: \
                 use `t.ask(…).then(…)`, or return the promise; a future of `t.spawn(…)` may await `.ask()`",
                it.behaviour, it.actor
            ),
            AskError::Broken(it) => {
                write!(
                    f,
                    "the answer was given up: its resolver was dropped in {} of {}",
                    it.behaviour, it.actor
                )
            }
            AskError::Cancelled => f.write_str("the message was cancelled before it began"),
            AskError::Constrained(it) => write!(
                f,
                "{} (asked at {}) was not processed: {} may not dispatch it: {}: \
                 lift the synchronizer, or declare another one",
                it.behaviour, it.place, it.actor, it.why
            ),
            AskError::WaitCycle(cycle) => write!(f, "no answer can come: {cycle}"),
            AskError::Stalled => {
                f.write_str("no answer can come: nothing is left to run in the simulation")
            }
        }
    }
}

impl Error for AskError {}

/// Why a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSent {
    /// The actor has ended.
    Ended,
    /// The actor's mailbox is full.
    Full(Mailbox),
    /// [`Call::offer`](crate::Call::offer) within a turn: waiting there would block the worker.
    InsideTurn(Arc<Inside>),
}

vivant_heap::leaf!([] AskError);
