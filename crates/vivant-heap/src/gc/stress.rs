//! Stress settings for tests: heaps that collect, fail and verify more than they need to.

use crate::alloc::header::Header;
use crate::alloc::nursery::Nursery;
use crate::pages::chunk::PAGE;
use std::cell::Cell;
use std::ptr::NonNull;

/// How a heap is tested: see [`Pacing::stress`](crate::Pacing).
///
/// Such a heap verifies itself after each collection and at each [`Heap::pace`](crate::Heap::pace),
/// and panics if a rule is broken. It poisons all free memory with a pattern, and checks the
/// pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Stress {
    /// When it collects.
    pub when: When,
    /// One in `refuses` requests of a turn for pages fails; with 0 none does.
    pub refuses: u64,
    /// The seed of the random numbers: the same seed and the same turns have the same collections
    /// and allocation failures.
    pub seed: u64,
}

/// When a heap under test collects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum When {
    /// As its pacing says.
    Paced,
    /// Never, not even on request: to find out whether a fault is the collector's.
    Never,
    /// A minor collection at each [`Heap::pace`](crate::Heap::pace).
    Young,
    /// A whole collection at each.
    All,
    /// A random collection or none at each.
    Chance,
    /// Concurrent marks all the time: at each [`Heap::pace`](crate::Heap::pace), by chance, a mark
    /// begins or scans a few objects, or the nursery is emptied. Each mark is checked against the
    /// objects that a simple mark reaches at its beginning.
    Concurrent,
}

impl Stress {
    /// Stress of this kind and seed, without allocation failures.
    pub const fn new(when: When, seed: u64) -> Stress {
        Stress {
            when,
            refuses: 0,
            seed,
        }
    }

    /// Makes one in `one_in` requests of turns for pages fail.
    #[must_use]
    pub const fn refusing(self, one_in: u64) -> Stress {
        Stress {
            refuses: one_in,
            ..self
        }
    }
}

/// A random number generator. Our own: a dependency for a few lines is not worth it, and the seed
/// of a failure must give the same collections in every version.
pub(crate) struct Chance(Cell<u64>);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(Cell::new(seed))
    }

    /// A number below `bound`.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        // Numbers in even steps, mixed (splitmix).
        let state = self.0.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0.set(state);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) % bound
    }
}

/// The fill pattern of free memory. As a header's word it has the lowest bit set, and leads
/// nowhere.
const POISON: u8 = 0xDF;

/// Poisons free memory.
///
/// # Safety
///
/// The memory is the caller's alone.
pub(crate) unsafe fn poison(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's contract.
    unsafe { start.write_bytes(POISON, bytes) };
}

/// Poisons a nursery.
///
/// # Safety
///
/// All its objects were evacuated or are dead.
pub(crate) unsafe fn poison_chunks(nursery: &Nursery) {
    for (span, filled) in nursery.chunks() {
        // SAFETY: the span is the nursery's; no object in it is used, by the caller's contract.
        unsafe { poison(span.start(), filled) };
    }
}

/// The first place at which poisoned memory was written; `None` if it is intact.
///
/// # Safety
///
/// The memory was poisoned, and is the caller's alone.
pub(crate) unsafe fn written(start: NonNull<u8>, bytes: usize) -> Option<NonNull<Header>> {
    let intact = |offset: &usize| {
        // SAFETY: the caller's contract; `offset` is below `bytes`.
        unsafe { start.add(*offset).read() == POISON }
    };
    // Under an interpreter only some of the bytes are checked.
    let step = if cfg!(miri) { PAGE / 64 } else { 1 };
    let mut offsets = (0..bytes).step_by(step);
    // SAFETY: within the poisoned memory.
    let at = |offset| unsafe { start.add(offset) }.cast();
    offsets.find(|offset| !intact(offset)).map(at)
}
