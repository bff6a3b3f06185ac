//! The description of a page, or of a span: pages that hold blocks of one size class for one heap.

use super::chunk::{PAGE, start_of};
use super::size_class::{block_size, blocks};
use std::ptr::NonNull;

/// What a page is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum PageKind {
    /// A free page.
    Free = 0,
    /// Young objects, one behind the other.
    Nursery,
    /// Blocks of one size class.
    Blocks,
    /// One large object.
    Large,
}

/// The age of the objects in a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Age {
    /// Old: the object never moves.
    Old = 0,
    /// Born since the last minor collection.
    New,
    /// Survived one minor collection.
    Survived,
    /// Evacuated here by the minor collection that runs.
    Surviving,
}

impl Age {
    #[inline]
    pub(crate) fn is_young(self) -> bool {
        self != Age::Old
    }
}

/// The largest number of blocks in a span: a page of the smallest blocks.
const BLOCKS_MAX: usize = 256;

/// The description of a page. The description of a span's first page describes the whole span; the
/// others have only `kind`, and `back` in a span of blocks.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Page {
    pub(crate) kind: PageKind,
    pub(crate) class: u8,
    /// The epoch of the last mark after which this span was swept.
    pub(crate) swept: u8,
    /// The number of blocks in use.
    pub(crate) used: u16,
    /// The distance in pages from the span's first page to this one.
    pub(crate) back: u8,
    /// The number of pages in the span.
    pub(crate) pages: u32,
    /// The number of the first image of the heap that has the present contents of the span. It
    /// takes no room: `occupied` begins at a multiple of eight bytes.
    pub(crate) first_image: u32,
    /// A bit for each block in use.
    pub(crate) occupied: [u64; BLOCKS_MAX / 64],
    /// A bit for each block in use that holds a value with a destructor.
    pub(crate) drops: [u64; BLOCKS_MAX / 64],
}

/// A span of one heap's pages, by the description of its first page.
///
/// The holder of the heap alone accesses these descriptions. Others read only the owner of a page,
/// which is stored elsewhere (`Chunk::owners`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) NonNull<Page>);

/// An allocation cache: free blocks of one span, a bit for each block that one word of the span's
/// bitmap describes. The span counts them as used.
#[derive(Clone, Copy)]
pub(crate) struct AllocationCache {
    pub(crate) span: Span,
    number: usize,
    /// The block of the lowest bit.
    first: NonNull<u8>,
    pub(crate) free: u64,
}

impl AllocationCache {
    /// Holds no block of any span.
    pub(crate) const EMPTY: AllocationCache = AllocationCache {
        span: Span(NonNull::dangling()),
        number: 0,
        first: NonNull::dangling(),
        free: 0,
    };

    /// Returns the bytes of the free blocks, which are of this size class.
    pub(crate) fn bytes(&self, class: usize) -> usize {
        self.free.count_ones() as usize * block_size(class)
    }

    /// Takes one block; `size` is the size of a block in bytes.
    #[inline]
    pub(crate) fn take(&mut self, size: usize) -> Option<NonNull<u8>> {
        if self.free == 0 {
            return None;
        }
        let bit = self.free.trailing_zeros() as usize;
        self.free &= self.free - 1;
        // SAFETY: the block lies in the span.
        Some(unsafe { self.first.add(bit * size) })
    }
}

impl Span {
    /// # Safety
    ///
    /// The caller owns the span and uses no other reference to this description at the same time.
    #[allow(clippy::mut_from_ref, reason = "the description lies elsewhere")]
    pub(crate) unsafe fn page<'a>(self) -> &'a mut Page {
        // SAFETY: guaranteed by the caller.
        unsafe { &mut *self.0.as_ptr() }
    }

    /// Returns the address of the span's first byte.
    pub(crate) fn start(self) -> NonNull<u8> {
        // SAFETY: a span's pointer points to a description, and its provenance is the whole chunk.
        unsafe { start_of(self.0) }
    }

    /// Takes the free blocks of the first bitmap word that has some. Returns `None` if the span is
    /// full.
    ///
    /// # Safety
    ///
    /// The caller owns the span, and it holds blocks.
    pub(crate) unsafe fn take_free_blocks(self) -> Option<AllocationCache> {
        // SAFETY: guaranteed by the caller.
        let page = unsafe { self.page() };
        let class = page.class as usize;
        let blocks = blocks(class);
        if page.used as usize == blocks {
            return None;
        }
        for number in 0..blocks.div_ceil(64) {
            let there = u64::MAX >> (64 - (blocks - number * 64).min(64));
            let free = there & !page.occupied[number];
            if free == 0 {
                continue;
            }
            page.occupied[number] |= free;
            page.used += free.count_ones() as u16;
            // SAFETY: the blocks lie in the span.
            let first = unsafe { self.start().add(number * 64 * block_size(class)) };
            return Some(AllocationCache {
                span: self,
                number,
                first,
                free,
            });
        }
        None
    }

    /// Takes back the blocks that are left in an allocation cache.
    ///
    /// # Safety
    ///
    /// As for `take_free_blocks`, which returned the cache.
    pub(crate) unsafe fn return_blocks(self, cache: AllocationCache) {
        // SAFETY: guaranteed by the caller.
        let page = unsafe { self.page() };
        page.occupied[cache.number] &= !cache.free;
        page.used -= cache.free.count_ones() as u16;
    }

    /// Records that the value in a block has a destructor.
    ///
    /// # Safety
    ///
    /// As for `take_free_blocks`; the block belongs to the span.
    pub(crate) unsafe fn note_drop(self, block: NonNull<u8>) {
        // SAFETY: guaranteed by the caller.
        let page = unsafe { self.page() };
        let offset = block.addr().get() - self.start().addr().get();
        let number = offset / page.block_size();
        page.drops[number / 64] |= 1 << (number % 64);
    }

    /// Notes that a block's object has no destructor any more.
    ///
    /// # Safety
    ///
    /// As for `note_drop`.
    pub(crate) unsafe fn forget_drop(self, block: NonNull<u8>) {
        // SAFETY: guaranteed by the caller (X1).
        let page = unsafe { self.page() };
        let offset = block.addr().get() - self.start().addr().get();
        let number = offset / page.block_size();
        page.drops[number / 64] &= !(1 << (number % 64));
    }

    /// Writes the distance to the first page into the descriptions of the span's pages.
    pub(crate) fn mark_tails(self) {
        // SAFETY: the span was just taken; spans of blocks are at most eight pages long.
        unsafe {
            for back in 0..self.page().pages as u8 {
                (*self.0.add(back as usize).as_ptr()).back = back;
            }
        }
    }

    /// Calls `each` for every block in use that holds a value with a destructor.
    ///
    /// # Safety
    ///
    /// As for `take_free_blocks`.
    pub(crate) unsafe fn each_droppable(self, mut each: impl FnMut(NonNull<u8>)) {
        // SAFETY: guaranteed by the caller.
        let page = unsafe { self.page() };
        let size = page.block_size();
        let drops = page.drops;
        for (word, bits) in drops.into_iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                let number = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                // SAFETY: the block lies in the span.
                each(unsafe { self.start().add(number * size) });
            }
        }
    }
}

impl Page {
    /// Returns the bytes of each block of the span; for a large object, of the whole span.
    pub(crate) fn block_size(&self) -> usize {
        match self.kind {
            PageKind::Large => self.pages as usize * PAGE,
            _ => block_size(self.class as usize),
        }
    }

    /// Makes this the description of one large object.
    pub(crate) fn begin_large(&mut self, epoch: u8) {
        self.back = 0;
        self.used = 1;
        self.swept = epoch;
        // One block, as long as the span.
        self.occupied = [1, 0, 0, 0];
        self.drops = [0; BLOCKS_MAX / 64];
    }

    /// Makes this the description of blocks of this size class, none in use.
    pub(crate) fn begin_blocks(&mut self, class: usize, epoch: u8) {
        self.class = class as u8;
        self.used = 0;
        self.swept = epoch;
        self.occupied = [0; BLOCKS_MAX / 64];
        self.drops = [0; BLOCKS_MAX / 64];
    }
}
