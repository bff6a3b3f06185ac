//! Why an actor ends.

use super::panic::Panic;
use crate::interned::Name;
use crate::sync::Arc;
use std::fmt;

/// Why an actor ends; passed to its stop hook, and to every ask that still waits for its reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// [`Address::stop`](crate::Address::stop) was called, or its supervisor was ordered to end its
    /// tree: it ended before its next message.
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
    /// It called [`Turn::fail`](crate::Turn::fail).
    Failed(Arc<Failed>),
    /// The promise of its start function broke; see [`Turn`](crate::Turn).
    NotStarted(Arc<NotStarted>),
    /// An actor that it was linked with has failed; see [`Turn::link`](crate::Turn::link).
    Linked(Arc<Linked>),
    /// Its supervisor restarts it, because of another child. The actor continues with a new state.
    Restarting,
    /// It is a supervisor, and has given up; see
    /// [`Supervision::budget`](crate::Supervision::budget).
    GaveUp(Arc<GaveUp>),
    /// It was supervised, and its supervisor has ended without an order to end its tree: it gave
    /// up, no address of it was left, or it was stopped by
    /// [`Address::stop`](crate::Address::stop).
    SupervisorEnded(Arc<SupervisorEnded>),
    /// The system was restored from a snapshot, which does not contain actors of its type. It says
    /// neither `#[actor(saved)]` nor `#[actor(saved(restart))]`.
    NotSaved,
}

/// The failure that an actor has declared by [`Turn::fail`](crate::Turn::fail).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failed {
    /// Stable name of the behaviour that declared it.
    pub behaviour: Name,
    /// Why.
    pub message: String,
}

/// Why an actor did not start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotStarted {
    /// The text of the [`AskError`](crate::AskError) that broke the promise of its start function.
    pub error: String,
}

/// The failure of a linked actor.
///
/// A failure goes from link to link. Each actor on its way knows its own peer and the beginning, so
/// a reason has the same size after a million links as after one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Linked {
    /// Path of the linked actor, which failed.
    pub actor: String,
    /// Path of the actor that failed first: the linked actor, or another one over further links.
    pub first: String,
    /// Why the first actor failed: never [`StopReason::Linked`].
    pub reason: StopReason,
    /// Number of links from the first actor to the actor that ends by this reason.
    pub links: usize,
}

impl Linked {
    /// Why an actor ends that is linked with `actor`, which failed by `reason`.
    pub(crate) fn with(actor: String, reason: &StopReason) -> Linked {
        match reason {
            StopReason::Linked(before) => Linked {
                actor,
                first: before.first.clone(),
                reason: before.reason.clone(),
                links: before.links + 1,
            },
            reason => Linked {
                first: actor.clone(),
                actor,
                reason: reason.clone(),
                links: 1,
            },
        }
    }
}

/// Why a supervisor gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GaveUp {
    /// Path of the child that failed last.
    pub child: String,
    /// Why it failed. If that leads to supervisors that gave up before: why the child of the first
    /// of them failed.
    pub reason: StopReason,
    /// Number of failures within the supervisor's window, this one included.
    pub failures: usize,
}

impl GaveUp {
    /// A supervisor gives up, because `child` has failed by `reason`.
    pub(crate) fn over(child: String, reason: &StopReason, failures: usize) -> GaveUp {
        let below = match reason {
            StopReason::Linked(linked) => &linked.reason,
            reason => reason,
        };
        let reason = match below {
            StopReason::GaveUp(below) => below.reason.clone(),
            _ => reason.clone(),
        };
        GaveUp {
            child,
            reason,
            failures,
        }
    }
}

/// The end of a supervisor, as a reason of the ends of the actors below it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SupervisorEnded {
    /// Path of the supervisor: the topmost supervisor of those that ended.
    pub supervisor: String,
    /// Why it ended: never [`StopReason::SupervisorEnded`].
    pub reason: StopReason,
}

impl SupervisorEnded {
    /// Why the children of `supervisor` end, which ends by `reason`.
    pub(crate) fn below(supervisor: String, reason: &StopReason) -> StopReason {
        match reason {
            StopReason::SupervisorEnded(_) | StopReason::Shutdown => reason.clone(),
            reason => StopReason::SupervisorEnded(Arc::new(SupervisorEnded {
                supervisor,
                reason: reason.clone(),
            })),
        }
    }
}

impl StopReason {
    /// Whether it is a failure: then actors that are linked with the actor fail too.
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            StopReason::Panicked(_)
                | StopReason::Failed(_)
                | StopReason::NotStarted(_)
                | StopReason::Linked(_)
                | StopReason::GaveUp(_)
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
            StopReason::Failed(_) => "failed",
            StopReason::NotStarted(_) => "not started",
            StopReason::Linked(_) => "linked",
            StopReason::Restarting => "restarting",
            StopReason::GaveUp(_) => "gave up",
            StopReason::SupervisorEnded(_) => "supervisor ended",
            StopReason::NotSaved => "not saved",
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
            StopReason::Failed(it) => write!(f, "it failed: {}", it.message),
            StopReason::NotStarted(it) => write!(f, "it did not start: {}", it.error),
            StopReason::Linked(it) => {
                write!(f, "{}, which it was linked with, failed", it.actor)?;
                match it.links {
                    0 | 1 => write!(f, ": {}", it.reason),
                    links => {
                        let (first, between) = (&it.first, links - 1);
                        write!(f, " {between} links after {first}: {}", it.reason)
                    }
                }
            }
            StopReason::Restarting => f.write_str("its supervisor starts it afresh"),
            StopReason::GaveUp(it) => write!(
                f,
                "it gave up after {} failures, the last of {}: {}",
                it.failures, it.child, it.reason
            ),
            StopReason::SupervisorEnded(it) => {
                write!(f, "its supervisor {} ended: {}", it.supervisor, it.reason)
            }
            StopReason::NotSaved => f.write_str(
                "its type is not saved, and the system was restored from a snapshot: \
                 declare it as `#[actor(saved)]`, or `#[actor(saved(restart))]`",
            ),
        }
    }
}

vivant_heap::leaf!([] StopReason);
