//! The pacer: when a heap collects, and how much at a time.

use super::heap::{Core, Heap, Root};
use super::marking::Marking;
use super::phase::GcPhase;
use super::step::Budget;
use super::stress::When;
use crate::alloc::old::sweep::SweepBudget;
use crate::mark::allocation_failure::MarkOutcome;
use crate::mark::mark_reason::{MarkReason, ReleasedExports};
use crate::mark::marker::MarkMode;
use crate::mark::scanner::EdgeSnapshot;
use crate::object::evacuator::TenuringPolicy;
use crate::object::object_trait::Object;
use crate::orca::counts::Entry;
use crate::pages::chunk::PAGE;

/// Old generations of more bytes than this, including the counts of shared objects, are marked
/// concurrently (H7).
const CONCURRENT_MIN: usize = 256 * 1024;

/// Growth allowed to a small heap while a mark waits for the inbox to be drained, in nurseries.
const NURSERIES: usize = 8;

/// Maximum number of count deltas drained between two turns before a mark begins.
const DELTAS: usize = 1024;

/// Bytes that the source should have for a turn; with fewer, a heap returns everything that it does
/// not need.
const PAGES_KEPT_FREE: usize = 64 * PAGE;

/// Minimum of the sweep budget: spans swept after each turn, as long as any is unswept.
const SWEEP_STEP: usize = 8;

/// Maximum of the sweep budget in spans, some 150 microseconds, unless turns have promoted much
/// since: then `SWEEP_RATIO` spans for each promoted page. A large heap that grows by a quarter
/// needs eight of these.
const SWEEP_MOST: usize = 256;
const SWEEP_RATIO: usize = 12;

/// Maximum number of blocks in a page.
const BLOCKS_PER_PAGE: usize = PAGE / 16;

/// The collection that is due between two turns.
enum Due {
    /// A minor collection if the nursery is full.
    Minor,
    /// Nothing: a stress that never collects.
    Nothing,
    /// A minor collection in any case.
    MinorNow,
    /// A stop-the-world mark.
    Mark(MarkReason),
    /// A concurrent mark begins. Under stress at most so many count deltas are drained before.
    Begin(MarkReason, Option<usize>),
    /// A piece of the mark that runs. Under stress it has so many objects or entries; else it is
    /// paced by promotion.
    Advance(Option<usize>),
}

impl Core {
    /// Whether marks of this heap are concurrent (H7). For a region: the marks between the times
    /// when it is open.
    fn marks_concurrently(&self) -> bool {
        self.pacing.marking == Marking::Concurrent
            && self.old.bytes_live() + self.counts() > CONCURRENT_MIN
    }

    /// Whether the next mark is delayed until the sweep is done: the heap is large and has unswept
    /// spans, which are not swept at once.
    fn sweeps_incrementally(&self) -> bool {
        let concurrent = self.pacing.marking == Marking::Concurrent;
        concurrent && self.old.unswept != 0 && self.is_large()
    }

    /// Whether the old generation, including dead objects, is too large to be marked and swept at
    /// once.
    pub(crate) fn is_large(&self) -> bool {
        self.old.bytes_allocated + self.counts() > CONCURRENT_MIN
    }

    /// Bytes of the counts of shared objects, which mark termination processes.
    fn counts(&self) -> usize {
        self.between_turns().counted() * size_of::<Entry>()
    }

    /// Whether a delayed mark has waited until the heap has grown by another sixteenth, or by some
    /// nurseries. Then it begins, and drains the rest of the inbox at once.
    fn delay_exceeded(&mut self) -> bool {
        let estimate = self.heap_size_estimate();
        let since = *self.delayed_since.get_or_insert(estimate);
        let grown = estimate.saturating_sub(since);
        grown > (since / 16).max(self.pacing.nursery.saturating_mul(NURSERIES))
    }

    /// Whether the source has hardly any pages left for turns.
    pub(crate) fn is_short(&self) -> bool {
        !self.has_pages(PAGES_KEPT_FREE)
    }

    /// Whether a mark is to begin, or the holder has work for the running mark.
    #[inline]
    fn mark_is_due(&self) -> bool {
        // SAFETY: no turn runs, so the `RefCell` is not mutably borrowed.
        match unsafe { &*self.mark_cycle.as_ptr() } {
            Some(mark_cycle) => mark_cycle.is_due(self.heap_size_estimate()),
            None => self.heap_size_estimate() >= self.mark_at,
        }
    }

    /// The source has hardly any pages left for turns: ends the cycle, sweeps all, and returns
    /// every page that can be returned.
    #[cold]
    fn release_memory(&mut self) {
        self.finish_mark();
        while !self.old.sweep(SweepBudget::ALL, &self.source) {}
        self.chunk_cache.shrink(0, &self.source);
    }

    /// Updates the allocation failure state, after all pages that can be returned were returned.
    /// `marks` is the number of marks before this step. Waits for a mark that runs.
    #[cold]
    fn after_allocation_failure(&self, marks: u64) {
        if self.is_marking() {
            return;
        }
        let marked = match self.counters.marks() == marks {
            true => MarkOutcome::No,
            false => MarkOutcome::Yes,
        };
        let waits = marked == MarkOutcome::No && self.allocation_failure.is_due();
        let has_room = !self.is_short() && self.has_pages(self.allocation_failure.wanted());
        match waits || !has_room {
            true => self.allocation_failure.after_turn(marked),
            false => self.allocation_failure.clear(),
        }
    }

    /// Schedules the next mark. The live bytes are all bytes in blocks and large objects, less the
    /// `born` bytes that were allocated during the mark. Dead regions have ended, or end with the
    /// sweep.
    pub(crate) fn next_mark(&mut self, born: usize) {
        self.pinned = 0;
        let estimate = self.heap_size_estimate();
        self.lived = self.old.bytes_live() - born;
        self.mark_at = self.pacing.next_mark(estimate, born);
    }

    /// Sweeps what is due: at least `SWEEP_STEP` spans, and enough to have swept all spans when the
    /// old generation has grown half of the way to the next mark (H8). If that exceeds the maximum
    /// budget, because the heap is to grow by so little, the next mark is delayed instead.
    pub(crate) fn sweep_some(&mut self) {
        let (estimate, mark_at) = (self.heap_size_estimate(), self.mark_at);
        let old = &mut self.old;
        let grows = (mark_at - mark_at.min(old.bytes_marked)).max(1);
        let grown = old.bytes_live() - old.bytes_marked.min(old.bytes_live());
        let share = (grown as f64 * 2.0 / grows as f64).min(1.0);
        let left = (old.to_sweep as f64 * (1.0 - share)) as usize;
        let due = match estimate >= mark_at {
            // The next mark is delayed by the sweep. The weight can exceed `mark_at` by foreign
            // objects, which no sweep frees.
            true => old.unswept,
            false => old.unswept - left.min(old.unswept),
        };
        let fresh = old.bytes_live().saturating_sub(old.at_step) / PAGE;
        let most = SWEEP_MOST.max(fresh.saturating_mul(SWEEP_RATIO));
        let mut budget = SweepBudget::of(due.clamp(SWEEP_STEP, most));
        budget.empty = most;
        // Turns may fill pages with objects that all have destructors. The budget is twice as many
        // destructors as those pages can hold, so the sweep gains on the turns.
        budget.destructors = budget
            .destructors
            .max(fresh.saturating_mul(2 * BLOCKS_PER_PAGE));
        old.sweep(budget, &self.source);
        old.at_step = old.bytes_live();
    }

    /// The work between two turns: the collection that is due, a piece of the sweep, and what
    /// follows a refusal of pages.
    pub(crate) fn collect_between_turns<'gc>(&mut self, state: &mut impl Object<'gc>) {
        let marks = self.counters.marks();
        match self.due() {
            Due::Nothing => {}
            Due::Minor => self.minor_if_full(state),
            Due::MinorNow => self.minor(state, TenuringPolicy::Once),
            Due::Mark(reason) => {
                self.mark_history.will_begin(reason, ReleasedExports::None);
                // Under stress it replaces a mark that runs, and lists what that one was to list.
                let edge_snapshot = match self.is_marking() {
                    true => self.last_edge_snapshot,
                    false => EdgeSnapshot::Off,
                };
                self.major(state, edge_snapshot);
            }
            Due::Begin(reason, deltas) => {
                let drained = self.drain_up_to(deltas.unwrap_or(DELTAS));
                match drained || self.delay_exceeded() || self.is_short() {
                    true => {
                        self.mark_history.will_begin(reason, ReleasedExports::None);
                        self.begin_cycle(state, MarkMode::Concurrent, EdgeSnapshot::Off);
                    }
                    false => self.minor_if_full(state),
                }
            }
            Due::Advance(work) => {
                self.minor_if_full(state);
                match work {
                    Some(objects) => drop(self.mark_objects(objects)),
                    None => self.assist(),
                }
                let _ended = self.advance_mark(work);
            }
        }
        if self.old.unswept != 0 {
            self.sweep_some();
        }
        if self.is_short() {
            self.release_memory();
        }
        if self.allocation_failure.is_pending() {
            self.after_allocation_failure(marks);
        }
        self.needs_prefault
            .set(self.allocation_failure.is_pending() && !self.is_marking());
        if self.source.needs_prefault() {
            self.source.prefault();
        }
    }

    fn minor_if_full<'gc>(&mut self, state: &mut impl Object<'gc>) {
        if self.is_full() {
            self.minor(state, TenuringPolicy::Once);
        }
    }

    fn due(&mut self) -> Due {
        if let Some(due) = self.due_under_stress() {
            return due;
        }
        match (self.phase(), self.triggered_mark()) {
            (GcPhase::Mark | GcPhase::Terminate, _) => Due::Advance(None),
            // The sweep is paced to be done by now. Its rest comes first, also if little of the
            // heap lives.
            (GcPhase::Sweep, _) if self.sweeps_incrementally() => Due::Minor,
            (GcPhase::Idle | GcPhase::Sweep, None) => Due::Minor,
            // Large objects fill the old generation without the nursery.
            (GcPhase::Idle | GcPhase::Sweep, Some(reason)) if self.marks_concurrently() => {
                Due::Begin(reason, None)
            }
            (GcPhase::Idle | GcPhase::Sweep, Some(reason)) => Due::Mark(reason),
        }
    }

    /// Whether growth or an allocation failure is a reason for a mark.
    fn triggered_mark(&self) -> Option<MarkReason> {
        if self.allocation_failure.is_due() {
            return Some(MarkReason::AllocationFailure);
        }
        (self.heap_size_estimate() >= self.mark_at).then_some(MarkReason::Growth)
    }

    fn due_under_stress(&mut self) -> Option<Due> {
        let when = self.pacing.stress?.when;
        let some = |deltas| match (self.pacing.marking, self.phase()) {
            (Marking::Never, _) => Due::MinorNow,
            (Marking::AtOnce, _) => Due::Mark(MarkReason::Requested),
            (Marking::Concurrent, GcPhase::Mark | GcPhase::Terminate) => Due::Advance(Some(deltas)),
            (Marking::Concurrent, GcPhase::Sweep) => Due::Minor,
            (Marking::Concurrent, GcPhase::Idle) => Due::Begin(MarkReason::Requested, Some(deltas)),
        };
        let all = match self.pacing.marking {
            Marking::Never => Due::MinorNow,
            Marking::AtOnce | Marking::Concurrent => Due::Mark(MarkReason::Requested),
        };
        Some(match when {
            When::Paced => return None,
            When::Never => Due::Nothing,
            // Without this step a mark that runs would never end.
            When::Young if self.is_marking() => Due::Advance(None),
            When::Young => Due::MinorNow,
            When::All => all,
            When::Chance => match self.chance.below(8) {
                0 => all,
                1..4 => Due::MinorNow,
                _ => Due::Nothing,
            },
            When::Concurrent => match self.chance.below(16) {
                0 => all,
                1..4 => Due::MinorNow,
                steps => some(steps as usize - 3),
            },
        })
    }

    /// Marks, or begins to mark, on demand. Nothing if a mark runs, unless the budget is unlimited.
    pub(crate) fn mark<'gc>(
        &mut self,
        state: &mut impl Object<'gc>,
        reason: MarkReason,
        edge_snapshot: EdgeSnapshot,
        budget: &Budget,
    ) {
        if self.is_marking() && !budget.is_unlimited() {
            return;
        }
        self.mark_history
            .will_begin(reason, self.idle_check.released);
        if budget.is_unlimited() {
            return self.major(state, edge_snapshot);
        }
        // After this all objects are old, and the size of the old generation is what there is to
        // mark.
        self.minor(state, TenuringPolicy::Never);
        match self.marks_concurrently() {
            true => {
                while !self.old.sweep(SweepBudget::ALL, &self.source) {}
                self.begin_cycle(state, MarkMode::Concurrent, edge_snapshot);
            }
            false => self.major(state, edge_snapshot),
        }
    }

    /// Whether the growth trigger has fired, but the mark is delayed: it waits until the last sweep
    /// is done and the count deltas of other heaps are drained. False under a stress in which
    /// growth decides nothing.
    #[inline]
    pub(crate) fn is_mark_delayed(&self) -> bool {
        let when = self.pacing.stress.map_or(When::Paced, |stress| stress.when);
        // Strictly greater: by a pacing without growth the next mark is due as soon as one has
        // ended.
        when == When::Paced && !self.is_marking() && self.heap_size_estimate() > self.mark_at
    }

    /// Whether the heap is so large that growth triggers marks
    /// ([`Pacing::first`](crate::Pacing::first)).
    #[inline]
    pub(crate) fn exceeds_first(&self) -> bool {
        self.heap_size_estimate() > self.pacing.first
    }
}

impl<R: Root> Heap<R> {
    /// Returns true if [`Heap::pace`] has work other than waiting. A concurrent mark waits for
    /// promotion, or for a long SATB buffer; so does mark termination
    /// ([`Heap::is_terminating_mark`]), which only `pace` continues. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn has_gc_work(&self) -> bool {
        let core = self.core();
        core.is_full()
            || core.mark_is_due()
            || core.old.unswept != 0
            || core.needs_prefault.get()
            || core.pacing.stress.is_some()
    }
}
