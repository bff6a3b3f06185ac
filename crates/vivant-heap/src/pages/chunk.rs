//! A chunk: a mebibyte of memory, aligned to its size, that begins with the descriptions of its pages and cells.

use super::page::Page;
use crate::sync::AtomicU8;
use std::ptr::NonNull;

/// A chunk's size and alignment.
pub(crate) const CHUNK: usize = 1 << 20;

/// Bytes of a page, and its alignment.
pub const PAGE: usize = 1 << 12;

/// Cells of the old generation begin at multiples of this.
pub(crate) const GRANULE: usize = 16;

/// Pages in a chunk, its head included.
pub(crate) const PAGES: usize = CHUNK / PAGE;

/// The head of a chunk, out of line with what it describes: marking and sweeping write here alone (H4).
#[repr(C)]
pub(crate) struct Chunk {
    /// One for each granule; only those at which a cell begins are used.
    states: [AtomicU8; CHUNK / GRANULE],
    pages: [Page; PAGES],
}

/// Pages that a head covers.
pub(crate) const HEAD: usize = size_of::<Chunk>().div_ceil(PAGE);

const _: () = assert!(HEAD <= 24, "a tenth of a chunk at most");

/// The chunk in which a pointer points.
///
/// The result may reach what the pointer may: pointers into chunks are derived from the pointer to the whole chunk, and never
/// from a reference to what lies in it (GC-NOTES §3, 8).
#[inline]
pub(crate) fn chunk_of(pointer: NonNull<u8>) -> NonNull<Chunk> {
    let mask = !(CHUNK - 1);
    pointer
        .map_addr(|address| {
            // Not zero: nothing is mapped there.
            std::num::NonZero::new(address.get() & mask).expect("no chunk lies at zero")
        })
        .cast()
}

/// The state byte of the cell that begins where the pointer points.
///
/// # Safety
///
/// It points into a chunk that is mapped, and may reach all of it.
#[inline]
pub(crate) unsafe fn state_of<'a>(cell: NonNull<u8>) -> &'a AtomicU8 {
    let granule = (cell.addr().get() & (CHUNK - 1)) / GRANULE;
    // SAFETY: the caller's; a head has as many states as a chunk has granules.
    unsafe { &(*chunk_of(cell).as_ptr()).states[granule] }
}

/// The description of the page in which a pointer points.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
pub(crate) unsafe fn page_of(pointer: NonNull<u8>) -> NonNull<Page> {
    let number = (pointer.addr().get() & (CHUNK - 1)) / PAGE;
    // SAFETY: the caller's; a head has as many descriptions as a chunk has pages.
    unsafe { NonNull::new_unchecked(&raw mut (*chunk_of(pointer).as_ptr()).pages[number]) }
}

/// Where a page begins, by its description.
///
/// # Safety
///
/// `page` is one of a chunk's head, by a pointer that may reach all of the chunk.
pub(crate) unsafe fn start_of(page: NonNull<Page>) -> NonNull<u8> {
    let chunk = chunk_of(page.cast());
    // SAFETY: the caller's.
    let first = unsafe { &raw const (*chunk.as_ptr()).pages }.addr();
    let number = (page.addr().get() - first) / size_of::<Page>();
    // SAFETY: within the chunk.
    unsafe { chunk.cast::<u8>().add(number * PAGE) }
}
