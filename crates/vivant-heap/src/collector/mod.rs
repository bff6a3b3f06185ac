//! The collector: minor collections, marks and sweeps, between turns, on the thread that holds the
//! heap. See [README.md](README.md).

pub(crate) mod claim;
#[cfg(test)]
mod concurrent_mark_tests;
mod evacuator;
#[cfg(test)]
mod external_edges_tests;
mod mark;
mod mark_cycle;
pub(crate) mod mark_queue;
mod mark_termination;
#[cfg(test)]
mod mark_termination_tests;
mod mutator_assist;
mod prefetch;
mod scanner;
mod tracer;

pub use evacuator::Evacuator;
pub(crate) use evacuator::TenuringPolicy;
pub(crate) use mark::MarkMode;
pub use mark::{Marker, Progress};
pub(crate) use mark_cycle::{MarkCycle, Resurrection};
pub use tracer::Tracer;

use crate::heap::Core;
use crate::old::{MISSES_MINOR, SweepBudget};
use crate::pages::chunk::PAGE;
use crate::types::Object;

/// Which objects a mark lists for [`Heap::show`](crate::Heap::show), the tracing of external
/// edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EdgeSnapshot {
    Off,
    /// Objects that may show an external edge and are reachable without passing a shared object: no
    /// other heap can reach these.
    Private,
}

/// Minimum of the sweep budget: spans swept after each turn, as long as any is unswept.
const SWEEP_STEP: usize = 8;

/// Maximum of the sweep budget in spans, some 150 microseconds, unless turns have promoted much
/// since: then `SWEEP_RATIO` spans for each promoted page. A large heap that grows by a quarter
/// needs eight of these.
const SWEEP_MOST: usize = 256;
const SWEEP_RATIO: usize = 12;

/// Maximum number of blocks in a page.
const BLOCKS_PER_PAGE: usize = PAGE / 16;

/// Aborts the process if a panic unwinds out of a collection: no invariant of the heap holds in the
/// middle of one (GC-NOTES §3, 20).
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        eprintln!(
            "vivant-heap: a panic in the middle of a collection; do not panic in `Object::trace` or `Object::evacuate`"
        );
        std::process::abort();
    }
}

impl Core {
    /// A minor collection: empties the nursery. Objects reached from the roots and from the
    /// remembered set are promoted, or survive once in the nursery (H3).
    pub(crate) fn minor<'gc>(&mut self, roots: &mut impl Object<'gc>, tenuring: TenuringPolicy) {
        let guard = AbortOnUnwind;
        let remembered = std::mem::take(self.remembered.get_mut());
        self.remembered_set_full.set(false);
        self.old.misses = MISSES_MINOR;
        let mut evacuator = Evacuator::new(self, tenuring);
        roots.evacuate(&mut evacuator);
        for object in remembered {
            evacuator.remembered(object);
        }
        evacuator.drain();
        evacuator.clear_weak();
        evacuator.find_dead();
        let moved = evacuator.counts();
        let mut survivors = evacuator.finish();
        survivors.settle();
        self.old.misses = usize::MAX;
        // SAFETY: all of the remembered set was scanned, tag entries included.
        unsafe { self.tags.get_mut().nursery_emptied() };
        self.counters.minor(&self.nursery, &survivors, moved);
        let mut emptied = std::mem::replace(&mut self.nursery, survivors);
        if self.pacing.stress.is_some() {
            // SAFETY: the collection is over: reached objects were evacuated, and the others were
            // destroyed.
            unsafe { crate::stress::poison_chunks(&emptied) };
        }
        let (pages, used) = (emptied.pages(), emptied.used());
        // SAFETY: every reached object was evacuated from it.
        unsafe { emptied.clear(&self.chunk_cache) };
        // A heap that hardly used its nursery is idle: it keeps no spare chunks.
        if used < self.pacing.nursery / 8 {
            self.chunk_cache.shrink(0, &self.source);
        } else {
            let still = self.nursery.pages();
            self.chunk_cache.settle(pages, still, &self.source);
        }
        std::mem::forget(guard);
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
}
