//! Why an actor ends.

use crate::error::Panic;
use crate::sync::Arc;
use std::fmt;

/// Why an actor ends; its stop hook hears it, and so does everybody who still waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Somebody called [`Address::stop`](crate::Address::stop): it ended before its next message.
    Stopped,
    /// It reached the mark that [`Address::stop_after_queue`](crate::Address::stop_after_queue)
    /// left in its mailbox.
    Drained,
    /// It called [`Turn::stop`](crate::Turn::stop).
    Finished,
    /// No address of it was left and its mailbox was empty.
    Unreferenced,
    /// It had addresses, but only in the states of actors that nobody could reach either, itself
    /// perhaps among them: it was collected with all of them (O10). See
    /// [`Acquainted`](crate::Acquainted) for which addresses are known to be there.
    Unreachable,
    /// The system shut down.
    Shutdown,
    /// One of its turns panicked.
    Panicked(Panic),
    /// An actor that it was linked with has failed; see [`Turn::link`](crate::Turn::link).
    Linked(Arc<Linked>),
    /// Its supervisor starts it afresh, because of another child. The actor goes on with a new
    /// state.
    Restarting,
    /// It is a supervisor, and has given up; see
    /// [`Supervision::budget`](crate::Supervision::budget).
    GaveUp(Arc<GaveUp>),
}

/// The failure that an actor shared by a link.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Linked {
    /// Path of the actor that failed.
    pub actor: String,
    /// Why.
    pub reason: StopReason,
}

/// Why a supervisor gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GaveUp {
    /// Path of the child that failed last.
    pub child: String,
    /// Why it failed.
    pub reason: StopReason,
    /// How many failures the supervisor had seen within its window, this one included.
    pub failures: usize,
}

impl StopReason {
    /// Whether it says that something went wrong: whoever is linked with such an actor ends too.
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            StopReason::Panicked(_) | StopReason::Linked(_) | StopReason::GaveUp(_)
        )
    }
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
            StopReason::Unreachable => "unreachable",
            StopReason::Shutdown => "shutdown",
            StopReason::Panicked(_) => "panicked",
            StopReason::Linked(_) => "linked",
            StopReason::Restarting => "restarting",
            StopReason::GaveUp(_) => "gave up",
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
            StopReason::Unreachable => {
                f.write_str("only actors that nobody could reach referred to it")
            }
            StopReason::Shutdown => f.write_str("the system shut down"),
            StopReason::Panicked(panic) => write!(f, "it panicked: {panic}"),
            StopReason::Linked(linked) => {
                write!(
                    f,
                    "{}, which it was linked with, failed: {}",
                    linked.actor, linked.reason
                )
            }
            StopReason::Restarting => f.write_str("its supervisor starts it afresh"),
            StopReason::GaveUp(it) => write!(
                f,
                "it gave up after {} failures, the last of {}: {}",
                it.failures, it.child, it.reason
            ),
        }
    }
}
