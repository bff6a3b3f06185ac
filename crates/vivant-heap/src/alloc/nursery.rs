//! The nursery: most objects are born and die here, by bump allocation (H2, H3).

use super::header::Header;
use super::poison::poison;
use crate::pages::chunk::{HEAD, Owner, PAGE, PAGES, age_of, set_ages};
use crate::pages::nursery_chunk_cache::NurseryChunkCache;
use crate::pages::page::{Age, PageKind, Span};
use crate::pages::page_source::PageSource;
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

/// Pages of the first nursery chunk. Each further one has twice as many, up to `CHUNK_PAGES_MOST`:
/// four of these fill a mapped chunk, with nothing left over.
const CHUNK_PAGES_FIRST: usize = 1;
const CHUNK_PAGES_MOST: usize = (PAGES - HEAD) / 4;

/// Nursery chunks with contiguous objects. The fields that each turn reads are at the beginning.
#[repr(C)]
pub(crate) struct Nursery {
    /// The bump pointer: the place of the next object, and the end of the chunk.
    next: Cell<NonNull<u8>>,
    end: Cell<NonNull<u8>>,
    /// Pages of the chunks.
    pages: Cell<usize>,
    chunks: RefCell<Vec<NurseryChunk>>,
    /// Objects with destructors.
    droppable: RefCell<Vec<NonNull<Header>>>,
    /// The age of its objects.
    age: Age,
}

/// A nursery chunk: some pages.
#[derive(Clone, Copy)]
pub(crate) struct NurseryChunk {
    pub(crate) span: Span,
    /// Bytes used by objects, once the chunk is full; `usize::MAX` before.
    filled: usize,
}

/// The place of both bump pointers before the first chunk.
static NOWHERE: u64 = 0;

impl Nursery {
    pub(crate) fn new(age: Age) -> Nursery {
        let nowhere = NonNull::from(&NOWHERE).cast();
        Nursery {
            next: Cell::new(nowhere),
            end: Cell::new(nowhere),
            chunks: RefCell::default(),
            pages: Cell::new(0),
            droppable: RefCell::default(),
            age,
        }
    }

    /// Allocates room for an object of `bytes` bytes, a multiple of eight. `None` if the chunk is
    /// full.
    #[inline]
    pub(crate) fn bump(&self, bytes: usize) -> Option<NonNull<u8>> {
        let next = self.next.get();
        if self.end.get().addr().get() - next.addr().get() < bytes {
            return None;
        }
        // SAFETY: within the chunk.
        self.next.set(unsafe { next.add(bytes) });
        Some(next)
    }

    /// Adds a chunk with room for at least `bytes` bytes. Returns whether there was memory.
    #[cold]
    pub(crate) fn grow(
        &self,
        chunk_cache: &NurseryChunkCache,
        source: &PageSource,
        owner: NonNull<Owner>,
        bytes: usize,
    ) -> bool {
        let mut chunks = self.chunks.borrow_mut();
        let wanted = (CHUNK_PAGES_FIRST << chunks.len().min(8)).min(CHUNK_PAGES_MOST);
        debug_assert!(
            bytes <= CHUNK_PAGES_FIRST * PAGE,
            "large objects are not born here"
        );
        let span = chunk_cache
            .take()
            .or_else(|| source.take(wanted, owner, PageKind::Nursery));
        let Some(span) = span else {
            return false;
        };
        if let Some(full) = chunks.last_mut() {
            full.fill(self.next.get());
        }
        // SAFETY: the span is this nursery's.
        let pages = unsafe { span.page() }.pages as usize;
        mark(span, self.age);
        self.next.set(span.start());
        // SAFETY: the end of the span.
        self.end.set(unsafe { span.start().add(pages * PAGE) });
        self.pages.set(self.pages.get() + pages);
        chunks.push(NurseryChunk {
            span,
            filled: usize::MAX,
        });
        true
    }

    /// Notes that the value of an object has a destructor.
    pub(crate) fn note_drop(&self, object: NonNull<Header>) {
        self.droppable.borrow_mut().push(object);
    }

    /// A collection is over: the objects in this nursery are its survivors.
    pub(crate) fn seal(&mut self) {
        // Younger objects, born from now on, go to chunks of their own.
        let chunks = self.chunks.get_mut();
        if let Some(last) = chunks.last_mut() {
            last.fill(self.next.get());
        }
        self.next.set(self.end.get());
        self.age = Age::New;
        chunks
            .iter()
            .for_each(|chunk| mark(chunk.span, Age::Survived));
    }

    /// Whether one of its objects has a destructor.
    #[inline]
    pub(crate) fn has_destructors(&self) -> bool {
        !self.droppable.borrow().is_empty()
    }

    pub(crate) fn droppable(&self) -> Vec<NonNull<Header>> {
        self.droppable.take()
    }

    /// Objects with destructors, for the verifier.
    pub(crate) fn noted(&self) -> Vec<NonNull<Header>> {
        self.droppable.borrow().clone()
    }

    /// Its chunks, each with the number of bytes used by objects.
    pub(crate) fn chunks(&self) -> Vec<(Span, usize)> {
        let next = self.next.get().addr().get();
        let filled = |chunk: &NurseryChunk| match chunk.filled {
            usize::MAX => (chunk.span, next - chunk.span.start().addr().get()),
            filled => (chunk.span, filled),
        };
        self.chunks.borrow().iter().map(filled).collect()
    }

    /// Pages of its chunks.
    pub(crate) fn pages(&self) -> usize {
        self.pages.get()
    }

    /// Bytes used by objects, plus the unused ends of full chunks.
    #[inline]
    pub(crate) fn used(&self) -> usize {
        self.pages.get() * PAGE - (self.end.get().addr().get() - self.next.get().addr().get())
    }

    /// Poisons it.
    ///
    /// # Safety
    ///
    /// All its objects were evacuated or are dead.
    pub(crate) unsafe fn poison(&self) {
        for (span, filled) in self.chunks() {
            // SAFETY: the span is the nursery's; no object in it is used, by the caller's contract.
            unsafe { poison(span.start(), filled) };
        }
    }

    /// Empties it: its chunks go to the nursery chunk cache.
    ///
    /// # Safety
    ///
    /// No object in it is used any more.
    pub(crate) unsafe fn clear(&mut self, chunk_cache: &NurseryChunkCache) {
        chunk_cache.put(self.chunks.take().iter().map(|chunk| chunk.span));
        *self = Nursery::new(self.age);
    }
}

impl NurseryChunk {
    /// Records how much of the chunk is used: no more objects go to it.
    fn fill(&mut self, next: NonNull<u8>) {
        if self.filled == usize::MAX {
            self.filled = next.addr().get() - self.span.start().addr().get();
        }
    }
}

/// Sets the age of the objects in a span of a nursery.
fn mark(span: Span, age: Age) {
    // SAFETY: the span is the nursery's, and lies in one mapped chunk.
    unsafe {
        if age_of(span.start()) != age {
            set_ages(span.start(), span.page().pages as usize, age);
        }
    }
}
