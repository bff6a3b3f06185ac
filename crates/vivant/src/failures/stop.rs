//! Why an actor ends.

use super::panic::Panic;
use crate::sync::Arc;
use std::fmt;

/// Why an actor ends; passed to its stop hook, and to every ask that still waits for its reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// [`Address::stop`](crate::Address::stop) was called: it ended before its next message.
    Stopped,
    /// It reached the marker that [`Address::stop_after_queue`](crate::Address::stop_after_queue)
    /// left in its mailbox.
    Drained,
    /// It called [`Turn::stop`](crate::Turn::stop).
    Finished,
    /// No address of it was left and its mailbox was empty.
    Unreferenced,
    /// It had addresses, but only in the states of actors that were unreachable too, perhaps its
    /// own: it was collected with all of them. [`TraceReferences`](crate::TraceReferences) defines
    /// which addresses the detector can trace.
    Unreachable,
    /// The system shut down.
    Shutdown,
    /// One of its turns panicked.
    Panicked(Panic),
    /// An actor that it was linked with has failed; see [`Turn::link`](crate::Turn::link).
    Linked(Arc<Linked>),
    /// Its supervisor restarts it, because of another child. The actor continues with a new state.
    Restarting,
    /// It is a supervisor, and has given up; see
    /// [`Supervision::budget`](crate::Supervision::budget).
    GaveUp(Arc<GaveUp>),
}

/// The failure of a linked actor.
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
    /// Number of failures within the supervisor's window, this one included.
    pub failures: usize,
}

impl StopReason {
    /// Whether it is a failure: then actors that are linked with the actor fail too.
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
            StopReason::Unreachable => f.write_str("only unreachable actors referred to it"),
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

vivant_heap::leaf!([] StopReason);
