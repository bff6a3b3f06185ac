//! The pacer: the growth at which the next mark begins, how long it may be delayed, and how much is
//! swept at a time.

use super::heap::{Core, Heap, Root};
use super::stress::When;
use crate::alloc::old::sweep::SweepBudget;
use crate::mark::allocation_failure::MarkOutcome;
use crate::pages::chunk::PAGE;

/// Growth allowed to a small heap while a mark waits for the inbox to be drained, in nurseries.
const NURSERIES: usize = 8;

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

impl Core {
    /// Whether a delayed mark has waited until the heap has grown by another sixteenth, or by some
    /// nurseries. Then it begins, and drains the rest of the inbox at once.
    pub(crate) fn delay_exceeded(&mut self) -> bool {
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
    pub(crate) fn release_memory(&mut self) {
        self.finish_mark();
        while !self.old.sweep(SweepBudget::ALL, &self.source) {}
        self.chunk_cache.shrink(0, &self.source);
    }

    /// Updates the allocation failure state, after all pages that can be returned were returned.
    /// `marks` is the number of marks before this step. Waits for a mark that runs.
    #[cold]
    pub(crate) fn after_allocation_failure(&self, marks: u64) {
        if self.is_marking() {
            return;
        }
        let marked = match self.counters.marks() == marks {
            true => MarkOutcome::Unmarked,
            false => MarkOutcome::Marked,
        };
        let waits = marked == MarkOutcome::Unmarked && self.allocation_failure.is_due();
        let has_room =
            !self.is_short() && self.has_pages(self.allocation_failure.largest_refused());
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
        self.bytes_marked_live = self.old.bytes_live() - born;
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
            // The next mark is delayed by the sweep. The estimate can exceed `mark_at` by foreign
            // objects, which no sweep frees.
            true => old.unswept,
            false => old.unswept - left.min(old.unswept),
        };
        let fresh = old.bytes_live().saturating_sub(old.live_at_step) / PAGE;
        let most = SWEEP_MOST.max(fresh.saturating_mul(SWEEP_RATIO));
        let mut budget = SweepBudget::of(due.clamp(SWEEP_STEP, most));
        budget.empty = most;
        // Turns may fill pages with objects that all have destructors. The budget is twice as many
        // destructors as those pages can hold, so the sweep gains on the turns.
        budget.destructors = budget
            .destructors
            .max(fresh.saturating_mul(2 * BLOCKS_PER_PAGE));
        old.sweep(budget, &self.source);
        old.live_at_step = old.bytes_live();
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
