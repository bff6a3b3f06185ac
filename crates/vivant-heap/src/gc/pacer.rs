//! The pacer: the heap size at which the next mark begins, how long it may be delayed, and what
//! follows when the page source is short of pages.

use super::heap::Core;
use super::stress::When;
use crate::alloc::old::image_barrier::GivenUp;
use crate::alloc::old::sweep::SweepBudget;
use crate::mark::allocation_failure::MarkOutcome;
use crate::pages::chunk::PAGE;

/// Growth allowed to a small heap while a mark waits for the inbox to be drained, in nurseries.
const NURSERIES: usize = 8;

/// Bytes that the source should have for a turn; with fewer, a heap returns everything that it does
/// not need.
const PAGES_KEPT_FREE: usize = 64 * PAGE;

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

    /// The source has hardly any pages left for turns: gives an image up, ends the cycle, sweeps
    /// all, and returns every page that can be returned.
    #[cold]
    pub(crate) fn release_memory(&mut self) {
        self.give_image_up(GivenUp::NoMemory);
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
