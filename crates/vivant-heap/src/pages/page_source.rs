//! The source: the page pool of a process or a system, from which heaps take spans of pages.

use super::chunk::{HEAD, Owner, PAGE, PAGES, page_of, set_ages, set_owner};
use super::mapped::Mapped;
use super::memory::Mapping;
use super::page::{Age, PageKind, Span};
use super::phases::Phases;
use super::prefault::Prefault;
use super::span_bitmap::{SpanBitmap, USABLE};
use crate::sync::{Arc, AtomicU64, Mutex, MutexGuard, OnceLock, Ordering, PoisonError};
use std::ptr::NonNull;

/// The page pool. All heaps that may give each other memory share one.
///
/// Memory that heaps give back stays with the source for other heaps, up to a bound: 8 MiB, or a
/// quarter of what heaps have. The rest goes back to the system gradually.
#[derive(Debug, Default)]
pub struct PageSource {
    inner: Mutex<Inner>,
    /// Whether the next new chunk is committed.
    pub(super) prefault: Prefault,
    /// The number of the next heap.
    next_heap: AtomicU64,
    /// Which source of the process it is.
    id: SourceId,
    /// The phases of the system with these heaps.
    phases: OnceLock<Arc<dyn Phases>>,
}

/// Names a source among those of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SourceId(u64);

impl Default for SourceId {
    fn default() -> SourceId {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Relaxed: only the number matters.
        SourceId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// How much memory a source holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PageSourceStats {
    /// Chunks of a mebibyte that are mapped.
    pub chunks: usize,
    /// Pages of 4 KiB that heaps have.
    pub pages: usize,
    /// Pages that heaps gave back and the source keeps for other heaps. Their memory was not given
    /// back to the system.
    pub kept: usize,
}

#[derive(Debug, Default)]
struct Inner {
    /// Indexed by the number in each chunk's head.
    chunks: Vec<SpanBitmap>,
    /// For each chunk, an upper bound of its longest free span in pages. It is a list of bytes
    /// because that is searched fast.
    room: Vec<u8>,
    /// Chunks before this one have no free page.
    first: usize,
    mapped: Mapped,
    /// The number of pages that heaps have.
    taken: usize,
    /// The number of free pages that are kept: their memory was not given back to the system.
    /// `trims` is the chunk from which kept pages are given back next.
    kept: usize,
    trims: usize,
    limit: Limit,
}

/// Which requests for pages are refused.
#[derive(Clone, Copy, Debug, Default)]
enum Limit {
    /// None, as long as the system has memory.
    #[default]
    System,
    /// Requests of turns beyond this number of pages.
    Turns(usize),
    /// All requests beyond this number of pages.
    All(usize),
}

/// The number of free pages that are always kept.
const KEPT: usize = 2048;

/// The number of pages, plus at most one longest span, that are given back under one lock. The
/// system may have to take back as many, which takes some 100 microseconds.
const BATCH: usize = 256;

impl PageSource {
    /// Creates an empty source.
    #[must_use]
    pub fn new() -> PageSource {
        PageSource::default()
    }

    /// Creates a source that refuses a turn more memory when heaps have `pages` pages: an
    /// allocation that needs a page panics, which ends its turn.
    ///
    /// Collections may take more, because as a rule they give more back; so the heap can still be
    /// collected after such a turn. They exceed the bound by no more than what is live in nurseries
    /// at that time. A turn exceeds it by at most one chunk of its nursery, which is 256 KiB at
    /// most.
    #[must_use]
    pub fn bounded(pages: usize) -> PageSource {
        PageSource::with(Limit::Turns(pages))
    }

    /// Creates a source that never has more than `pages` pages, like a system without memory: for
    /// tests of allocation failure. A collection that gets no page ends the process.
    #[must_use]
    pub fn exhausted_at(pages: usize) -> PageSource {
        PageSource::with(Limit::All(pages))
    }

    fn with(limit: Limit) -> PageSource {
        let source = PageSource::new();
        source.inner().limit = limit;
        source
    }

    /// Takes a number for a heap. Heaps of the source are numbered in the order in which they
    /// begin, and no number is used again.
    pub(crate) fn next_heap(&self) -> u64 {
        // Relaxed: only the number matters.
        self.next_heap.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn id(&self) -> SourceId {
        self.id
    }

    /// The number that the next heap gets.
    #[must_use]
    pub fn heap_number(&self) -> u64 {
        // Relaxed: only the number matters.
        self.next_heap.load(Ordering::Relaxed)
    }

    /// Its heaps are those of a system with these phases. Set once, before the first heap.
    pub fn set_phases(&self, phases: Arc<dyn Phases>) {
        // A system that has phases keeps them.
        let _first = self.phases.set(phases);
    }

    /// The present phase, if there are phases.
    #[inline]
    pub(crate) fn phase(&self) -> Option<u64> {
        self.phases.get().map(|phases| phases.phase())
    }

    /// Heaps get numbers from `next` on. For a source of which heaps are
    /// [restored](crate::RestoredHeaps) with the numbers that they had.
    pub fn number_heaps_from(&self, next: u64) {
        // Relaxed: only the number matters.
        self.next_heap.fetch_max(next, Ordering::Relaxed);
    }

    /// Whether a turn may take `pages` pages more.
    pub(crate) fn allows(&self, pages: usize) -> bool {
        let inner = self.inner();
        match inner.limit {
            Limit::System | Limit::All(_) => true,
            Limit::Turns(most) => inner.taken + pages <= most,
        }
    }

    /// Returns what the source holds now.
    pub fn stats(&self) -> PageSourceStats {
        let inner = self.inner();
        PageSourceStats {
            chunks: inner.chunks.iter().map(|bitmap| bitmap.chunks).sum(),
            pages: inner.taken,
            kept: inner.kept,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No foreign code runs under this lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a span of `pages` pages for a heap. Returns `None` if there is no memory.
    pub(crate) fn take(&self, pages: usize, owner: NonNull<Owner>, kind: PageKind) -> Option<Span> {
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
        let request = now != chunks && inner.mapped.needs_prefault(now);
        drop(inner);
        if request {
            self.prefault.request();
        }
        // A span that is longer than a chunk has descriptions for its first chunk only: it holds
        // one object, at its start.
        // SAFETY: the pages belong to a mapped chunk and, from now on, to the caller alone.
        unsafe { describe(start, pages, Some(owner), kind) };
        // SAFETY: `start` points into a mapped chunk, with the provenance of the whole chunk.
        let span = Span(unsafe { page_of(start) });
        // SAFETY: the caller owns the span.
        unsafe { span.page() }.pages = described;
        Some(span)
    }

    /// Commits some of the memory that is taken next, where the system commits several chunks at a
    /// time. A turn then does not wait for it. If more is lacking, the waker is woken again. Takes
    /// 5 ms on a virtual machine that has never used the memory.
    #[cold]
    pub fn prefault(&self) {
        let mut inner = self.inner();
        self.prefault.fulfil();
        if !inner.mapped.needs_prefault(inner.chunks.len()) {
            return;
        }
        let Some(mut unit) = inner.mapped.next_untouched() else {
            return;
        };
        drop(inner);
        unit.touch();
        let mut inner = self.inner();
        inner.mapped.record_touched(unit);
        let request = inner.mapped.needs_prefault(inner.chunks.len());
        drop(inner);
        if request {
            self.prefault.request();
        }
    }

    /// Takes spans back.
    ///
    /// # Safety
    ///
    /// They came from `take` of this source, and are no longer used.
    pub(crate) unsafe fn give(&self, spans: impl IntoIterator<Item = Span>) {
        let mut spans = spans.into_iter().peekable();
        while spans.peek().is_some() {
            let mut gone = Vec::new();
            let (mut inner, mut given) = (self.inner(), 0);
            while let Some(span) = spans.next_if(|_| given < BATCH) {
                // SAFETY: the caller owns the span until the lock is released.
                let pages = unsafe { span.page() }.pages as usize;
                let start = span.start();
                // SAFETY: the caller owns these pages, which are a span.
                unsafe {
                    describe(start, pages, None, PageKind::Free);
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

    /// Gives all memory that no heap uses back to the system. Returns the number of bytes.
    pub fn trim(&self) -> usize {
        let mut inner = self.inner();
        inner.kept = 0;
        inner.chunks.iter_mut().map(SpanBitmap::trim).sum::<usize>() * PAGE
    }
}

/// Writes kind and owner of each page of a span.
///
/// # Safety
///
/// The caller owns the pages, and they are one span.
unsafe fn describe(
    start: NonNull<u8>,
    pages: usize,
    owner: Option<NonNull<Owner>>,
    kind: PageKind,
) {
    // SAFETY: guaranteed by the caller; of a span that is longer than a chunk only the pages of the
    // first chunk are described.
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
            // The bound in `room` was too high.
            self.room[number] = pages as u8 - 1;
            from = number + 1;
        }
        let start = self.mapped.take_chunk()?;
        let mut bitmap = SpanBitmap::new(start, 1, self.chunks.len());
        let (start, _) = bitmap.take(pages)?;
        self.room.push(bitmap.left() as u8);
        self.chunks.push(bitmap);
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
        let mut bitmap = SpanBitmap::new(mapping.chunk(0), mapping.chunks(), self.chunks.len());
        let start = bitmap.take_all();
        bitmap.mapping = Some(mapping);
        self.room.push(0);
        self.chunks.push(bitmap);
        Some(start)
    }

    /// Puts a span back. Returns the chunk if it held this one object alone: the caller drops it
    /// without the lock, because unmapping takes long.
    fn put_back(&mut self, start: NonNull<u8>, pages: usize) -> Option<SpanBitmap> {
        // SAFETY: a span of this source, which is locked.
        let number = unsafe { SpanBitmap::number_of(start) };
        self.first = self.first.min(number);
        let bitmap = &mut self.chunks[number];
        if bitmap.chunks == 1 {
            bitmap.put_back(start, pages);
            self.room[number] = bitmap.left() as u8;
            self.kept += pages;
            return None;
        }
        let gone = self.chunks.swap_remove(number);
        self.room.swap_remove(number);
        let moved = self.chunks.get(number).into_iter();
        moved.for_each(|moved| moved.set_number(number));
        Some(gone)
    }

    /// Gives the kept pages of one chunk back to the system.
    fn trim_one(&mut self) {
        for _ in 0..self.chunks.len() {
            self.trims = (self.trims + 1) % self.chunks.len();
            let pages = self.chunks[self.trims].trim();
            self.kept -= pages;
            if pages != 0 {
                return;
            }
        }
        debug_assert_eq!(self.kept, 0, "the number of kept pages is wrong");
        self.kept = 0;
    }
}

#[cfg(test)]
#[path = "page_source_tests.rs"]
mod tests;
