//! The shared word: what anybody may change of an object's counts, in one atomic.

/// Weak references and flags and the shared count, as they were at one instant.
///
/// ```text
///  63            33 32   31        30      29      28      27             0
/// ├────────────────┼─────┼────────┼───────┼───────┼───────┼───────────────┤
/// │ shared, signed │ USED│ SPOILED│ PROBED│ MERGED│ QUEUED│ weak          │
/// ```
///
/// All bits are zero as long as no other thread and no weak reference had to do with the object:
/// its owner needs one comparison to know that.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) u64);

/// One weak reference.
pub(crate) const WEAK: u64 = 1;
/// The owner's queue has, or is about to have, one of the references (B3, B5).
pub(crate) const QUEUED: u64 = 1 << 28;
/// There is no owner any more: the shared count is all references (B4). Never taken back, but at
/// birth.
pub(crate) const MERGED: u64 = 1 << 29;
/// Somebody who is not the owner asks whether his reference is the only one (B8). He alone takes it
/// off.
pub(crate) const PROBED: u64 = 1 << 30;
/// Meanwhile another one has dropped one.
pub(crate) const SPOILED: u64 = PROBED << 1;
/// A thread that is not the owner has counted. Kept for the feature `counters` alone; no step looks
/// at it.
pub(crate) const USED: u64 = 1 << 32;
/// One shared reference.
pub(crate) const SHARED: u64 = 1 << 33;

const WEAK_MASK: u64 = QUEUED - 1;

/// More references than this to one object abort the process (B9). So far below what fits that
/// threads that pass the limit together cannot wrap the count before one of them has aborted, and a
/// biased count of this size can be merged into it.
pub(crate) const LIMIT: u32 = 1 << 28;

/// The same for weak references.
pub(crate) const WEAK_LIMIT: u32 = 1 << 27;

impl Word {
    /// As it is at birth, with an owner.
    pub(crate) const UNTOUCHED: Word = Word(0);

    /// As it is at birth without an owner: one reference.
    pub(crate) const BORN_MERGED: Word = Word(SHARED | MERGED);

    /// References that the biased count does not have; below zero if more were dropped here than
    /// made.
    pub(crate) fn shared(self) -> i64 {
        self.0 as i64 >> 33
    }

    /// Weak references. One more stands for all strong ones together. Zero: there has never been
    /// one.
    pub(crate) fn weak(self) -> u32 {
        (self.0 & WEAK_MASK) as u32
    }

    pub(crate) fn has(self, flag: u64) -> bool {
        self.0 & flag != 0
    }

    /// No shared reference, no flag, and never a weak reference; the same at all times but in
    /// programs that are counted.
    pub(crate) fn is_untouched(self) -> bool {
        self.0 & !USED == 0
    }

    /// The same weak references, without owner.
    pub(crate) fn merged(self, references: i64) -> Word {
        Word(self.0 & (WEAK_MASK | USED) | MERGED | (references as u64) << 33)
    }
}
