//! Weak references of an object: their count, the end of its memory, upgrades.

use super::word::{LIMIT, MERGED, SHARED, WEAK, WEAK_LIMIT, Word};
use super::{Header, overflow};
use crate::sync::{Ordering, fault};

impl Header {
    /// Increment of the weak count, by a thread that has a strong or weak reference.
    pub(crate) fn clone_weak(&self) {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        // The first weak reference adds a second one, which stands for all strong references.
        // Relaxed: the caller has a reference, as in `clone_shared`.
        while before.weak() == 0 {
            match self.word.compare_exchange_weak(
                before.0,
                before.0 + WEAK + WEAK,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(now) => before = Word(now),
            }
        }
        // Relaxed: as for `clone_shared`. The weak count leaves zero only once, so it cannot be
        // zero again.
        if Word(self.word.fetch_add(WEAK, Ordering::Relaxed)).weak() >= WEAK_LIMIT {
            overflow();
        }
    }

    /// Decrement of the weak count. Returns true if the caller is to free the memory.
    pub(crate) fn drop_weak(&self) -> bool {
        // Release and Acquire: all accesses to the memory happen before its freeing.
        if Word(self.word.fetch_sub(WEAK, Ordering::Release)).weak() != 1 {
            return false;
        }
        self.acquire();
        true
    }

    /// The value has been dropped. Returns true if the caller is to free the memory.
    pub(crate) fn end(&self) -> bool {
        // Acquire: pairs with the Release of the last other weak reference. No reference is left,
        // so a count of one or zero does not change any more.
        let weak = Word(self.word.load(Ordering::Acquire)).weak();
        weak <= 1 || self.drop_weak()
    }

    /// Makes a strong reference of a weak one, by any thread other than the owner's holder. Returns
    /// false if the object has ended.
    pub(crate) fn upgrade_shared(&self) -> bool {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        loop {
            // An object with an owner is live: an owner that drops its last reference merges first
            // if there are weak ones (B7).
            let has_ended = before.has(MERGED) && before.shared() == 0;
            if fault!(has_ended, UpgradeOfMerged => false) {
                return false;
            }
            if before.shared() >= i64::from(LIMIT) {
                overflow();
            }
            // Acquire: pairs with the Release of `born`.
            match self.word.compare_exchange_weak(
                before.0,
                before.0.wrapping_add(SHARED),
                fault!(Ordering::Acquire, UpgradeRelaxed => Ordering::Relaxed),
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => before = Word(now),
            }
        }
    }
}
