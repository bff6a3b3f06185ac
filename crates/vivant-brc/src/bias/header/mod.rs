//! The header of an object: its owner, the biased count, and the shared word. Each step states
//! which thread may call it.
//!
//! Here are births, strong references and the merge. `weak` has the weak references, `uniqueness`
//! the checks of an only reference, `word` the bits of the shared word.

mod uniqueness;
mod weak;
mod word;

use crate::sync::{AtomicU32, AtomicU64, Ordering, fault, fence};
use std::io::{self, Write};
use word::{LIMIT, MERGED, PROBED, QUEUED, SHARED, WEAK, Word};

/// The owner id of an object that has no owner: it is merged.
pub(crate) const MERGED_OWNER: u32 = 0;

/// Counts of one object. Sixteen bytes, as the two counts of an `Arc`.
#[repr(C)]
pub(crate) struct Header {
    /// Id of the owner, or [`MERGED_OWNER`]. Only the holder of the owner's entry changes it.
    owner: AtomicU32,
    /// References that the owner made, less those it dropped (B2). At least one while there is an
    /// owner.
    biased: AtomicU32,
    /// Shared by all threads.
    word: AtomicU64,
}

/// Result of dropping a reference: what the dropping thread must do.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dropped {
    /// Nothing: there are others.
    Others,
    /// It was the last reference. The caller drops the value, then gives up the memory that the
    /// strong references hold together ([`Header::end`]).
    Last,
    /// As `Last`, and the object names another owner, which must be notified.
    Sole,
    /// The reference still counts. The caller pushes it to the owner's queue (B3).
    Queued,
}

/// Result of dropping a reference of the owner.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwnerDropped {
    /// It was not the owner's last.
    Others,
    /// It was the owner's last, so the object no longer names the owner.
    Unnamed(Dropped),
    /// As `Unnamed`, and the owner's queue has one more reference to the object.
    UnnamedQueued,
}

/// Result of merging a reference out of a queue.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QueuedMerge {
    /// The object was merged now, and no longer names the owner.
    Merged(Dropped),
    /// It had been merged before.
    AlreadyMerged(Dropped),
}

impl Header {
    /// One reference, in the biased count of `owner`.
    pub(crate) fn owned(owner: u32) -> Header {
        Header {
            owner: AtomicU32::new(owner),
            biased: AtomicU32::new(1),
            word: AtomicU64::new(Word::UNTOUCHED.0),
        }
    }

    /// One reference in the shared count, no owner: as an `Arc`.
    pub(crate) fn merged() -> Header {
        Header {
            owner: AtomicU32::new(MERGED_OWNER),
            biased: AtomicU32::new(0),
            word: AtomicU64::new(Word::BORN_MERGED.0),
        }
    }

    /// No reference, one weak one: an object that is being made. After [`Header::born`] the weak
    /// reference stands for all strong ones.
    pub(crate) fn unborn() -> Header {
        Header {
            owner: AtomicU32::new(MERGED_OWNER),
            biased: AtomicU32::new(0),
            word: AtomicU64::new(MERGED | WEAK),
        }
    }

    /// Ends the making: one reference, of `owner` or without owner. The caller has written the
    /// value before.
    pub(crate) fn born(&self, owner: u32) {
        // There is no reference yet. A thread that upgrades a weak one exchanges the whole word,
        // and retries if the word has changed. Release: pairs with the Acquire of an upgrade, which
        // reads the value.
        if owner == MERGED_OWNER {
            self.word.fetch_add(SHARED, Ordering::Release);
        } else {
            self.owner.store(owner, Ordering::Relaxed);
            self.biased.store(1, Ordering::Relaxed);
            let release = fault!(Ordering::Release, BornRelaxed => Ordering::Relaxed);
            self.word.fetch_and(!MERGED, release);
        }
    }

    /// Returns true if the biased count belongs to owner `current_id`.
    ///
    /// Relaxed: the answer is exact for the caller. If it is true, only the holder of `current_id`
    /// can change it, and that is the caller. An id is given again only after every object that
    /// named it has been merged, and the merge happened before.
    #[inline]
    pub(crate) fn is_owned_by(&self, current_id: u32) -> bool {
        self.owner.load(Ordering::Relaxed) == current_id
    }

    /// Increment by the owner's holder (B2). Returns false if the count is full; then nothing was
    /// done.
    #[inline]
    #[must_use]
    pub(crate) fn clone_owned(&self) -> bool {
        // Relaxed: no other thread changes it. For the reader in a probe see B8.
        let count = self.biased.load(Ordering::Relaxed);
        let fits = count < LIMIT;
        if fits {
            self.biased.store(count + 1, Ordering::Relaxed);
        }
        fits
    }

    /// Increment of the shared count, by any thread.
    #[inline]
    pub(crate) fn clone_shared(&self) {
        // Relaxed: the cloning thread has a reference, so the object cannot end meanwhile; the
        // channel that passes the new reference on orders the rest.
        let before = Word(self.word.fetch_add(SHARED, Ordering::Relaxed));
        if before.shared() >= i64::from(LIMIT) {
            overflow();
        }
    }

    /// Decrement by the owner's holder, if the owner has other references. Returns true if it has.
    #[inline]
    pub(crate) fn drop_one_of_many(&self) -> bool {
        let count = self.biased.load(Ordering::Relaxed) - 1;
        if count == 0 {
            return false;
        }
        // Release: pairs with the Acquire of a probe. The probing thread then changes the value
        // that the owner has read.
        let release = fault!(Ordering::Release, OwnersDropRelaxed => Ordering::Relaxed);
        self.biased.store(count, release);
        true
    }

    /// Decrement by the owner's holder.
    #[inline]
    pub(crate) fn drop_owned(&self) -> OwnerDropped {
        if self.drop_one_of_many() {
            return OwnerDropped::Others;
        }
        // Acquire: pairs with the Release of the threads that dropped their references. Their use
        // of the value happens before its end.
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

    /// Ends the ownership, by the owner's holder (B4), and drops `given` of the references. The
    /// second result is true if the queue has a reference.
    fn merge(&self, given: i64) -> (Dropped, bool) {
        // Before the exchange: after it any thread may free the object. Pairs with nothing: a
        // thread that reads the old owner sends the object to a queue, and that queue's holder sees
        // this store.
        let biased = self.biased.load(Ordering::Relaxed);
        self.biased.store(0, Ordering::Relaxed);
        fault!(self.owner.store(MERGED_OWNER, Ordering::Relaxed), ClearedLate => ());
        let mut before = Word(self.word.load(Ordering::Relaxed));
        loop {
            let after = before.merged(before.shared() + i64::from(biased) - given);
            // Release: the owner's use of the value happens before the end, which another thread
            // may bring about. Acquire: the other threads' use happens before the end, if this
            // exchange is the end.
            let order = fault!(
                Ordering::AcqRel,
                MergeAcquires => Ordering::Acquire,
                MergeReleases => Ordering::Release,
            );
            let exchanged =
                self.word
                    .compare_exchange_weak(before.0, after.0, order, Ordering::Relaxed);
            fault!(ClearedLate => if exchanged.is_ok() {
                self.owner.store(MERGED_OWNER, Ordering::Relaxed);
            });
            match exchanged {
                Ok(_) if after.shared() == 0 => return (Dropped::Last, false),
                Ok(_) => return (Dropped::Others, before.has(QUEUED)),
                Err(now) => before = Word(now),
            }
        }
    }

    /// Ends the ownership, by the owner's holder. The holder keeps its own reference, or a
    /// reference that another thread handed it.
    pub(crate) fn disown(&self) {
        let (left, _) = self.merge(0);
        debug_assert_eq!(left, Dropped::Others);
    }

    /// Decrement by any thread other than the owner's holder.
    #[inline]
    pub(crate) fn drop_shared(&self) -> Dropped {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        if before.is_untouched() && self.is_sole() {
            return Dropped::Sole;
        }
        while !before.has(MERGED) {
            // The shared count is zero, so this reference is not subtracted but handed over, once
            // (B3, B5).
            let hands_over = before.shared() == 0 && !before.has(QUEUED);
            let after = if hands_over {
                before.0 | QUEUED
            } else {
                before.0.wrapping_sub(SHARED)
            };
            // Spoils a probe that runs meanwhile (B8).
            let spoiled = (before.0 & PROBED) << 1;
            // Release: this thread's use of the value happens before its end. Pairs with the
            // Acquire of the last drop.
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

    /// Returns true if the reference that the caller is about to drop is the only one: then the
    /// caller ends the object (B8).
    #[inline]
    fn is_sole(&self) -> bool {
        // A load first: usually the owner has references too, and no probe is needed.
        self.biased.load(Ordering::Relaxed) == 1 && fault!(self.probe(), SoleByALook => true)
    }

    /// Decrement of an object without owner, as in `Arc`. If the owner is cleared but its merge is
    /// still to come, the merge counts the rest (B4).
    #[inline]
    pub(crate) fn drop_merged(&self) -> Dropped {
        // Release: this thread's use of the value happens before its end. Pairs with `acquire`
        // below.
        let before = Word(self.word.fetch_sub(SHARED, Ordering::Release));
        if before.shared() != 1 || fault!(!before.has(MERGED), LeavingIsMerged => false) {
            return Dropped::Others;
        }
        // Acquire: pairs with the Release of all threads that dropped their references, and with
        // the merge.
        fault!(self.acquire(), LastWithoutFence => ());
        Dropped::Last
    }

    /// Acquires all earlier releases of the word. The caller has just changed the word.
    #[inline]
    fn acquire(&self) {
        // The thread sanitizer does not support fences.
        if cfg!(vivant_no_fences) {
            self.word.load(Ordering::Acquire);
        } else {
            fence(Ordering::Acquire);
        }
    }

    /// The owner for a reference that [`Header::drop_shared`] handed over. [`MERGED_OWNER`] if the
    /// owner has merged since, or merges now.
    pub(crate) fn owner(&self) -> u32 {
        self.owner.load(Ordering::Relaxed)
    }

    /// Merges a reference out of the queue of `holder`, by its holder.
    pub(crate) fn merge_queued(&self, holder: u32) -> QueuedMerge {
        if self.is_owned_by(holder) {
            QueuedMerge::Merged(self.merge(1).0)
        } else {
            // B4: the object cannot have become another owner's.
            QueuedMerge::AlreadyMerged(self.drop_merged())
        }
    }

    /// Returns true if the owner's queue has a reference, or will have one.
    pub(crate) fn is_queued(&self) -> bool {
        // Relaxed: the caller is the owner, which then drains its queue under a lock.
        Word(self.word.load(Ordering::Relaxed)).has(QUEUED)
    }

    /// Returns true if there is no owner any more.
    pub(crate) fn is_merged(&self) -> bool {
        // Acquire: pairs with the Release of the merge.
        Word(self.word.load(Ordering::Acquire)).has(MERGED)
    }

    // Counts as numbers. Other threads change them meanwhile.

    /// References, without the one in a queue.
    pub(crate) fn strong(&self) -> usize {
        let word = Word(self.word.load(Ordering::Relaxed));
        let biased = i64::from(self.biased.load(Ordering::Relaxed));
        let queued = i64::from(word.has(QUEUED));
        usize::try_from(word.shared() + biased - queued).unwrap_or(0)
    }

    /// Weak references, without the extra one for all strong references.
    pub(crate) fn weak(&self) -> usize {
        let word = Word(self.word.load(Ordering::Relaxed));
        word.weak().saturating_sub(1) as usize
    }

    /// Returns true if a thread that is not the owner has counted.
    #[cfg(feature = "counters")]
    pub(crate) fn is_used(&self) -> bool {
        Word(self.word.load(Ordering::Relaxed)).has(word::USED)
    }

    /// Without statistics nothing is noted.
    #[cfg(not(feature = "counters"))]
    #[inline(always)]
    pub(crate) fn is_used(&self) -> bool {
        false
    }

    /// Without statistics nothing is noted.
    #[cfg(not(feature = "counters"))]
    #[inline(always)]
    pub(crate) fn note_use(&self) -> bool {
        false
    }

    /// Notes that a thread that is not the owner has counted. Returns true for the first call.
    #[cfg(feature = "counters")]
    pub(crate) fn note_use(&self) -> bool {
        self.word.fetch_or(word::USED, Ordering::Relaxed) & word::USED == 0
    }
}

/// Aborts: more references than can be counted, as when code forgets references in a loop.
#[cold]
#[inline(never)]
pub(crate) fn overflow() -> ! {
    // Not `eprintln`, which panics if nothing can be written: the loop might go on after a panic.
    let _ = writeln!(
        io::stderr(),
        "vivant-brc: more than {} references to one object; does a loop call `mem::forget`?",
        word::LIMIT
    );
    std::process::abort()
}
