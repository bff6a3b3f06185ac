//! Uniqueness checks of one reference. The caller has the reference, and keeps it from being cloned
//! or downgraded meanwhile.

use super::Header;
use super::word::{PROBED, SPOILED, Word};
use crate::sync::{Ordering, fault};

impl Header {
    /// Called by the owner's holder.
    pub(crate) fn is_only_owned(&self) -> bool {
        // Acquire: pairs with the Release of the threads that dropped their references.
        let word = Word(self.word.load(Ordering::Acquire));
        self.is_one(word) && word.weak() <= 1
    }

    /// As [`Header::is_only_owned`], but weak references may exist.
    pub(crate) fn is_last_owned(&self) -> bool {
        // Acquire: as in `is_only_owned`.
        self.is_one(Word(self.word.load(Ordering::Acquire)))
    }

    /// Called by the owner's holder.
    fn is_one(&self, word: Word) -> bool {
        // Relaxed: no other thread changes it.
        i64::from(self.biased.load(Ordering::Relaxed)) + word.shared() == 1
    }

    /// Called by any thread, for an object without owner.
    pub(crate) fn is_only_merged(&self) -> bool {
        // Acquire: pairs with the Release of the threads that dropped their references, and with
        // the merge.
        let word = Word(self.word.load(Ordering::Acquire));
        word.shared() == 1 && word.weak() <= 1
    }

    /// A probe (B8), by a thread that is not the owner; any thread may hold the owner's entry.
    /// True: there is no other reference, strong or weak. False may also mean that another thread
    /// probed at the same time.
    pub(crate) fn probe(&self) -> bool {
        let before = Word(self.word.load(Ordering::Relaxed));
        if !before.is_untouched() {
            return false;
        }
        let (before, probed) = (before.0, before.0 | PROBED);
        // Acquire: pairs with the Release of the thread that brought the word back to zero.
        let began =
            self.word
                .compare_exchange(before, probed, Ordering::Acquire, Ordering::Relaxed);
        if began.is_err() {
            return false;
        }
        // Acquire: pairs with the Release of the owner's drops.
        let biased = self.biased.load(Ordering::Acquire);
        fault!(ProbeOnce => {
            self.word.fetch_and(!PROBED, Ordering::Acquire);
            return biased == 1;
        });
        // If this succeeds, no thread has dropped a shared reference since the first exchange, so
        // there was no shared reference. All references were biased when the biased count was read.
        let ended =
            self.word
                .compare_exchange(probed, before, Ordering::Acquire, Ordering::Relaxed);
        if ended.is_err() {
            // Relaxed: the answer is false, and the caller does nothing because of it.
            self.word.fetch_and(!(PROBED | SPOILED), Ordering::Relaxed);
        }
        ended.is_ok() && biased == 1
    }

    /// Takes the only strong reference of an object without owner: no weak one can be upgraded
    /// after. Returns true if it was the only one.
    pub(crate) fn take_last(&self) -> bool {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        loop {
            if before.shared() != 1 {
                return false;
            }
            let after = before.merged(0);
            fault!(TakeByALook => {
                self.word.store(after.0, Ordering::Release);
                return true;
            });
            // Acquire: as for the last drop. Release: as for a drop.
            match self.word.compare_exchange_weak(
                before.0,
                after.0,
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => before = Word(now),
            }
        }
    }
}
