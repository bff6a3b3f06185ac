//! Stress settings for tests: heaps that collect, fail and verify more than they need to.

use std::cell::Cell;

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
