//! Calls of [`Heap::step`] for programs that drive a heap by hand, one piece of work each.

use super::budget::Budget;
use super::heap::{Heap, Root};
use super::phase::GcPhase;
use super::reason::{GcReason, Request, StepContext};
use crate::mark::marker::{Marker, Progress};

/// The result of [`Heap::begin_mark`].
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkStart {
    /// The mark is over: the heap is small, or its pacing marks stop-the-world.
    Finished,
    /// A concurrent mark runs, driven by [`Heap::marker`] and [`Heap::pace`].
    Running,
}

impl<R: Root> Heap<R> {
    fn requested(&mut self, request: Request, mut budget: Budget) {
        let reason = GcReason::Requested(request);
        let _report = self.step(&StepContext::UNTIMED, reason, &mut budget);
    }

    /// Between two turns: does the collection that is due by the heap's pacing. Continues a
    /// concurrent mark that runs, does a step of its termination ([`Heap::is_terminating_mark`])
    /// when it is complete, and ends it after the last step.
    pub fn pace(&mut self) {
        let mut budget = Budget::BETWEEN_TURNS;
        let _report = self.step(&StepContext::UNTIMED, GcReason::Paced, &mut budget);
    }

    /// A minor collection: empties the nursery.
    pub fn collect_young(&mut self) {
        self.requested(Request::Nursery, Budget::BETWEEN_TURNS);
    }

    /// Collects the whole heap: empties the nursery and marks everything. Dead objects are swept
    /// when blocks are needed, or by [`Heap::sweep`]. Aborts a concurrent mark that runs.
    pub fn collect(&mut self) {
        self.requested(Request::Mark, Budget::UNLIMITED);
    }

    /// Begins to mark the whole heap, unless a mark runs already. The mark is stop-the-world,
    /// unless the heap is large and its pacing marks [concurrently](crate::Marking::Concurrent). A
    /// concurrent mark continues by [`Heap::pace`] and the help of [`Heap::marker`].
    ///
    /// Costs a minor collection, a scan of the state, the rest of the last sweep, and the rest of
    /// the count deltas ([`Heap::drain_some`]).
    pub fn begin_mark(&mut self) -> MarkStart {
        self.requested(Request::Mark, Budget::BETWEEN_TURNS);
        self.mark_start()
    }

    /// As [`Heap::begin_mark`], and lists the objects that may have external edges, for
    /// [`Heap::show`]. If a mark runs already, that mark continues with the purpose of its
    /// beginning.
    pub fn begin_mark_for_edges(&mut self) -> MarkStart {
        self.requested(Request::MarkEdges, Budget::BETWEEN_TURNS);
        self.mark_start()
    }

    fn mark_start(&self) -> MarkStart {
        match self.core().is_marking() {
            true => MarkStart::Running,
            false => MarkStart::Finished,
        }
    }

    /// Finishes the sweep after the last mark, and returns empty pages.
    pub fn sweep(&mut self) {
        self.requested(Request::Sweep, Budget::UNLIMITED);
    }

    /// Sweeps at most `spans` spans of the sweep after the last mark; fewer if there are many
    /// destructors to run, or large objects to return.
    pub fn sweep_some(&mut self, spans: usize) {
        self.requested(Request::Sweep, Budget::of_spans(spans));
    }

    /// The right to help with the concurrent mark that runs, if one does. Not with a mark that an
    /// open [`GroupMark`](crate::GroupMark) scans.
    #[must_use]
    pub fn marker(&self) -> Option<Marker> {
        let core = self.core();
        match core.is_in_open_group() {
            true => None,
            false => core.marker(),
        }
    }

    /// Scans at most `objects` objects of the mark that runs, if one does.
    pub fn help_mark(&mut self, objects: usize) -> Progress {
        self.marker()
            .map_or(Progress::Over, |marker| marker.work(objects))
    }

    /// Whether a concurrent mark is in termination: all live objects are marked, and not all
    /// structures that refer to dead objects are updated yet (weak references, death watches, tags,
    /// imports). No [`Marker`] can help any more: each [`Heap::pace`] does a termination step.
    /// Costs two loads.
    #[inline]
    #[must_use]
    pub fn is_terminating_mark(&self) -> bool {
        self.phase() == GcPhase::Terminate
    }

    /// Whether dead objects of the last mark are unswept. Costs a load.
    #[inline]
    #[must_use]
    pub fn is_unswept(&self) -> bool {
        self.core().old.unswept != 0
    }
}
