//! The old generation: objects in blocks of size classes, which never move (H4).

mod absorb;
mod changes;
mod destructors;
pub(crate) mod image_barrier;
pub(crate) mod image_count;
pub(crate) mod occupancy;
pub(crate) mod restored;
mod span_lists;
pub(crate) mod span_numbers;
pub(crate) mod sweep;

use super::header::Header;
use super::poison::poison;
use crate::foreign_code;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::chunk::{Owner, PAGE, page_of, state_of};
use crate::pages::page::{AllocationCache, Page, PageKind, Span};
use crate::pages::page_source::PageSource;
use crate::pages::size_class::{CLASSES, SMALL_MAX, block_size, class_for, span_pages};
use crate::segmented::segmented_stack::SegmentedStack;
use crate::sync::Ordering;
use image_barrier::ImageBarrier;
use image_count::ImageCount;
use span_lists::{Fill, SpanLists};
use span_numbers::SpanNumbers;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

/// One of three mark epochs. An object is marked if its block's state is the epoch of the last
/// mark. With two epochs, a dead block that was not yet swept would read as marked by the next mark
/// (H4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Epoch(pub(crate) u8);

impl Epoch {
    pub(crate) const FIRST: Epoch = Epoch(1);

    pub(crate) fn next(self) -> Epoch {
        Epoch(self.0 % 3 + 1)
    }
}

/// All old objects of a heap. The fields that each turn reads are at the end.
#[repr(C)]
pub(crate) struct Old {
    /// The spans by size class; a small heap has few.
    sizes: [Option<Box<SpanLists>>; CLASSES],
    large: SegmentedStack<Span>,
    /// Large objects that the sweep after the last mark has not reached.
    large_unswept: SegmentedStack<Span>,
    pub(crate) numbers: SpanNumbers,
    /// The image that is being written.
    pub(crate) image: Option<Box<dyn ImageBarrier>>,
    pub(crate) images: ImageCount,
    /// The epoch of the mark that runs, or was the last.
    pub(crate) epoch: Epoch,
    /// The epoch of the mark that the sweep belongs to.
    pub(crate) marked: Epoch,
    /// Whether free blocks are poisoned.
    pub(crate) free_blocks: FreeBlocks,
    /// Number of its pages.
    pub(crate) pages: usize,
    /// Bytes that the last mark has found alive, and bytes that it has found dead.
    pub(crate) bytes_marked: usize,
    pub(crate) bytes_died: usize,
    /// Number of its spans, and their number at the last mark; `unswept` counts those that the
    /// sweep has not reached yet.
    spans: usize,
    pub(crate) to_sweep: usize,
    /// The size class that is swept next.
    sweep_class: usize,
    /// The number of spans that may still be swept for objects that find no block.
    pub(crate) sweep_allowance: usize,
    /// Live bytes at the last sweep step, or when the mark ended.
    pub(crate) live_at_step: usize,
    /// Under stress: spans taken from the source while others of their class had free blocks. It
    /// must stay zero.
    pub(crate) premature_spans: usize,
    /// Destructors that panicked (H10).
    pub(crate) panics: u64,
    /// Objects with values that have destructors.
    pub(crate) destructors: usize,
    /// Whether a turn has left blocks in the allocation caches.
    pub(crate) has_cached_blocks: bool,
    pub(crate) unswept: usize,
    /// Bytes of blocks and large objects in use.
    pub(crate) bytes_allocated: usize,
    /// The part of `live` that the last mark has found dead, and no sweep has freed yet.
    pub(crate) bytes_dead: usize,
}

/// The contents of free blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FreeBlocks {
    /// The contents of the last object.
    Stale,
    /// A poison pattern, so that a use of a free block is noticed.
    Poisoned,
}

impl Old {
    /// Start of the fields that each turn reads.
    pub(crate) const EACH_TURN: usize = mem::offset_of!(Old, has_cached_blocks);

    pub(crate) fn new(free_blocks: FreeBlocks) -> Old {
        Old {
            sizes: [const { None }; CLASSES],
            large: SegmentedStack::default(),
            large_unswept: SegmentedStack::default(),
            numbers: SpanNumbers::default(),
            image: None,
            images: ImageCount::default(),
            epoch: Epoch::FIRST,
            marked: Epoch::FIRST,
            bytes_allocated: 0,
            bytes_dead: 0,
            pages: 0,
            bytes_marked: 0,
            bytes_died: 0,
            spans: 0,
            to_sweep: 0,
            unswept: 0,
            sweep_class: 0,
            sweep_allowance: usize::MAX,
            live_at_step: 0,
            premature_spans: 0,
            panics: 0,
            destructors: 0,
            has_cached_blocks: false,
            free_blocks,
        }
    }

    /// Allocates room for an object with `bytes` bytes behind its header, black: marked with the
    /// present epoch. Returns `None` if there is no memory.
    pub(crate) fn allocate(
        &mut self,
        bytes: usize,
        source: &PageSource,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<Header>> {
        let bytes = size_of::<Header>() + bytes;
        if bytes > SMALL_MAX {
            return self.allocate_large(bytes, source, owner);
        }
        let block = self.block(class_for(bytes), source, owner);
        self.flush_caches();
        block
    }

    /// Takes a block from the allocation cache, for a value of `bytes` bytes.
    #[inline]
    pub(crate) fn take_cached(&mut self, bytes: usize) -> Option<NonNull<Header>> {
        let bytes = size_of::<Header>() + bytes;
        if bytes > SMALL_MAX {
            return None;
        }
        let class = class_for(bytes);
        let spans = self.sizes[class].as_deref_mut()?;
        let block = spans.cache.take(block_size(class))?;
        Some(self.init_block(block))
    }

    /// As [`Old::allocate`], for a turn that will allocate more: blocks stay in the allocation
    /// cache until [`Old::flush_caches`].
    #[inline]
    pub(crate) fn allocate_shared(
        &mut self,
        bytes: usize,
        source: &PageSource,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<Header>> {
        let bytes = size_of::<Header>() + bytes;
        if bytes > SMALL_MAX {
            return self.allocate_large(bytes, source, owner);
        }
        self.has_cached_blocks = true;
        self.block(class_for(bytes), source, owner)
    }

    /// Takes a block of this class for an object that is promoted, black. Fills the allocation
    /// cache if it is empty; the cache is kept until [`Old::flush_caches`]. Returns `None` if there
    /// is no memory.
    #[inline]
    pub(crate) fn block(
        &mut self,
        class: usize,
        source: &PageSource,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<Header>> {
        let spans = self.sizes[class].as_deref_mut();
        let block = match spans.and_then(|spans| spans.cache.take(block_size(class))) {
            Some(block) => block,
            None => self.block_slow(class, source, owner)?,
        };
        Some(self.init_block(block))
    }

    /// Initialises the state of a block for a new object.
    #[inline]
    fn init_block(&self, block: NonNull<u8>) -> NonNull<Header> {
        // SAFETY: the block lies in a chunk of the source.
        //
        // Relaxed: no other thread accesses it.
        unsafe { state_of(block) }.store(self.epoch.0, Ordering::Relaxed);
        #[cfg(test)]
        if is_injected(InjectedFault::WrongEpoch) {
            // SAFETY: the block lies in a chunk of the source.
            unsafe { state_of(block) }.store(self.epoch.next().0, Ordering::Relaxed);
        }
        block.cast()
    }

    /// Refills an empty allocation cache, from the fullest span with free blocks. A nearly empty
    /// span comes last: it may be empty when it is swept again. New pages come only after that.
    /// Spans that the sweep has not reached were full before it.
    #[cold]
    #[inline(never)]
    fn block_slow(
        &mut self,
        class: usize,
        source: &PageSource,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<u8>> {
        self.sizes[class].get_or_insert_default();
        let mut cache = self.refill(class, Fill::Some);
        if cache.is_none() {
            let empty = self.sweep_for(class, source);
            cache = self.refill(class, Fill::Few);
            if cache.is_none() {
                let span = match empty {
                    Some(span) => span,
                    None => self.new_span(class, source, owner)?,
                };
                self.sizes[class].as_mut()?.begin(span);
                cache = self.refill(class, Fill::Few);
            } else if let Some(span) = empty {
                // SAFETY: the span is on no list any more.
                unsafe { self.give([span], source) };
            }
        }
        let (cache, spans) = (cache?, self.sizes[class].as_mut()?);
        self.bytes_allocated += cache.bytes(class);
        spans.cache = cache;
        spans.cache.take(block_size(class))
    }

    /// A word of free blocks: of the current allocation span, or of the fullest span with a fill of
    /// `least` or more.
    fn refill(&mut self, class: usize, least: Fill) -> Option<AllocationCache> {
        let image = self.image.as_deref_mut();
        let spans = self.sizes[class].as_mut()?;
        // SAFETY: the spans are this heap's.
        let cache = unsafe { spans.refill(least, image.map(|it| it as _)) }?;
        #[cfg(test)]
        if is_injected(InjectedFault::UnnotedBirth) {
            return Some(cache);
        }
        self.note_change(cache.span);
        Some(cache)
    }

    /// Takes a span of new pages.
    fn new_span(
        &mut self,
        class: usize,
        source: &PageSource,
        owner: NonNull<Owner>,
    ) -> Option<Span> {
        if self.free_blocks == FreeBlocks::Poisoned {
            // SAFETY: the spans are this heap's.
            let are_full = self.sizes[class].as_deref().is_none_or(|spans| unsafe {
                match self.sweep_allowance {
                    // No more unswept spans may be swept for this allocation.
                    0 => SpanLists::are_full(spans.swept()),
                    _ => SpanLists::are_full(spans.iter()),
                }
            });
            self.premature_spans += usize::from(!are_full);
        }
        let pages = span_pages(class);
        let span = source.take(pages, owner, PageKind::Blocks)?;
        // SAFETY: the span was just taken (X3), so no object lies in it.
        unsafe { self.begin_blocks(span, class) };
        self.adopt(span, source)
    }

    /// Describes a span of blocks, all of them free.
    ///
    /// # Safety
    ///
    /// The span is the caller's, is as long as spans of this class are, and no object lies in it.
    unsafe fn begin_blocks(&self, span: Span, class: usize) {
        // SAFETY: the caller's contract (X1).
        unsafe {
            span.page().begin_blocks(class, self.marked.0);
            if self.free_blocks == FreeBlocks::Poisoned {
                poison(span.start(), span.page().pages as usize * PAGE);
            }
        }
        span.mark_tails();
    }

    /// A span that was just taken becomes one of this heap. `None`: the heap can have no more.
    fn adopt(&mut self, span: Span, source: &PageSource) -> Option<Span> {
        // SAFETY: the span was just taken (X3), and is described.
        unsafe {
            if !self.numbers.number(span) {
                source.give([span]);
                return None;
            }
            self.pages += span.page().pages as usize;
        }
        self.note_change(span);
        self.spans += 1;
        Some(span)
    }

    /// Returns the unused blocks of the allocation caches to their spans.
    pub(crate) fn flush_caches(&mut self) {
        self.has_cached_blocks = false;
        for (class, spans) in self.sizes.iter_mut().enumerate() {
            let Some(spans) = spans else { continue };
            let cache = mem::replace(&mut spans.cache, AllocationCache::EMPTY);
            if cache.free != 0 {
                self.bytes_allocated -= cache.bytes(class);
                // SAFETY: the span is this heap's, and the word came from it.
                unsafe { cache.span.return_blocks(cache) };
            }
        }
    }

    fn allocate_large(
        &mut self,
        bytes: usize,
        source: &PageSource,
        owner: NonNull<Owner>,
    ) -> Option<NonNull<Header>> {
        let pages = bytes.div_ceil(PAGE);
        let span = source.take(pages, owner, PageKind::Large)?;
        // SAFETY: the span was just taken.
        unsafe { span.page().begin_large(self.marked.0) };
        let span = self.adopt(span, source)?;
        self.large.push(span);
        self.bytes_allocated += pages * PAGE;
        Some(self.init_block(span.start()))
    }

    /// A mark begins: live objects get the next epoch. Everything was swept.
    pub(crate) fn begin_mark(&mut self) {
        debug_assert_eq!(self.unswept, 0, "H6");
        self.epoch = self.epoch.next();
    }

    /// A mark is complete, with `alive` bytes of live blocks and large objects: the others are
    /// dead, and are swept lazily.
    pub(crate) fn end_mark(&mut self, alive: usize) {
        self.marked = self.epoch;
        self.bytes_marked = alive;
        self.bytes_died = self.bytes_allocated - alive;
        self.bytes_dead = self.bytes_died;
        self.live_at_step = alive;
        self.to_sweep = self.spans;
        self.unswept = self.spans;
        self.sweep_class = 0;
        debug_assert!(self.large_unswept.is_empty(), "H6");
        mem::swap(&mut self.large_unswept, &mut self.large);
        for spans in self.sizes.iter_mut().flatten() {
            // SAFETY: the spans are this heap's.
            unsafe { spans.end_mark() };
        }
    }

    /// Bytes of blocks and large objects, without those that the last mark has found dead.
    pub(crate) fn bytes_live(&self) -> usize {
        self.bytes_allocated - self.bytes_dead
    }

    /// Whether the span of this page was swept since the last mark.
    pub(crate) fn is_swept(&self, page: &Page) -> bool {
        page.swept == self.marked.0
    }

    /// All spans, for the verifier.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        let blocks = self.sizes.iter().flatten().flat_map(|spans| spans.iter());
        let large = self.large.iter().chain(self.large_unswept.iter()).copied();
        blocks.chain(large)
    }

    /// Destroys all objects, and returns all pages.
    ///
    /// # Safety
    ///
    /// No object is used any more.
    pub(crate) unsafe fn clear(&mut self, source: &PageSource) {
        let spans: Vec<Span> = self.spans().collect();
        for span in &spans {
            // SAFETY: the span is this heap's, and no object in it is used, by the caller's
            // contract.
            unsafe { span.each_droppable(|block| self.panics += destroy(block.cast())) };
        }
        *self = Old {
            premature_spans: self.premature_spans,
            panics: self.panics,
            ..Old::new(self.free_blocks)
        };
        // SAFETY: all objects were destroyed, and the spans are on no list any more.
        unsafe { source.give(spans) };
    }
}

/// Runs the destructor of an object's value. A panic of the destructor is caught and not fatal
/// (H10). Returns the number of panics.
///
/// # Safety
///
/// The object is not used any more, and was not destroyed before.
pub(crate) unsafe fn destroy(object: NonNull<Header>) -> u64 {
    // SAFETY: the object is in its place.
    let shape = unsafe { object.as_ref() }.shape();
    if shape.has_destructor() {
        // SAFETY: the value follows the header; the caller's contract covers the rest.
        let ended = panic::catch_unwind(AssertUnwindSafe(|| unsafe {
            shape.destroy(object.add(1).cast());
        }));
        if let Err(panic) = ended {
            foreign_code::drop_panic(panic);
            return 1;
        }
    }
    0
}

/// The span of an old object.
///
/// # Safety
///
/// The object is old, and in its place.
pub(crate) unsafe fn span_of(object: NonNull<Header>) -> Span {
    // SAFETY: the caller's contract.
    unsafe {
        let page = page_of(object.cast());
        Span(page.sub(page.as_ref().back as usize))
    }
}
