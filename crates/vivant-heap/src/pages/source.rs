//! The source: all chunks of a process or a system, of which heaps take runs of pages.

use super::carved::{Carved, USABLE};
use super::chunk::{HEAD, PAGE, PAGES, page_of, set_ages, set_owner};
use super::mapped::Mapped;
use super::memory::Mapping;
use super::page::{Age, Kind, Run};
use super::ready::Ready;
use crate::orca::Owner;
use crate::sync::{Mutex, MutexGuard, PoisonError};
use std::ptr::NonNull;

/// Where heaps have their pages from. Shared by all heaps that may give each other memory.
///
/// Memory that heaps give back stays with the source for the next ones, up to a bound: 8 MiB, or a
/// quarter of what heaps have. What is more goes back to the system by and by (H12).
#[derive(Debug, Default)]
pub struct Source {
    inner: Mutex<Inner>,
    /// Whether the next new chunk has its memory.
    pub(super) ready: Ready,
}

/// What a source holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SourceStats {
    /// Chunks of a mebibyte that are mapped.
    pub chunks: usize,
    /// Pages of 4 KiB that heaps have.
    pub pages: usize,
    /// Pages that heaps had and the source has kept for others: of these the system has not got the
    /// memory back.
    pub kept: usize,
}

#[derive(Debug, Default)]
struct Inner {
    /// By the number that each has in its head.
    chunks: Vec<Carved>,
    /// No fewer pages than the longest free run of each chunk has, in a list of bytes that is
    /// searched fast.
    room: Vec<u8>,
    /// Chunks before this one have no room.
    first: usize,
    mapped: Mapped,
    /// Pages that heaps have.
    taken: usize,
    /// Free pages whose memory the system has not got back, and the chunk where it is next given
    /// some.
    kept: usize,
    trims: usize,
    limit: Limit,
}

/// What is refused.
#[derive(Clone, Copy, Debug, Default)]
enum Limit {
    /// Nothing, as long as the system has memory.
    #[default]
    System,
    /// What turns ask for beyond so many pages.
    Turns(usize),
    /// Everything beyond so many pages.
    All(usize),
}

/// Free pages that are always kept.
const KEPT: usize = 2048;

/// Pages that are taken back under one lock, and the longest run more: the system may have to take
/// as many, some 100 microseconds.
const BATCH: usize = 256;

impl Source {
    /// A source that has nothing yet.
    #[must_use]
    pub fn new() -> Source {
        Source::default()
    }

    /// A source that gives turns nothing more when heaps have so many pages: an allocation that
    /// needs some panics, and its turn is over.
    ///
    /// Collections may take more, because they give back more as a rule: so after such a turn the
    /// heap can be collected still. They exceed the bound by no more than what is alive in
    /// nurseries at that time, and a turn by a block of its nursery, which is 256 KiB at most.
    #[must_use]
    pub fn bounded(pages: usize) -> Source {
        Source::with(Limit::Turns(pages))
    }

    /// A source that has no more than so many pages for anybody, as a system that has no memory
    /// left: for tests of what happens then. A collection that gets none ends the process.
    #[must_use]
    pub fn exhausted_at(pages: usize) -> Source {
        Source::with(Limit::All(pages))
    }

    fn with(limit: Limit) -> Source {
        let source = Source::new();
        source.inner().limit = limit;
        source
    }

    /// Whether a turn may have so many pages more.
    pub(crate) fn allows(&self, pages: usize) -> bool {
        let inner = self.inner();
        match inner.limit {
            Limit::System | Limit::All(_) => true,
            Limit::Turns(most) => inner.taken + pages <= most,
        }
    }

    /// What it holds now.
    pub fn stats(&self) -> SourceStats {
        let inner = self.inner();
        SourceStats {
            chunks: inner.chunks.iter().map(|carved| carved.chunks).sum(),
            pages: inner.taken,
            kept: inner.kept,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No foreign code runs under this lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run of so many pages for a heap. None if there is no memory.
    pub(crate) fn take(&self, pages: usize, owner: NonNull<Owner>, kind: Kind) -> Option<Run> {
        let described = u32::try_from(pages).ok()?;
        let mut inner = self.inner();
        let taken = inner.taken + pages;
        if let Limit::All(most) = inner.limit
            && taken > most
        {
            return None;
        }
        let chunks = inner.chunks.len();
        let start = inner.find(pages)?;
        inner.taken = taken;
        let now = inner.chunks.len();
        let is_missing = now != chunks && inner.mapped.lacks(now);
        drop(inner);
        if is_missing {
            self.ready.is_missing();
        }
        // A run that is longer than a chunk has descriptions for its first chunk only: it holds one
        // object, at its start. SAFETY: pages of a mapped chunk that are nobody's but the caller's
        // now.
        unsafe { describe(start, pages, Some(owner), kind) };
        // SAFETY: as above.
        let run = Run(unsafe { page_of(start) });
        // SAFETY: the run is the caller's.
        unsafe { run.page() }.pages = described;
        Some(run)
    }

    /// Has the system give some of the memory that will be taken next, where it gives a lot at a
    /// time: a turn need not wait for that then. If more is missing, that is told again. Takes 5 ms
    /// on a virtual machine that has never used the memory.
    #[cold]
    pub fn prepare(&self) {
        let mut inner = self.inner();
        self.ready.is_seen_to();
        if !inner.mapped.lacks(inner.chunks.len()) {
            return;
        }
        let Some(mut unit) = inner.mapped.next_untouched() else {
            return;
        };
        drop(inner);
        unit.touch();
        let mut inner = self.inner();
        inner.mapped.is_touched(unit);
        let is_missing = inner.mapped.lacks(inner.chunks.len());
        drop(inner);
        if is_missing {
            self.ready.is_missing();
        }
    }

    /// Takes runs back.
    ///
    /// # Safety
    ///
    /// They came from `take` of this source, and nobody uses them.
    pub(crate) unsafe fn give(&self, runs: impl IntoIterator<Item = Run>) {
        let mut runs = runs.into_iter().peekable();
        while runs.peek().is_some() {
            let mut gone = Vec::new();
            let (mut inner, mut given) = (self.inner(), 0);
            while let Some(run) = runs.next_if(|_| given < BATCH) {
                // SAFETY: the run is the caller's, until the lock is left.
                let pages = unsafe { run.page() }.pages as usize;
                let start = run.start();
                // SAFETY: as above.
                unsafe {
                    describe(start, pages, None, Kind::Free);
                    set_ages(start, pages.min(USABLE), Age::Old);
                }
                (inner.taken, given) = (inner.taken - pages, given + pages);
                gone.extend(inner.put_back(start, pages));
            }
            while inner.kept > KEPT.max(inner.taken / 4) {
                inner.trim_one();
            }
        }
    }

    /// Gives all memory that no heap uses back to the system. How many bytes.
    pub fn trim(&self) -> usize {
        let mut inner = self.inner();
        inner.kept = 0;
        inner.chunks.iter_mut().map(Carved::trim).sum::<usize>() * PAGE
    }
}

/// Says whose pages are.
///
/// # Safety
///
/// They are the caller's, and a run.
unsafe fn describe(start: NonNull<u8>, pages: usize, owner: Option<NonNull<Owner>>, kind: Kind) {
    // SAFETY: the caller's; of a run that is longer than a chunk only the pages of the first one
    // are described.
    unsafe {
        let first = page_of(start);
        for number in 0..pages.min(USABLE) {
            (*first.add(number).as_ptr()).kind = kind;
            set_owner(start.add(number * PAGE), owner);
        }
    }
}

impl Inner {
    fn find(&mut self, pages: usize) -> Option<NonNull<u8>> {
        if pages > USABLE {
            return self.find_huge(pages);
        }
        self.skip_full();
        let mut from = self.first;
        while let Some(place) = self.room[from..]
            .iter()
            .position(|&room| room as usize >= pages)
        {
            let number = from + place;
            if let Some((start, kept)) = self.chunks[number].take(pages) {
                self.kept -= kept;
                return Some(start);
            }
            // It was less than it was taken for.
            self.room[number] = pages as u8 - 1;
            from = number + 1;
        }
        let start = self.mapped.carve()?;
        let mut carved = Carved::new(start, 1, self.chunks.len());
        let (start, _) = carved.take(pages)?;
        self.room.push(carved.left() as u8);
        self.chunks.push(carved);
        Some(start)
    }

    fn skip_full(&mut self) {
        let full = self.room[self.first..]
            .iter()
            .take_while(|&&room| room == 0);
        self.first += full.count();
    }

    fn find_huge(&mut self, pages: usize) -> Option<NonNull<u8>> {
        let mapping = Mapping::new((HEAD + pages).div_ceil(PAGES))?;
        let mut carved = Carved::new(mapping.chunk(0), mapping.chunks(), self.chunks.len());
        let start = carved.take_all();
        carved.mapping = Some(mapping);
        self.room.push(0);
        self.chunks.push(carved);
        Some(start)
    }

    /// What held this one object alone is the caller's to drop, without the lock: unmapping takes
    /// long.
    fn put_back(&mut self, start: NonNull<u8>, pages: usize) -> Option<Carved> {
        // SAFETY: a run of this source, which is locked.
        let number = unsafe { Carved::number_of(start) };
        self.first = self.first.min(number);
        let carved = &mut self.chunks[number];
        if carved.chunks == 1 {
            carved.put_back(start, pages);
            self.room[number] = carved.left() as u8;
            self.kept += pages;
            return None;
        }
        let gone = self.chunks.swap_remove(number);
        self.room.swap_remove(number);
        let moved = self.chunks.get(number).into_iter();
        moved.for_each(|moved| moved.set_number(number));
        Some(gone)
    }

    /// Gives back what one chunk has kept, of those that have something.
    fn trim_one(&mut self) {
        for _ in 0..self.chunks.len() {
            self.trims = (self.trims + 1) % self.chunks.len();
            let pages = self.chunks[self.trims].trim();
            self.kept -= pages;
            if pages != 0 {
                return;
            }
        }
        debug_assert_eq!(self.kept, 0, "kept pages are counted wrongly");
        self.kept = 0;
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
