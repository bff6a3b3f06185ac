//! Collections: between turns, by whoever holds the heap.

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

/// What a mark is asked to note, for [`Heap::show`](crate::Heap::show).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shows {
    Nothing,
    /// The objects that may show something, and that nobody else can reach.
    Private,
}

/// Runs swept after each turn at least, as long as there are any to sweep.
const SWEEP_STEP: usize = 8;

/// At most, some 150 microseconds, unless much has become old since; and so many for each page that
/// has. A large heap that grows by a quarter needs eight of these.
const SWEEP_MOST: usize = 256;
const SWEEP_RATIO: usize = 12;

/// Objects that a page has at most.
const CELLS: usize = PAGE / 16;

/// Aborts if a panic comes out of the middle of a collection: nothing could be trusted any more
/// (GC-NOTES §3, 20).
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
    /// Empties the nursery: what is reached from the roots and from written old objects becomes
    /// old, or survives once (H3).
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
        // SAFETY: all that was remembered was gone through, stubs too.
        unsafe { self.tags.get_mut().nursery_emptied() };
        self.counted.minor(&self.nursery, &survivors, moved);
        let mut emptied = std::mem::replace(&mut self.nursery, survivors);
        if self.pacing.stress.is_some() {
            // SAFETY: the collection is over: what was reached has moved, and the rest has ended.
            unsafe { crate::stress::poison_blocks(&emptied) };
        }
        let (pages, used) = (emptied.pages(), emptied.used());
        // SAFETY: all that is reached has moved out of it.
        unsafe { emptied.clear(&self.reserve) };
        // A heap that hardly used its nursery rests.
        if used < self.pacing.nursery / 8 {
            self.reserve.shrink(0, &self.source);
        } else {
            let still = self.nursery.pages();
            self.reserve.settle(pages, still, &self.source);
        }
        std::mem::forget(whole);
    }

    /// Marks all that the roots and other heaps reach, and begins to sweep. The nursery is emptied
    /// first, into the old generation (H6). A mark that runs beside the turns is given up.
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
        // SAFETY: no turn runs, so what was not met is not used any more.
        unsafe { self.sharing.get_mut().marked() };
        self.next_mark(0);
        self.counted.major(met);
        self.showing = showing;
        std::mem::forget(whole);
    }

    /// What lives now is all that it has, of which so many bytes were born while it was marked: the
    /// next mark is due when it has grown. Regions that were dead have ended, or do with the sweep.
    pub(crate) fn next_mark(&mut self, born: usize) {
        self.pinned = 0;
        let weight = self.weight();
        self.lived = self.old.living() - born;
        self.mark_at = self.pacing.next_mark(weight, born);
    }

    /// Sweeps what is due: a few runs, and so many that all are swept when the old generation has
    /// grown half of the way to the next mark (H8). If that would be many, because it is to grow by
    /// so little, the next mark waits instead.
    pub(crate) fn sweep_some(&mut self) {
        let (weight, mark_at) = (self.weight(), self.mark_at);
        let old = &mut self.old;
        let grows = (mark_at - mark_at.min(old.met)).max(1);
        let grown = old.living() - old.met.min(old.living());
        let share = (grown as f64 * 2.0 / grows as f64).min(1.0);
        let left = (old.to_sweep as f64 * (1.0 - share)) as usize;
        let due = match weight >= mark_at {
            // The next mark waits for it; it may have grown by what others' objects weigh.
            true => old.unswept,
            false => old.unswept - left.min(old.unswept),
        };
        let fresh = old.living().saturating_sub(old.at_step) / PAGE;
        let most = SWEEP_MOST.max(fresh.saturating_mul(SWEEP_RATIO));
        let mut portion = Portion::of(due.clamp(SWEEP_STEP, most));
        portion.empty = most;
        // Turns may fill pages with nothing but destructors: twice as many go as they can have
        // made.
        portion.destructors = portion.destructors.max(fresh.saturating_mul(2 * CELLS));
        old.sweep(portion, &self.source);
        old.at_step = old.living();
    }
}
