//! The collector: minor collections, marks and sweeps, between turns, on the thread that holds the
//! heap. See [README.md](README.md).

pub(crate) mod claim;
mod cycle;
#[cfg(test)]
mod cycle_tests;
mod debt;
#[cfg(test)]
mod holdings_tests;
mod mark;
mod prefetch;
mod relocator;
mod scanner;
mod settling;
#[cfg(test)]
mod settling_tests;
mod tracer;
pub(crate) mod work_list;

pub(crate) use cycle::{Cycle, Revived};
pub use mark::{Marker, Progress};
pub(crate) use relocator::Ageing;
pub use relocator::Relocator;
pub use tracer::Tracer;

use crate::heap::Core;
use crate::old::{MISSES_MINOR, Portion};
use crate::orca::Owner;
use crate::pages::chunk::PAGE;
use crate::pieces::Pieces;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::types::Object;

/// Which objects a mark lists for [`Heap::show`](crate::Heap::show), the tracing of external
/// edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shows {
    Nothing,
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
const CELLS: usize = PAGE / 16;

/// Aborts the process if a panic unwinds out of a collection: no invariant of the heap holds in the
/// middle of one (GC-NOTES §3, 20).
struct Whole;

impl Drop for Whole {
    fn drop(&mut self) {
        eprintln!(
            "vivant-heap: a panic in the middle of a collection; do not panic in `Object::trace` or `Object::relocate`"
        );
        std::process::abort();
    }
}

impl Core {
    /// A minor collection: empties the nursery. Objects reached from the roots and from the
    /// remembered set are promoted, or survive once in the nursery (H3).
    pub(crate) fn minor<'gc>(&mut self, roots: &mut impl Object<'gc>, ageing: Ageing) {
        let whole = Whole;
        let remembered = std::mem::take(self.remembered.get_mut());
        self.crowded.set(false);
        self.old.misses = MISSES_MINOR;
        let mut relocator = Relocator::new(self, ageing);
        roots.relocate(&mut relocator);
        for object in remembered {
            relocator.remembered(object);
        }
        relocator.drain();
        relocator.clear_weak();
        relocator.find_dead();
        let moved = relocator.counts();
        let mut survivors = relocator.finish();
        survivors.settle();
        self.old.misses = usize::MAX;
        // SAFETY: all of the remembered set was scanned, tag entries included.
        unsafe { self.tags.get_mut().nursery_emptied() };
        self.counted.minor(&self.nursery, &survivors, moved);
        let mut emptied = std::mem::replace(&mut self.nursery, survivors);
        if self.pacing.stress.is_some() {
            // SAFETY: the collection is over: reached objects were evacuated, and the others were
            // destroyed.
            unsafe { crate::stress::poison_blocks(&emptied) };
        }
        let (pages, used) = (emptied.pages(), emptied.used());
        // SAFETY: every reached object was evacuated from it.
        unsafe { emptied.clear(&self.reserve) };
        // A heap that hardly used its nursery is idle: it keeps no spare chunks.
        if used < self.pacing.nursery / 8 {
            self.reserve.shrink(0, &self.source);
        } else {
            let still = self.nursery.pages();
            self.reserve.settle(pages, still, &self.source);
        }
        std::mem::forget(whole);
    }

    /// A stop-the-world mark: marks all objects that the roots and the exports reach, and begins
    /// the sweep. First it empties the nursery into the old generation (H6). Aborts a concurrent
    /// mark that runs.
    pub(crate) fn major<'gc>(&mut self, roots: &mut impl Object<'gc>, shows: Shows) {
        self.abandon_cycle();
        self.waits_since = None;
        while !self.old.sweep(Portion::ALL, &self.source) {}
        self.minor(roots, Ageing::Never);
        let whole = Whole;
        self.heed();
        self.old.mark_begins();
        let own = Owner::name(&self.owner);
        let sharing = self.sharing.get_mut();
        let known = sharing.roots();
        let mut tracer = Tracer::new(self.old.epoch, own, sharing.imports.counted());
        let showing = match shows {
            Shows::Private => tracer.private(roots),
            Shows::Nothing => {
                roots.trace(&mut tracer);
                Pieces::default()
            }
        };
        known.into_iter().for_each(|object| tracer.edge(object));
        #[cfg(test)]
        if is_planted(Planted::TagTableStrong) {
            let stubs = self.tags.get_mut().iter();
            stubs.for_each(|(_, stub)| tracer.edge(stub));
        }
        tracer.drain();
        let (met, alive) = (tracer.met(), tracer.alive);
        let weak = tracer.weak_references();
        self.settle_at_once(weak);
        self.old.mark_ends(alive);
        self.gave_up = false;
        // SAFETY: no turn runs, so no unmarked object is used any more.
        unsafe { self.sharing.get_mut().marked() };
        self.next_mark(0);
        self.counted.major(met);
        self.showing = showing;
        std::mem::forget(whole);
    }

    /// Schedules the next mark. The live bytes are all bytes in blocks and large objects, less the
    /// `born` bytes that were allocated during the mark. Dead regions have ended, or end with the
    /// sweep.
    pub(crate) fn next_mark(&mut self, born: usize) {
        self.pinned = 0;
        let weight = self.weight();
        self.lived = self.old.living() - born;
        self.mark_at = self.pacing.next_mark(weight, born);
    }

    /// Sweeps what is due: at least `SWEEP_STEP` spans, and enough to have swept all spans when the
    /// old generation has grown half of the way to the next mark (H8). If that exceeds the maximum
    /// budget, because the heap is to grow by so little, the next mark is delayed instead.
    pub(crate) fn sweep_some(&mut self) {
        let (weight, mark_at) = (self.weight(), self.mark_at);
        let old = &mut self.old;
        let grows = (mark_at - mark_at.min(old.met)).max(1);
        let grown = old.living() - old.met.min(old.living());
        let share = (grown as f64 * 2.0 / grows as f64).min(1.0);
        let left = (old.to_sweep as f64 * (1.0 - share)) as usize;
        let due = match weight >= mark_at {
            // The next mark is delayed by the sweep. The weight can exceed `mark_at` by foreign
            // objects, which no sweep frees.
            true => old.unswept,
            false => old.unswept - left.min(old.unswept),
        };
        let fresh = old.living().saturating_sub(old.at_step) / PAGE;
        let most = SWEEP_MOST.max(fresh.saturating_mul(SWEEP_RATIO));
        let mut portion = Portion::of(due.clamp(SWEEP_STEP, most));
        portion.empty = most;
        // Turns may fill pages with objects that all have destructors. The budget is twice as many
        // destructors as those pages can hold, so the sweep gains on the turns.
        portion.destructors = portion.destructors.max(fresh.saturating_mul(2 * CELLS));
        old.sweep(portion, &self.source);
        old.at_step = old.living();
    }
}
