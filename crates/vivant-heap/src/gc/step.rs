//! [`Heap::step`]: the one entry to the collector. It chooses the most urgent piece of work, does
//! it, and reports what the caller must do next.

use super::budget::Budget;
use super::heap::{Core, Heap, Root};
use super::idle_check::CheckWork;
use super::pause_kind::PauseKind;
use super::phase::GcPhase;
use super::reason::{GcReason, Request, StepContext};
use super::report::{CyclesSuspected, EdgesListed, MarkChange, Next, StepReport};
use crate::alloc::old::sweep::SweepBudget;
use crate::mark::mark_reason::MarkReason;
use crate::mark::marker::Marker;
use crate::mark::scanner::EdgeSnapshot;
use crate::mark::stats::MarkTally;
use crate::object::evacuator::TenuringPolicy;
use std::mem;

/// A piece of work: one step does one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WorkItem {
    /// What is due between two turns: a minor collection, a piece of the mark or of the sweep.
    Collect,
    /// As `Collect`, and a slice of the image that is being written.
    CollectAndWrite,
    /// A piece of the count inbox.
    Drain,
    /// A slice of the image that is being written.
    Image,
    /// A piece of the sweep, beyond what turns call for.
    Sweep,
    /// The nursery is emptied, and its memory given back.
    ReturnNursery,
    /// The beginning of a mark, or a whole mark.
    Mark(MarkReason, EdgeSnapshot),
    /// A minor collection.
    Nursery,
    /// A piece of work of a detached heap.
    Detached,
}

/// After this long a heap looks again whether what it has written of its image was taken.
const IMAGE_WAIT_NS: u64 = 1_000_000;

/// The owner's record of the mark that runs, for the history.
#[derive(Clone)]
pub(crate) struct MarkRecord {
    /// Number of turns before it began.
    turns: u64,
    /// Nanoseconds that the owner has spent on it.
    spent_ns: u64,
    marker: Marker,
    edge_snapshot: EdgeSnapshot,
}

impl Core {
    /// A group mark has begun a mark of this heap, after the turn that the last idle check has
    /// seen.
    pub(crate) fn record_group_mark(&mut self) {
        self.mark_record = self.marker().map(|marker| MarkRecord {
            turns: self.idle_check.turns(),
            spent_ns: 0,
            marker,
            edge_snapshot: EdgeSnapshot::Off,
        });
    }
}

impl<R: Root> Heap<R> {
    /// Whether [`Heap::step`] has anything to do after the turn with this number. Costs a few
    /// loads.
    #[inline]
    #[must_use]
    pub fn needs_step(&self, turns: u64) -> bool {
        self.has_gc_work()
            || self.core().is_image_slice_due(turns)
            || self
                .core()
                .check_schedule
                .is_due_after_turn(self.core(), turns)
    }

    /// Does the next piece of the collector's work: of what `reason` calls for, the most urgent.
    /// Within `budget`, from which it takes off what it has done.
    ///
    /// A caller continues as long as the report says [`Next::Again`]; each piece is one pause. A
    /// program that has no other work may give [`Budget::UNLIMITED`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Budget, Gc, GcPhase, GcReason, Heap, Next, PageSource, Pacing, Request, Root, StepContext};
    ///
    /// struct List;
    /// impl Root for List {
    ///     type Of<'gc> = Vec<Gc<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut heap = Heap::<List>::new(&source, Pacing::default(), |m| (0..50_000).map(|n| m.alloc(n)).collect());
    /// let mark = GcReason::Requested(Request::Mark);
    /// let _begun = heap.step(&StepContext::UNTIMED, mark, &mut Budget::BETWEEN_TURNS.clone());
    /// assert_eq!(heap.phase(), GcPhase::Mark);        // more than 256 KiB: a concurrent mark
    /// while heap.phase() != GcPhase::Idle {
    ///     let _some = heap.help_mark(1_000);
    ///     let _step = heap.step(&StepContext::UNTIMED, GcReason::Paced, &mut Budget::BETWEEN_TURNS.clone());
    /// }
    /// assert_eq!(heap.stats().major, 1);
    /// ```
    pub fn step(
        &mut self,
        context: &StepContext<'_>,
        reason: GcReason,
        budget: &mut Budget,
    ) -> StepReport {
        let before = self.mark_tally();
        let (mut pause, mut drained) = (None, false);
        self.begin_step(reason);
        if let Some(item) = self.next_item(context, reason, budget) {
            self.run_item(item, context, budget);
            drained = item == WorkItem::Drain && reason != GcReason::IdleCheck;
            pause = Some(match item {
                WorkItem::ReturnNursery => PauseKind::ReturnNursery,
                WorkItem::Drain => PauseKind::Drain,
                WorkItem::Image => PauseKind::Image,
                _ => PauseKind::of(before, self.mark_tally()),
            });
        }
        let (mark, edges) = self.record_marks(context, before);
        self.check();
        let mut report = StepReport {
            next: Next::Done,
            check_in_ns: None,
            phase: self.phase(),
            pause,
            mark,
            edges,
            cycles: CyclesSuspected::No,
        };
        if mark == Some(MarkChange::Ended) {
            report.cycles = self.parts().0.suspects_growing_cycles(context.turns);
        }
        if drained {
            self.core().check_released(context, &mut report);
        }
        // A detached heap does one piece in a call.
        let more = match reason {
            GcReason::Detached => None,
            _ => self.next_item(context, reason, budget),
        };
        match more {
            Some(_) => report.next = Next::Again,
            None => self.conclude(context, reason, &mut report),
        }
        #[cfg(test)]
        report.inject_faults();
        report
    }

    /// Updates the state by which the step chooses its work.
    fn begin_step(&mut self, reason: GcReason) {
        let core = self.parts().0;
        core.note_draining();
        if reason == GcReason::IdleCheck {
            core.begin_check();
        }
    }

    /// The most urgent piece of work that `reason` calls for and `budget` allows.
    fn next_item(
        &mut self,
        context: &StepContext<'_>,
        reason: GcReason,
        budget: &Budget,
    ) -> Option<WorkItem> {
        let has_gc_work = reason == GcReason::TurnEnd && self.has_gc_work();
        let core = self.parts().0;
        let (collects, drains) = (
            budget.objects != 0,
            budget.deltas != 0 && core.is_notified(),
        );
        let writes = budget.image != 0 && core.is_imaging();
        match reason {
            GcReason::Requested(_) | GcReason::Paced if !collects => None,
            GcReason::Requested(Request::Nursery) => Some(WorkItem::Nursery),
            GcReason::Requested(Request::Sweep) => Some(WorkItem::Sweep),
            GcReason::Requested(Request::Mark) => {
                Some(WorkItem::Mark(MarkReason::Requested, EdgeSnapshot::Off))
            }
            GcReason::Requested(Request::MarkEdges) => {
                Some(WorkItem::Mark(MarkReason::Requested, EdgeSnapshot::Private))
            }
            GcReason::Paced if writes => Some(WorkItem::CollectAndWrite),
            GcReason::Paced => Some(WorkItem::Collect),
            GcReason::Detached => Some(WorkItem::Detached),
            GcReason::TurnEnd if collects && has_gc_work => Some(WorkItem::Collect),
            GcReason::TurnEnd if writes && core.is_image_slice_due(context.turns) => {
                Some(WorkItem::Image)
            }
            GcReason::TurnEnd => {
                let drains = drains && core.check_schedule.drains_after_turn(context.turns);
                drains.then_some(WorkItem::Drain)
            }
            GcReason::Continue | GcReason::IdleCheck if writes => Some(WorkItem::Image),
            GcReason::Continue if collects && core.is_marking() => Some(WorkItem::Collect),
            GcReason::Continue if budget.spans != 0 && core.old.unswept != 0 => {
                Some(WorkItem::Sweep)
            }
            GcReason::Continue if drains && core.check_schedule.is_draining_in_pieces => {
                Some(WorkItem::Drain)
            }
            GcReason::IdleCheck if drains => Some(WorkItem::Drain),
            GcReason::Continue | GcReason::IdleCheck => {
                let work = core.check_work(context)?;
                Some(match work {
                    CheckWork::ReturnNursery => WorkItem::ReturnNursery,
                    CheckWork::Mark(reason) => WorkItem::Mark(reason, EdgeSnapshot::Private),
                })
            }
        }
    }

    /// Does a piece of work, and takes it off the budget: a kind of work comes once in a call.
    fn run_item(&mut self, item: WorkItem, context: &StepContext<'_>, budget: &mut Budget) {
        let never = self.never_collects();
        let (core, state) = self.parts();
        match item {
            WorkItem::Collect | WorkItem::CollectAndWrite => {
                core.collect_between_turns(state);
                (budget.objects, budget.entries) = (0, 0);
                if item == WorkItem::CollectAndWrite {
                    core.write_image_slice(budget.image);
                    budget.image = 0;
                }
            }
            WorkItem::Drain => {
                core.drain_piece(budget.deltas);
                budget.deltas = 0;
            }
            WorkItem::Image => {
                core.write_image_slice(budget.image);
                budget.image = 0;
            }
            WorkItem::Sweep => {
                let mut spans = SweepBudget::of(budget.spans);
                spans.empty = budget.pages;
                core.old.sweep(spans, &core.source);
                (budget.spans, budget.objects) = (0, 0);
            }
            WorkItem::Nursery | WorkItem::Mark(..) if never => {
                budget.objects = 0;
                core.finish_check_work(context.turns);
            }
            WorkItem::Nursery => {
                core.minor(state, TenuringPolicy::Once);
                budget.objects = 0;
            }
            WorkItem::ReturnNursery => {
                if !never {
                    // The first collection keeps its survivors in the nursery; the second promotes
                    // them.
                    core.minor(state, TenuringPolicy::Once);
                    core.minor(state, TenuringPolicy::Once);
                }
                core.chunk_cache.shrink(0, &core.source);
                core.finish_check_work(context.turns);
            }
            WorkItem::Mark(reason, edges) => {
                core.mark(state, reason, edges, budget);
                (budget.objects, budget.spans) = (0, 0);
                core.finish_check_work(context.turns);
            }
            WorkItem::Detached => core.detached_work(state, budget),
        }
        core.note_draining();
    }

    /// Records whether a mark has begun or ended since `before`.
    fn record_marks(
        &mut self,
        context: &StepContext<'_>,
        before: MarkTally,
    ) -> (Option<MarkChange>, EdgesListed) {
        let after = self.mark_tally();
        if self.core().mark_record.is_none()
            && after.major == before.major
            && after.begun == before.begun
        {
            return (None, EdgesListed::No);
        }
        let now_ns = (context.clock)();
        let took_ns = now_ns.saturating_sub(context.now_ns);
        let stats = self.stats();
        let core = self.parts().0;
        let (mut change, mut edges) = (None, EdgesListed::No);
        if let Some(record) = &mut core.mark_record {
            record.spent_ns += took_ns;
        }
        if after.major > before.major {
            let record = core.mark_record.take();
            if record.is_some() {
                change = Some(MarkChange::Ended);
            }
            // A stop-the-world mark came last: it has aborted or completed the recorded one.
            let at_once = after.major - after.ended > before.major - before.ended;
            let (turns, took_ns, snapshot) = match record.filter(|_| !at_once) {
                None => {
                    core.idle_check.begin_mark();
                    (context.turns, took_ns, core.last_edge_snapshot)
                }
                Some(record) => {
                    let took_ns = record.spent_ns + record.marker.spent_ns();
                    (record.turns, took_ns, record.edge_snapshot)
                }
            };
            core.mark_history.record_end(turns, now_ns, took_ns, &stats);
            if snapshot == EdgeSnapshot::Private && turns == context.turns {
                core.idle_check.edges = turns;
                edges = EdgesListed::Yes;
            }
        }
        if after.begun > before.begun {
            core.mark_record = core.marker().map(|marker| MarkRecord {
                turns: context.turns,
                spent_ns: took_ns,
                marker,
                edge_snapshot: core.last_edge_snapshot,
            });
            if core.mark_record.is_some() {
                core.idle_check.begin_mark();
                change = Some(MarkChange::Begun);
            }
        }
        (change, edges)
    }

    /// No work is left for this call: what comes next.
    fn conclude(&mut self, context: &StepContext<'_>, reason: GcReason, report: &mut StepReport) {
        let core = self.parts().0;
        match reason {
            GcReason::TurnEnd => core.schedule_check(context, report),
            GcReason::Continue | GcReason::IdleCheck => core.conclude_check(context, report),
            GcReason::Detached => {
                report.next = core.detached_next;
                return;
            }
            GcReason::Paced | GcReason::Requested(_) => {}
        }
        let (is_imaging, waits) = (core.is_imaging(), core.image_waits());
        if waits {
            report.check_in(IMAGE_WAIT_NS);
        }
        report.next = match (core.phase(), reason) {
            _ if is_imaging && !waits => Next::Later,
            // Termination waits for the image, and the image for its sink.
            (GcPhase::Terminate, _) if is_imaging => Next::Done,
            // A mark has waited for the image, which is over.
            (GcPhase::Mark | GcPhase::Terminate, _)
                if !is_imaging && mem::take(&mut core.mark_waited) =>
            {
                Next::Later
            }
            _ if core.check_schedule.is_draining_in_pieces => Next::Later,
            (GcPhase::Terminate | GcPhase::Sweep, GcReason::Continue | GcReason::IdleCheck) => {
                Next::Later
            }
            _ => Next::Done,
        };
    }
}
