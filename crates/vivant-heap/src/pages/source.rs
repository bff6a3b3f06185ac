//! The source: all chunks of a process or a system, of which heaps take runs of pages.

use super::chunk::{CHUNK, Chunk, HEAD, PAGE, PAGES, page_of};
use super::memory;
use super::page::{Kind, Run};
use crate::sync::{Mutex, MutexGuard, PoisonError};
use std::ptr::NonNull;

/// Pages that heaps can have of a chunk.
const USABLE: usize = PAGES - HEAD;

/// Where heaps have their pages from. Shared by all heaps that may give each other memory.
#[derive(Debug, Default)]
pub struct Source {
    inner: Mutex<Inner>,
}

/// What a source holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SourceStats {
    /// Chunks of a mebibyte that are mapped.
    pub chunks: usize,
    /// Pages of 4 KiB that heaps have.
    pub pages: usize,
}

#[derive(Debug, Default)]
struct Inner {
    chunks: Vec<Carved>,
    /// Pages that heaps have.
    taken: usize,
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

/// A chunk of which pages are given. More than one chunk long if it holds one object that is larger than a chunk.
#[derive(Debug)]
struct Carved {
    start: NonNull<Chunk>,
    chunks: usize,
    free: [u64; PAGES / 64],
    left: usize,
}

// SAFETY: a chunk belongs to its source; the pointers are used under the source's lock.
unsafe impl Send for Carved {}

impl Source {
    /// A source that has nothing yet.
    #[must_use]
    pub fn new() -> Source {
        Source::default()
    }

    /// A source that gives turns nothing more when heaps have so many pages: an allocation that needs some panics, and its turn is over.
    ///
    /// Collections may take more, because they give back more as a rule: so after such a turn the heap can be collected still. They exceed
    /// the bound by no more than what is alive in nurseries at that time, and a turn by a block of its nursery, which is 256 KiB at most.
    #[must_use]
    pub fn bounded(pages: usize) -> Source {
        Source::with(Limit::Turns(pages))
    }

    /// A source that has no more than so many pages for anybody, as a system that has no memory left: for tests of what happens then. A
    /// collection that gets none ends the process.
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
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No foreign code runs under this lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run of so many pages for a heap. None if there is no memory.
    pub(crate) fn take(&self, pages: usize, owner: u32, kind: Kind) -> Option<Run> {
        let mut inner = self.inner();
        let taken = inner.taken + pages;
        if let Limit::All(most) = inner.limit
            && taken > most
        {
            return None;
        }
        let start = inner.find(pages)?;
        inner.taken = taken;
        drop(inner);
        // A run that is longer than a chunk has descriptions for its first chunk only: it holds one object, at its start.
        for number in 0..pages.min(USABLE) {
            // SAFETY: pages of a mapped chunk that are nobody's but the caller's now.
            unsafe {
                let page = page_of(start.add(number * PAGE)).as_ptr();
                (*page).owner = owner;
                (*page).kind = kind;
                (*page).class = 0;
            }
        }
        // SAFETY: as above.
        let run = Run(unsafe { page_of(start) });
        // SAFETY: the run is the caller's.
        unsafe { run.page() }.pages = pages as u32;
        Some(run)
    }

    /// Takes a run back.
    ///
    /// # Safety
    ///
    /// It came from `take` of this source, and nobody uses it.
    pub(crate) unsafe fn give(&self, run: Run) {
        // SAFETY: the run is the caller's, until the lock is left.
        let pages = unsafe { run.page() }.pages as usize;
        let start = run.start();
        for number in 0..pages.min(USABLE) {
            // SAFETY: as above.
            unsafe {
                let page = page_of(start.add(number * PAGE)).as_ptr();
                (*page).owner = 0;
                (*page).kind = Kind::Free;
            }
        }
        let mut inner = self.inner();
        inner.taken -= pages;
        inner.put_back(start, pages);
    }

    /// Gives memory that no heap uses back to the system. How many bytes.
    pub fn trim(&self) -> usize {
        let mut inner = self.inner();
        inner.chunks.iter_mut().map(Carved::trim).sum()
    }
}

impl Inner {
    fn find(&mut self, pages: usize) -> Option<NonNull<u8>> {
        if pages > USABLE {
            let chunks = (HEAD + pages).div_ceil(PAGES);
            let mut carved = Carved::map(chunks)?;
            // All of it is taken.
            carved.left = 0;
            carved.free = [0; PAGES / 64];
            let start = carved.page(HEAD);
            self.chunks.push(carved);
            return Some(start);
        }
        let roomy = |carved: &&mut Carved| carved.left >= pages;
        for carved in self.chunks.iter_mut().filter(roomy) {
            if let Some(start) = carved.take(pages) {
                return Some(start);
            }
        }
        let mut carved = Carved::map(1)?;
        let start = carved.take(pages);
        self.chunks.push(carved);
        start
    }

    fn put_back(&mut self, start: NonNull<u8>, pages: usize) {
        let of = |carved: &Carved| carved.holds(start);
        let Some(place) = self.chunks.iter().position(of) else {
            return;
        };
        let carved = &mut self.chunks[place];
        if carved.chunks > 1 {
            // It held this one object.
            drop(self.chunks.swap_remove(place));
        } else {
            let first = (start.addr().get() & (CHUNK - 1)) / PAGE;
            for number in first..first + pages {
                carved.free[number / 64] |= 1 << (number % 64);
            }
            carved.left += pages;
            if carved.left == USABLE {
                carved.trim();
            }
        }
    }
}

impl Carved {
    fn map(chunks: usize) -> Option<Carved> {
        let start = memory::map(chunks)?.cast();
        let mut free = [0; PAGES / 64];
        for number in HEAD..PAGES {
            free[number / 64] |= 1 << (number % 64);
        }
        Some(Carved {
            start,
            chunks,
            free,
            left: USABLE,
        })
    }

    fn holds(&self, pointer: NonNull<u8>) -> bool {
        let offset = pointer.addr().get().wrapping_sub(self.start.addr().get());
        offset < self.chunks * CHUNK
    }

    fn page(&self, number: usize) -> NonNull<u8> {
        // SAFETY: within the mapping.
        unsafe { self.start.cast::<u8>().add(number * PAGE) }
    }

    fn is_free(&self, number: usize) -> bool {
        self.free[number / 64] >> (number % 64) & 1 == 1
    }

    /// The first run that is long enough.
    fn take(&mut self, pages: usize) -> Option<NonNull<u8>> {
        let mut length = 0;
        for number in HEAD..PAGES {
            length = if self.is_free(number) { length + 1 } else { 0 };
            if length == pages {
                let first = number + 1 - pages;
                for taken in first..=number {
                    self.free[taken / 64] &= !(1 << (taken % 64));
                }
                self.left -= pages;
                return Some(self.page(first));
            }
        }
        None
    }

    fn trim(&mut self) -> usize {
        let (mut bytes, mut length) = (0, 0);
        for number in HEAD..=PAGES {
            if number < PAGES && self.is_free(number) {
                length += PAGE;
                continue;
            }
            if length != 0 {
                // SAFETY: nobody has these pages, which lie before this one.
                unsafe { memory::discard(self.page(number - length / PAGE), length) };
                bytes += length;
                length = 0;
            }
        }
        bytes
    }
}

impl Drop for Carved {
    fn drop(&mut self) {
        // SAFETY: mapped with so many chunks. The source goes last: heaps hold it. Or the one object in it is gone.
        unsafe { memory::unmap(self.start.cast(), self.chunks) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_do_not_overlap_and_come_back() {
        let source = Source::new();
        let lengths = [1, 3, 8, 1, 200, 2, 700];
        let runs: Vec<Run> = lengths
            .iter()
            .map(|&pages| source.take(pages, 7, Kind::Cells).unwrap())
            .collect();
        let mut spans: Vec<_> = runs
            .iter()
            .zip(lengths)
            .map(|(run, pages)| (run.start().addr().get(), pages * PAGE))
            .collect();
        spans.sort_unstable();
        assert!(spans.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0));
        assert_eq!(source.stats().pages, lengths.iter().sum());
        for run in runs {
            // SAFETY: taken above, not used any more.
            unsafe { source.give(run) };
        }
        assert_eq!(source.stats().pages, 0);
    }

    #[test]
    fn trimming_spares_what_is_taken() {
        let source = Source::new();
        let runs = [1, 2, USABLE + 1].map(|pages| source.take(pages, 7, Kind::Large).unwrap());
        // SAFETY: the runs are ours.
        unsafe {
            runs.iter().for_each(|run| run.start().write(5));
            source.trim();
            assert!(runs.iter().all(|run| run.start().read() == 5));
            runs.into_iter().for_each(|run| source.give(run));
        }
        assert!(source.stats().chunks <= 1);
    }

    #[test]
    fn a_bound_is_kept() {
        let source = Source::exhausted_at(2);
        assert!(source.take(2, 1, Kind::Nursery).is_some());
        assert!(source.take(1, 1, Kind::Nursery).is_none());
        let source = Source::bounded(2);
        assert!(source.allows(2) && !source.allows(3));
        assert!(source.take(2, 1, Kind::Nursery).is_some());
        assert!(!source.allows(1));
        assert!(source.take(1, 1, Kind::Nursery).is_some());
    }
}
