//! `header.rs` once more, with a bug of one's choice.
use super::flaw::{Flaw, is, or};
use super::word::{self, LIMIT, MERGED, PROBED, QUEUED, SHARED, SPOILED, WEAK, WEAK_LIMIT, Word};
use crate::sync::{AtomicU32, AtomicU64, Ordering, fence};
use std::io::{self, Write};

pub(crate) const NOBODY: u32 = 0;

#[repr(C)]
pub(crate) struct Header {
    owner: AtomicU32,
    biased: AtomicU32,
    word: AtomicU64,
}

#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dropped {
    Others,
    Last,
    Sole,
    Queued,
}

#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwnerDropped {
    Others,
    Unnamed(Dropped),
    UnnamedQueued,
}

#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Settled {
    Merged(Dropped),
    Before(Dropped),
}

impl Header {
    pub(crate) fn owned(owner: u32) -> Header {
        Header {
            owner: AtomicU32::new(owner),
            biased: AtomicU32::new(1),
            word: AtomicU64::new(Word::UNTOUCHED.0),
        }
    }

    pub(crate) fn merged() -> Header {
        Header {
            owner: AtomicU32::new(NOBODY),
            biased: AtomicU32::new(0),
            word: AtomicU64::new(Word::BORN_MERGED.0),
        }
    }

    pub(crate) fn unborn() -> Header {
        Header {
            owner: AtomicU32::new(NOBODY),
            biased: AtomicU32::new(0),
            word: AtomicU64::new(MERGED | WEAK),
        }
    }

    pub(crate) fn born(&self, owner: u32) {
        if owner == NOBODY {
            self.word.fetch_add(SHARED, Ordering::Release);
        } else {
            self.owner.store(owner, Ordering::Relaxed);
            self.biased.store(1, Ordering::Relaxed);
            self.word
                .fetch_and(!MERGED, or(Flaw::BornRelaxed, Ordering::Release));
        }
    }

    #[inline]
    pub(crate) fn is_owned_by(&self, me: u32) -> bool {
        self.owner.load(Ordering::Relaxed) == me
    }

    #[inline]
    pub(crate) fn clone_owned(&self) -> bool {
        let count = self.biased.load(Ordering::Relaxed);
        let fits = count < LIMIT;
        if fits {
            self.biased.store(count + 1, Ordering::Relaxed);
        }
        fits
    }

    #[inline]
    pub(crate) fn clone_shared(&self) {
        let before = Word(self.word.fetch_add(SHARED, Ordering::Relaxed));
        if before.shared() >= i64::from(LIMIT) {
            overflow();
        }
    }

    #[inline]
    pub(crate) fn drop_one_of_many(&self) -> bool {
        let count = self.biased.load(Ordering::Relaxed) - 1;
        if count == 0 {
            return false;
        }
        self.biased
            .store(count, or(Flaw::OwnersDropRelaxed, Ordering::Release));
        true
    }

    #[inline]
    pub(crate) fn drop_owned(&self) -> OwnerDropped {
        if self.drop_one_of_many() {
            return OwnerDropped::Others;
        }
        let word = Word(self.word.load(or(Flaw::LastLookRelaxed, Ordering::Acquire)));
        let ends_with_weak = is(Flaw::QuickEndWithWeak) && word.shared() == 0;
        if word == Word::UNTOUCHED || ends_with_weak {
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

    fn merge(&self, given: i64) -> (Dropped, bool) {
        let biased = self.biased.load(Ordering::Relaxed);
        self.biased.store(0, Ordering::Relaxed);
        if !is(Flaw::ClearedLate) {
            self.owner.store(NOBODY, Ordering::Relaxed);
        }
        let mut before = Word(self.word.load(Ordering::Relaxed));
        loop {
            let after = before.merged(before.shared() + i64::from(biased) - given);
            let exchanged = self.word.compare_exchange_weak(
                before.0,
                after.0,
                match () {
                    () if is(Flaw::MergeReleases) => Ordering::Release,
                    () => or(Flaw::MergeAcquires, Ordering::AcqRel),
                },
                Ordering::Relaxed,
            );
            if is(Flaw::ClearedLate) && exchanged.is_ok() {
                self.owner.store(NOBODY, Ordering::Relaxed);
            }
            match exchanged {
                Ok(_) if after.shared() == 0 => return (Dropped::Last, false),
                Ok(_) => return (Dropped::Others, before.has(QUEUED)),
                Err(now) => before = Word(now),
            }
        }
    }

    pub(crate) fn disown(&self) {
        let (left, _) = self.merge(0);
        debug_assert_eq!(left, Dropped::Others);
    }

    #[inline]
    pub(crate) fn drop_shared(&self) -> Dropped {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        if before.is_untouched() && self.is_sole() {
            return Dropped::Sole;
        }
        while !before.has(MERGED) {
            let hands_over = before.shared() == 0 && !before.has(QUEUED);
            let after = if hands_over {
                before.0 | QUEUED
            } else {
                before.0.wrapping_sub(SHARED)
            };
            let spoiled = if is(Flaw::DropsKeepTheFlag) || is(Flaw::ProbesAtOnce) {
                0
            } else {
                (before.0 & PROBED) << 1
            };
            let after = if is(Flaw::ProbesAtOnce) {
                after & !PROBED
            } else {
                after
            };
            match self.word.compare_exchange_weak(
                before.0,
                after | spoiled,
                or(Flaw::SharedDropRelaxed, Ordering::Release),
                Ordering::Relaxed,
            ) {
                Ok(_) if hands_over => return Dropped::Queued,
                Ok(_) => return Dropped::Others,
                Err(now) => before = Word(now),
            }
        }
        self.drop_merged()
    }

    #[inline]
    fn is_sole(&self) -> bool {
        self.biased.load(Ordering::Relaxed) == 1 && (is(Flaw::SoleByALook) || self.probe())
    }

    #[inline]
    pub(crate) fn drop_merged(&self) -> Dropped {
        let before = Word(self.word.fetch_sub(SHARED, Ordering::Release));
        let is_merged = before.has(MERGED) || is(Flaw::LeavingIsMerged);
        if before.shared() != 1 || !is_merged {
            return Dropped::Others;
        }
        if !is(Flaw::LastWithoutFence) {
            self.acquire();
        }
        Dropped::Last
    }

    #[inline]
    fn acquire(&self) {
        if cfg!(vivant_no_fences) {
            self.word.load(Ordering::Acquire);
        } else {
            fence(Ordering::Acquire);
        }
    }

    pub(crate) fn owner(&self) -> u32 {
        self.owner.load(Ordering::Relaxed)
    }

    pub(crate) fn settle(&self, holder: u32) -> Settled {
        if self.is_owned_by(holder) {
            Settled::Merged(self.merge(1).0)
        } else {
            Settled::Before(self.drop_merged())
        }
    }

    pub(crate) fn clone_weak(&self) {
        let mut before = Word(self.word.load(Ordering::Relaxed));
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
        if Word(self.word.fetch_add(WEAK, Ordering::Relaxed)).weak() >= WEAK_LIMIT {
            overflow();
        }
    }

    pub(crate) fn drop_weak(&self) -> bool {
        if Word(self.word.fetch_sub(WEAK, Ordering::Release)).weak() != 1 {
            return false;
        }
        self.acquire();
        true
    }

    pub(crate) fn end(&self) -> bool {
        let weak = Word(self.word.load(Ordering::Acquire)).weak();
        weak <= 1 || self.drop_weak()
    }

    pub(crate) fn upgrade_shared(&self) -> bool {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        loop {
            if before.has(MERGED) && before.shared() == 0 && !is(Flaw::UpgradeOfMerged) {
                return false;
            }
            if before.shared() >= i64::from(LIMIT) {
                overflow();
            }
            match self.word.compare_exchange_weak(
                before.0,
                before.0.wrapping_add(SHARED),
                or(Flaw::UpgradeRelaxed, Ordering::Acquire),
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => before = Word(now),
            }
        }
    }

    pub(crate) fn is_only_owned(&self) -> bool {
        let word = Word(self.word.load(Ordering::Acquire));
        self.is_one(word) && word.weak() <= 1
    }

    pub(crate) fn is_last_owned(&self) -> bool {
        self.is_one(Word(self.word.load(Ordering::Acquire)))
    }

    fn is_one(&self, word: Word) -> bool {
        i64::from(self.biased.load(Ordering::Relaxed)) + word.shared() == 1
    }

    pub(crate) fn is_only_merged(&self) -> bool {
        let word = Word(self.word.load(Ordering::Acquire));
        word.shared() == 1 && word.weak() <= 1
    }

    #[cold]
    pub(crate) fn probe(&self) -> bool {
        let before = Word(self.word.load(Ordering::Relaxed));
        if !before.is_untouched() {
            return false;
        }
        let (before, probed) = (before.0, before.0 | PROBED);
        let began =
            self.word
                .compare_exchange(before, probed, Ordering::Acquire, Ordering::Relaxed);
        if began.is_err() {
            return false;
        }
        let biased = self.biased.load(Ordering::Acquire);
        if is(Flaw::ProbeOnce) {
            self.word.fetch_and(!PROBED, Ordering::Acquire);
            return biased == 1;
        }
        let ended =
            self.word
                .compare_exchange(probed, before, Ordering::Acquire, Ordering::Relaxed);
        if ended.is_err() {
            self.word.fetch_and(!(PROBED | SPOILED), Ordering::Relaxed);
        }
        ended.is_ok() && biased == 1
    }

    pub(crate) fn take_last(&self) -> bool {
        let mut before = Word(self.word.load(Ordering::Relaxed));
        loop {
            if before.shared() != 1 {
                return false;
            }
            let after = before.merged(0);
            if is(Flaw::TakeByALook) {
                self.word.store(after.0, Ordering::Release);
                return true;
            }
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

    pub(crate) fn is_queued(&self) -> bool {
        Word(self.word.load(Ordering::Relaxed)).has(QUEUED)
    }

    pub(crate) fn is_merged(&self) -> bool {
        Word(self.word.load(Ordering::Acquire)).has(MERGED)
    }
}

#[cold]
#[inline(never)]
pub(crate) fn overflow() -> ! {
    let _ = writeln!(
        io::stderr(),
        "vivant-brc: more than {} references to one object; are they forgotten in a loop?",
        word::LIMIT
    );
    std::process::abort()
}
