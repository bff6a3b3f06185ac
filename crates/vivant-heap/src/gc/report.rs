//! [`StepReport`]: the result of a step of the collector.

use super::pause_kind::PauseKind;
use super::phase::GcPhase;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};

/// The result of a step.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StepReport {
    /// What the caller must do now.
    pub next: Next,
    /// After how many nanoseconds the caller must call with
    /// [`GcReason::IdleCheck`](crate::GcReason::IdleCheck), unless an earlier check is scheduled.
    pub check_in_ns: Option<u64>,
    /// The kind of work that was done, if any was.
    pub pause: Option<PauseKind>,
    /// The phase after the step. While it is [`GcPhase::Mark`], other threads can help.
    pub phase: GcPhase,
    /// Whether a concurrent mark has begun or ended.
    pub mark: Option<MarkChange>,
    /// Whether a mark has listed all objects that may have external edges, and no turn has run
    /// since it began: [`Heap::show`](crate::Heap::show) passes them.
    pub edges: EdgesListed,
    /// Whether a cycle of references across heaps may have become unreachable.
    pub cycles: CyclesSuspected,
}

impl StepReport {
    /// Injected faults: a part of the report is lost.
    #[cfg(test)]
    pub(crate) fn inject_faults(&mut self) {
        if is_injected(InjectedFault::LostContinuation) && self.next == Next::Later {
            self.next = Next::Done;
        }
        if is_injected(InjectedFault::LostCheck) {
            self.check_in_ns = None;
        }
        if is_injected(InjectedFault::UnreportedMark) {
            self.mark = None;
        }
    }

    /// Requests a check in `in_ns` nanoseconds, or sooner.
    pub(crate) fn check_in(&mut self, in_ns: u64) {
        self.check_in_ns = Some(self.check_in_ns.map_or(in_ns, |before| before.min(in_ns)));
    }
}

/// What the caller of a step does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Nothing.
    Done,
    /// Another call at once, with the same reason and the same budget.
    Again,
    /// A call with [`GcReason::Continue`](crate::GcReason::Continue) and a new budget, after the
    /// messages that wait. Only the holder can do what is left.
    Later,
    /// The end of the heap: no other heap refers to its objects, and it is detached.
    Released,
}

/// A change of the concurrent mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkChange {
    /// One has begun: other threads may help ([`Heap::marker`](crate::Heap::marker)). A mark that
    /// ran before has ended.
    Begun,
    /// It has ended.
    Ended,
}

/// Whether the heap is to take part in a [`GroupMark`](crate::GroupMark).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CyclesSuspected {
    /// Not now.
    #[default]
    No,
    /// Other heaps refer to its objects, and it refers to objects of other heaps; it is idle.
    Idle,
    /// As `Idle`, but it is in use, and there are twice as many such objects as there were.
    Growing,
}

/// Whether the last mark has listed the objects with external edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EdgesListed {
    /// It has not, or a turn has run since.
    #[default]
    No,
    /// It has.
    Yes,
}
