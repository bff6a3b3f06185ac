//! The shared word: the part of an object's counts that any thread may change, in one atomic.

/// Weak count, flags and shared count, as they were at one instant.
///
/// ```text
///  63            33 32   31        30      29      28      27             0
/// ├────────────────┼─────┼────────┼───────┼───────┼───────┼───────────────┤
/// │ shared, signed │ USED│ SPOILED│ PROBED│ MERGED│ QUEUED│ weak          │
/// ```
///
/// All bits are zero as long as no other thread has counted and there was no weak reference: the
/// owner checks that with one comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) u64);

/// One weak reference.
pub(crate) const WEAK: u64 = 1;
/// One of the references is in the owner's queue, or about to be pushed (B3, B5).
pub(crate) const QUEUED: u64 = 1 << 28;
/// There is no owner any more: the shared count is the number of references (B4). Never cleared,
/// but at birth.
pub(crate) const MERGED: u64 = 1 << 29;
/// A thread that is not the owner checks whether its reference is the only one (B8). Only that
/// thread clears the flag.
pub(crate) const PROBED: u64 = 1 << 30;
/// Another thread has dropped a reference during the probe.
pub(crate) const SPOILED: u64 = PROBED << 1;
/// A thread that is not the owner has counted. Set for the feature `counters` only; no step depends
/// on it.
pub(crate) const USED: u64 = 1 << 32;
/// One shared reference.
pub(crate) const SHARED: u64 = 1 << 33;

const WEAK_MASK: u64 = QUEUED - 1;

/// Limit of references to one object; more abort the process (B9). It lies so far below the width
/// of the count that threads that pass the limit together cannot wrap the count before one of them
/// has aborted. A biased count of this size can be merged into the shared count.
pub(crate) const LIMIT: u32 = 1 << 28;

/// Limit of weak references.
pub(crate) const WEAK_LIMIT: u32 = 1 << 27;

impl Word {
    /// The word at birth, with an owner.
    pub(crate) const UNTOUCHED: Word = Word(0);

    /// The word at birth without owner: one reference.
    pub(crate) const BORN_MERGED: Word = Word(SHARED | MERGED);

    /// References that are not in the biased count. Negative if more were dropped here than made.
    pub(crate) fn shared(self) -> i64 {
        self.0 as i64 >> 33
    }

    /// Weak references, including one for all strong ones together. Zero: there has
    /// never been a weak reference.
    pub(crate) fn weak(self) -> u32 {
        (self.0 & WEAK_MASK) as u32
    }

    pub(crate) fn has(self, flag: u64) -> bool {
        self.0 & flag != 0
    }

    /// Returns true if there is no shared reference, no flag, and was never a weak reference. With
    /// the feature `counters`, `USED` is ignored.
    pub(crate) fn is_untouched(self) -> bool {
        self.0 & !USED == 0
    }

    /// The word of the merged object with `references`: same weak count, no owner.
    pub(crate) fn merged(self, references: i64) -> Word {
        Word(self.0 & (WEAK_MASK | USED) | MERGED | (references as u64) << 33)
    }
}
