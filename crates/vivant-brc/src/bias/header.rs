//! The header of an object: its owner, the owner's count, and the shared word. Each step says what
//! its caller must do.

use super::word::{self, LIMIT, MERGED, PROBED, QUEUED, SHARED, SPOILED, WEAK, WEAK_LIMIT, Word};
use crate::sync::{AtomicU32, AtomicU64, Ordering, fault, fence};
use std::io::{self, Write};

/// The owner of an object that has none: it is merged.
pub(crate) const NOBODY: u32 = 0;

/// Counts of one object. Sixteen bytes, as the two counts of an `Arc`.
#[repr(C)]
pub(crate) struct Header {
    /// Whose the biased count is, or [`NOBODY`]. Changed by its owner's holder alone.
    owner: AtomicU32,
    /// References that the owner made, less those it dropped (B2). At least one while there is an
    /// owner.
    biased: AtomicU32,
    /// Everybody's.
    word: AtomicU64,
}

/// What a dropped reference leaves to who dropped it.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dropped {
    /// Nothing: there are others.
    Others,
    /// It was the last one: the value is to be dropped, then what the strong references had of the
    /// memory ([`Header::end`]).
    Last,
    /// The same, and the object names an owner, who is to be told.
    Sole,
    /// The reference is still there, and goes to the owner's queue (B3).
    Queued,
}

/// What became of a reference of the owner.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwnerDropped {
    /// It was not the owner's last.
    Others,
    /// It was, and so the object names the owner no more.
    Unnamed(Dropped),
    /// The same, and the owner's queue has one more reference to it.
    UnnamedQueued,
}

/// What became of a reference that lay in a queue.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Settled {
    /// The object was merged now, and names the owner no more.
    Merged(Dropped),
    /// It had been merged before.
    Before(Dropped),
}

impl Header {
    /// One reference, which is `owner`'s.
    pub(crate) fn owned(owner: u32) -> Header {
        Header {
            owner: AtomicU32::new(owner),
            biased: AtomicU32::new(1),
            word: AtomicU64::new(Word::UNTOUCHED.0),
        }
    }

    /// One reference, no owner: as an `Arc`.
    pub(crate) fn merged() -> Header {
        Header {
            owner: AtomicU32::new(NOBODY),
            biased: AtomicU32::new(0),
            word: AtomicU64::new(Word::BORN_MERGED.0),
        }
    }

    /// No reference, one weak one: an object that is being made. After [`Header::born`] the weak
    /// one stands for all strong ones.
    pub(crate) fn unborn() -> Header {
        Header {
            owner: AtomicU32::new(NOBODY),
            biased: AtomicU32::new(0),
            word: AtomicU64::new(MERGED | WEAK),
        }
    }

    /// Ends the making: one reference, of `owner` or of nobody. The value was written before.
    pub(crate) fn born(&self, owner: u32) {
        // Nobody has a reference. Who asks for one by a weak one exchanges the whole word, and asks
        // again when it has changed. Release: pairs with the Acquire of an upgrade, which reads the
        // value.
        if owner == NOBODY {
            self.word.fetch_add(SHARED, Ordering::Release);
        } else {
            self.owner.store(owner, Ordering::Relaxed);
            self.biased.store(1, Ordering::Relaxed);
            let release = fault!(Ordering::Release, BornRelaxed => Ordering::Relaxed);
            self.word.fetch_and(!MERGED, release);
        }
    }

    /// Whether the biased count is `me`'s.
    ///
    /// Relaxed: the answer is exact for who asks. If it is yes, only `me`'s holder can change it,
    /// and that is the caller. An id is given again only after every object that named it has been
    /// merged, and the merging happened before.
    #[inline]
    pub(crate) fn is_owned_by(&self, me: u32) -> bool {
        self.owner.load(Ordering::Relaxed) == me
    }

    /// One more reference, by the owner's holder (B2). False: the count is full, and nothing was
    /// done.
    #[inline]
    #[must_use]
    pub(crate) fn clone_owned(&self) -> bool {
        // Relaxed: nobody else changes it. Who reads it in a probe has the argument at B8.
        let count = self.biased.load(Ordering::Relaxed);
        let fits = count < LIMIT;
        if fits {
            self.biased.store(count + 1, Ordering::Relaxed);
        }
        fits
    }

    /// One more reference, by anybody.
    #[inline]
    pub(crate) fn clone_shared(&self) {
        // Relaxed: who clones has a reference, so nothing can end meanwhile; the new one is handed
        // on by other means.
        let before = Word(self.word.fetch_add(SHARED, Ordering::Relaxed));
        if before.shared() >= i64::from(LIMIT) {
            overflow();
        }
    }

    /// One less, by the owner's holder, if there are others of its own. Whether it was so.
    #[inline]
    pub(crate) fn drop_one_of_many(&self) -> bool {
        let count = self.biased.load(Ordering::Relaxed) - 1;
        if count == 0 {
            return false;
        }
        // Release: pairs with the Acquire of a probe, which goes on to change the value that the
        // owner has read.
        let release = fault!(Ordering::Release, OwnersDropRelaxed => Ordering::Relaxed);
        self.biased.store(count, release);
        true
    }

    /// One less, by the owner's holder.
    #[inline]
    pub(crate) fn drop_owned(&self) -> OwnerDropped {
        if self.drop_one_of_many() {
            return OwnerDropped::Others;
        }
        // Acquire: pairs with the Release of those who dropped theirs; what they did to the value
        // comes before its end.
        let acquire = fault!(Ordering::Acquire, LastLookRelaxed => Ordering::Relaxed);
        let word = Word(self.word.load(acquire));
        if fault!(word == Word::UNTOUCHED, QuickEndWithWeak => word.shared() == 0) {
            return OwnerDropped::Unnamed(Dropped::Last);
        }
        self.drop_last_owned()
    }

    #[cold]
    fn drop_last_owned(&self) -> OwnerDropped {
        self.biased.store(0, Ordering::Relaxed);
        match self.merge(0) {
            (_, true) => OwnerDropped::UnnamedQueued,
            (dropped, false) => OwnerDropped::Unnamed(dropped),
        }
    }

    /// Ends the ownership, by the owner's holder (B4), and drops `given` of the references. Whether
    /// the queue has one.
    fn merge(&self, given: i64) -> (Dropped, bool) {
        // Before the exchange: after it anybody may free the object. Pairs with nothing: who reads
        // an old owner sends the object to a queue whose holder sees this.
        let biased = self.biased.load(Ordering::Relaxed);
        self.biased.store(0, Ordering::Relaxed);
        fault!(self.owner.store(NOBODY, Ordering::Relaxed), ClearedLate => ());
        let mut before = Word(self.word.load(Ordering::Relaxed));
        loop {
            let after = before.merged(before.shared() + i64::from(biased) - given);
            // Release: the owner's use of the value comes before the end that another one brings
            // about. Acquire: the others' use comes before the end that this may be.
            let order = fault!(
                Ordering::AcqRel,
                MergeAcquires => Ordering::Acquire,
                MergeReleases => Ordering::Release,
            );
            let exchanged =
                self.word
                    .compare_exchange_weak(before.0, after.0, order, Ordering::Relaxed);
            fault!(ClearedLate => if exchanged.is_ok() {
                self.owner.store(NOBODY, Ordering::Relaxed);
            });
            match exchanged {
                Ok(_) if after.shared() == 0 => return (Dropped::Last, false),
                Ok(_) => return (Dropped::Others, before.has(QUEUED)),
                Err(now) => before = Word(now),
            }
        }
    }

    /// Ends the ownership, by the owner's holder, who keeps his reference or another one's.
    pub(crate) fn disown(&self) {
        let (left, _) = self.merge(0);
        debug_assert_eq!(left, Dropped::Others);
    }

    /// One less, by anybody but the owner's holder.
    #[inline]
    pub(crate) fn drop_shared(&self) -> Dropped {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        if before.is_untouched() && self.is_sole() {
            return Dropped::Sole;
        }
        while !before.has(MERGED) {
            // The last one that the shared count can bear is not dropped but handed over, once (B3,
            // B5).
            let hands_over = before.shared() == 0 && !before.has(QUEUED);
            let after = if hands_over {
                before.0 | QUEUED
            } else {
                before.0.wrapping_sub(SHARED)
            };
            // A probe that runs meanwhile is told (B8).
            let spoiled = (before.0 & PROBED) << 1;
            // Release: this thread's use of the value comes before its end. Pairs with the Acquire
            // of the last one.
            match self.word.compare_exchange_weak(
                before.0,
                fault!(
                    after | spoiled,
                    DropsKeepTheFlag => after,
                    ProbesAtOnce => after & !PROBED,
                ),
                fault!(Ordering::Release, SharedDropRelaxed => Ordering::Relaxed),
                Ordering::Relaxed,
            ) {
                Ok(_) if hands_over => return Dropped::Queued,
                Ok(_) => return Dropped::Others,
                Err(now) => before = Word(now),
            }
        }
        self.drop_merged()
    }

    /// Whether the caller's reference, which he is about to drop, is the only one: then the object
    /// is his (B8).
    #[inline]
    fn is_sole(&self) -> bool {
        // A look first: where the owner has references too, which is usual, there is nothing to
        // ask.
        self.biased.load(Ordering::Relaxed) == 1 && fault!(self.probe(), SoleByALook => true)
    }

    /// One less of an object without owner: as `Arc` does it. The owner may also be about to go:
    /// then its merging counts the rest.
    #[inline]
    pub(crate) fn drop_merged(&self) -> Dropped {
        // Release: as above.
        let before = Word(self.word.fetch_sub(SHARED, Ordering::Release));
        if before.shared() != 1 || fault!(!before.has(MERGED), LeavingIsMerged => false) {
            return Dropped::Others;
        }
        // Acquire: pairs with the Release of all who dropped theirs, and with the merging.
        fault!(self.acquire(), LastWithoutFence => ());
        Dropped::Last
    }

    /// Sees what all did who have released the word so far, by who has just changed it.
    #[inline]
    fn acquire(&self) {
        // The thread sanitizer does not know fences.
        if cfg!(vivant_no_fences) {
            self.word.load(Ordering::Acquire);
        } else {
            fence(Ordering::Acquire);
        }
    }

    /// To whose queue the reference goes that [`Header::drop_shared`] handed over; nobody if the
    /// owner has merged since, or does so now.
    pub(crate) fn owner(&self) -> u32 {
        self.owner.load(Ordering::Relaxed)
    }

    /// A reference out of the queue of `holder`, in its holder's hands.
    pub(crate) fn settle(&self, holder: u32) -> Settled {
        if self.is_owned_by(holder) {
            Settled::Merged(self.merge(1).0)
        } else {
            // B4: it cannot have become somebody else's.
            Settled::Before(self.drop_merged())
        }
    }

    // Weak references.

    /// One more weak reference, by who has a reference or a weak one.
    pub(crate) fn clone_weak(&self) {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        // The first one brings with it the one that stands for all strong ones. Relaxed: as below.
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
        // Relaxed: as for `clone_shared`. Zero is left only once, so it cannot be zero again.
        if Word(self.word.fetch_add(WEAK, Ordering::Relaxed)).weak() >= WEAK_LIMIT {
            overflow();
        }
    }

    /// One weak reference less. Whether the memory is to be freed.
    pub(crate) fn drop_weak(&self) -> bool {
        // Release and Acquire: whatever was done to the memory comes before its freeing.
        if Word(self.word.fetch_sub(WEAK, Ordering::Release)).weak() != 1 {
            return false;
        }
        self.acquire();
        true
    }

    /// The value has been dropped. Whether the memory is to be freed.
    pub(crate) fn end(&self) -> bool {
        // Acquire: pairs with the Release of the last other weak reference. No reference is left,
        // so what is one or zero stays so.
        let weak = Word(self.word.load(Ordering::Acquire)).weak();
        weak <= 1 || self.drop_weak()
    }

    /// A strong reference for a weak one, by anybody but the owner's holder. Whether there was
    /// still one.
    pub(crate) fn upgrade_shared(&self) -> bool {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        loop {
            // With an owner it is alive: an owner that has the last reference merges where there
            // are weak ones (B7).
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

    // Is a reference the only one? The caller has it, and keeps it from being cloned or downgraded
    // meanwhile.

    /// Asked by the owner's holder.
    pub(crate) fn is_only_owned(&self) -> bool {
        // Acquire: pairs with the Release of those who dropped theirs.
        let word = Word(self.word.load(Ordering::Acquire));
        self.is_one(word) && word.weak() <= 1
    }

    /// The same, whatever weak references there are.
    pub(crate) fn is_last_owned(&self) -> bool {
        // Acquire: as in `is_only_owned`.
        self.is_one(Word(self.word.load(Ordering::Acquire)))
    }

    /// By the owner's holder.
    fn is_one(&self, word: Word) -> bool {
        // Relaxed: nobody else changes it.
        i64::from(self.biased.load(Ordering::Relaxed)) + word.shared() == 1
    }

    /// Asked by anybody, of an object without owner.
    pub(crate) fn is_only_merged(&self) -> bool {
        // Acquire: pairs with the Release of those who dropped theirs, and with the merging.
        let word = Word(self.word.load(Ordering::Acquire));
        word.shared() == 1 && word.weak() <= 1
    }

    /// Asked by a thread that is not the owner, whoever holds that (B8). Yes means: no other
    /// reference, and none that is weak. No may also mean that somebody else has asked at the same
    /// time.
    pub(crate) fn probe(&self) -> bool {
        let before = Word(self.word.load(Ordering::Relaxed));
        if !before.is_untouched() {
            return false;
        }
        let (before, probed) = (before.0, before.0 | PROBED);
        // Acquire: pairs with the Release of whoever brought the word back to zero.
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
        // If this succeeds, nobody has dropped a shared reference since; and so nobody has had one.
        // All references were biased when the biased count was read.
        let ended =
            self.word
                .compare_exchange(probed, before, Ordering::Acquire, Ordering::Relaxed);
        if ended.is_err() {
            // Relaxed: the answer is no, and nothing is done on account of it.
            self.word.fetch_and(!(PROBED | SPOILED), Ordering::Relaxed);
        }
        ended.is_ok() && biased == 1
    }

    /// Takes the only strong reference of an object without owner: no weak one can be upgraded
    /// after. Whether it was the only one.
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

    /// Whether the owner's queue has a reference, or will have.
    pub(crate) fn is_queued(&self) -> bool {
        // Relaxed: for the owner, who looks into the queue then.
        Word(self.word.load(Ordering::Relaxed)).has(QUEUED)
    }

    /// Whether there is no owner any more.
    pub(crate) fn is_merged(&self) -> bool {
        // Acquire: pairs with the Release of the merging.
        Word(self.word.load(Ordering::Acquire)).has(MERGED)
    }

    // What can be told of the counts. Others change them meanwhile.

    /// References, without the one in a queue.
    pub(crate) fn strong(&self) -> usize {
        let word = Word(self.word.load(Ordering::Relaxed));
        let biased = i64::from(self.biased.load(Ordering::Relaxed));
        let queued = i64::from(word.has(QUEUED));
        usize::try_from(word.shared() + biased - queued).unwrap_or(0)
    }

    /// Weak references, without the one that stands for the strong ones.
    pub(crate) fn weak(&self) -> usize {
        let word = Word(self.word.load(Ordering::Relaxed));
        word.weak().saturating_sub(1) as usize
    }

    /// Whether a thread that is not the owner has counted.
    #[cfg(feature = "counters")]
    pub(crate) fn is_used(&self) -> bool {
        Word(self.word.load(Ordering::Relaxed)).has(word::USED)
    }

    /// Notes that a thread that is not the owner has counted. Whether it was the first.
    #[cfg(feature = "counters")]
    pub(crate) fn note_use(&self) -> bool {
        self.word.fetch_or(word::USED, Ordering::Relaxed) & word::USED == 0
    }
}

/// More references than can be counted: somebody forgets them in a loop.
#[cold]
#[inline(never)]
pub(crate) fn overflow() -> ! {
    // Not `eprintln`, which panics where nothing can be written, and the loop might go on after
    // that.
    let _ = writeln!(
        io::stderr(),
        "vivant-brc: more than {} references to one object; are they forgotten in a loop?",
        word::LIMIT
    );
    std::process::abort()
}
