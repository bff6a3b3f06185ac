//! Heaps that make life hard for themselves, for tests.

use crate::header::Header;
use crate::nursery::Nursery;
use crate::pages::chunk::PAGE;
use std::cell::Cell;
use std::ptr::NonNull;

/// How a heap is tested: see [`Pacing::stress`](crate::Pacing).
///
/// Such a heap verifies itself after each collection and at each [`Heap::pace`](crate::Heap::pace),
/// and panics if a rule is broken. It fills all that is free with a pattern, and looks after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Stress {
    /// When it collects.
    pub when: When,
    /// One of so many requests of a turn for pages is refused; 0: none is.
    pub refuses: u64,
    /// Whence chance comes: the same seed and the same turns have the same collections and
    /// refusals.
    pub seed: u64,
}

/// When a heap under test collects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum When {
    /// As its pacing says.
    Paced,
    /// Never, not even when it is told to: is a fault the collector's?
    Never,
    /// The nursery, at each [`Heap::pace`](crate::Heap::pace).
    Young,
    /// Everything, at each.
    All,
    /// At each, something or nothing, by chance.
    Chance,
    /// Everything, all the time, beside the turns: at each [`Heap::pace`](crate::Heap::pace) a mark
    /// begins or goes through a few objects, or the nursery is emptied, by chance. What a simple
    /// mark meets at the beginning is to be met.
    Beside,
}

impl Stress {
    /// Collects then, refuses nothing, and has this seed.
    pub const fn new(when: When, seed: u64) -> Stress {
        Stress {
            when,
            refuses: 0,
            seed,
        }
    }

    /// Refuses one of so many requests of turns for pages.
    #[must_use]
    pub const fn refusing(self, one_in: u64) -> Stress {
        Stress {
            refuses: one_in,
            ..self
        }
    }
}

/// Numbers from a seed. Ours: the library would have a dependency for a few lines, and the seed of
/// a failure must mean the same collections in every version.
pub(crate) struct Chance(Cell<u64>);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(Cell::new(seed))
    }

    /// Below `bound`.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        // Numbers in even steps, mixed (splitmix).
        let state = self.0.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0.set(state);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % bound
    }
}

/// What free memory is filled with. As a header's word it has the lowest bit set, and leads
/// nowhere.
const POISON: u8 = 0xDF;

/// Fills what is free.
///
/// # Safety
///
/// It is nobody's but the caller's.
pub(crate) unsafe fn poison(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's.
    unsafe { start.write_bytes(POISON, bytes) };
}

/// Fills a nursery.
///
/// # Safety
///
/// All its objects have moved or are dead.
pub(crate) unsafe fn poison_blocks(nursery: &Nursery) {
    for (run, filled) in nursery.blocks() {
        // SAFETY: the run is the nursery's; the rest is the caller's.
        unsafe { poison(run.start(), filled) };
    }
}

/// Where free memory was written, if it was.
///
/// # Safety
///
/// It was filled, and is nobody's but the caller's.
pub(crate) unsafe fn written(start: NonNull<u8>, bytes: usize) -> Option<NonNull<Header>> {
    let intact = |offset: &usize| {
        // SAFETY: the caller's.
        unsafe { start.add(*offset).read() == POISON }
    };
    // Under an interpreter not each byte is looked at.
    let step = if cfg!(miri) { PAGE / 64 } else { 1 };
    let mut offsets = (0..bytes).step_by(step);
    // SAFETY: within it.
    let at = |offset| unsafe { start.add(offset) }.cast();
    offsets.find(|offset| !intact(offset)).map(at)
}
