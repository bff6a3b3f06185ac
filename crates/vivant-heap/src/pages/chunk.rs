//! A chunk: a mebibyte of memory, aligned to its size, that begins with the descriptions of its
//! pages and cells.

use super::page::{Age, Page};
use crate::orca::Owner;
use crate::sync::{AtomicPtr, AtomicU8, Ordering};
use std::ptr::NonNull;

/// A chunk's size and alignment.
pub(crate) const CHUNK: usize = 1 << 20;

/// Bytes of a page, and its alignment.
pub const PAGE: usize = 1 << 12;

/// Cells of the old generation begin at multiples of this.
pub(crate) const GRANULE: usize = 16;

/// Pages in a chunk, its head included.
pub(crate) const PAGES: usize = CHUNK / PAGE;

/// Pages that a head covers.
pub(crate) const HEAD: usize = 20;

/// The head of a chunk, out of line with what it describes: marking and sweeping write here alone
/// (H4).
#[repr(C)]
pub(crate) struct Chunk {
    /// One for each granule behind the head; only those at which a cell begins are used.
    states: [AtomicU8; (PAGES - HEAD) * (PAGE / GRANULE)],
    pages: [Page; PAGES - HEAD],
    /// Of each page, the head's included: whether an object in it is young. Together, because every
    /// reference that a collection meets is looked up here.
    ages: [Age; PAGES],
    /// Of each page behind the head, whose it is, or nobody's. Not in the description, because
    /// other heaps read it (O6).
    owners: [AtomicPtr<Owner>; PAGES - HEAD],
    /// Which of its source's chunks it is.
    pub(super) number: u32,
}

const _: () = assert!(
    size_of::<Chunk>() <= HEAD * PAGE,
    "a head is as long as its description says"
);

/// Bytes of a head that are zero when no page is taken: as many as whole pages have.
pub(super) const HEAD_UNUSED: usize = (PAGES - HEAD) * (PAGE / GRANULE) / PAGE * PAGE;

/// The chunk in which a pointer points.
///
/// The result may reach what the pointer may: pointers into chunks are derived from the pointer to
/// the whole chunk, and never from a reference to what lies in it (GC-NOTES §3, 8).
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
    debug_assert!(granule >= HEAD * (PAGE / GRANULE), "no cell lies in a head");
    let states = chunk_of(cell).as_ptr().cast::<AtomicU8>();
    // SAFETY: the caller's; a head begins with as many states as its chunk has granules behind it.
    unsafe { &*states.add(granule - HEAD * (PAGE / GRANULE)) }
}

/// Gives all cells of a page, in use or not, this state.
///
/// # Safety
///
/// As for `state_of`; the page is the caller's, and begins where the pointer points.
pub(crate) unsafe fn set_states(page: NonNull<u8>, state: u8) {
    debug_assert!(page.addr().get().is_multiple_of(PAGE));
    for cell in 0..PAGE / GRANULE {
        // Relaxed: nobody marks.
        // SAFETY: the caller's; within the page.
        unsafe { state_of(page.add(cell * GRANULE)) }.store(state, Ordering::Relaxed);
    }
}

/// The description of the page in which a pointer points.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
pub(crate) unsafe fn page_of(pointer: NonNull<u8>) -> NonNull<Page> {
    let number = (pointer.addr().get() & (CHUNK - 1)) / PAGE;
    debug_assert!(number >= HEAD, "a head has no description");
    // SAFETY: the caller's; a head has as many descriptions as its chunk has pages behind it.
    unsafe {
        let pages = &raw mut (*chunk_of(pointer).as_ptr()).pages;
        NonNull::new_unchecked(pages.cast::<Page>().add(number - HEAD))
    }
}

/// Whether an object is young, by the page in which it begins.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
pub(crate) unsafe fn age_of(pointer: NonNull<u8>) -> Age {
    let number = (pointer.addr().get() & (CHUNK - 1)) / PAGE;
    // SAFETY: the caller's.
    unsafe { (*chunk_of(pointer).as_ptr()).ages[number] }
}

/// Whose a page is in which a pointer points.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
unsafe fn owner_at<'a>(pointer: NonNull<u8>) -> &'a AtomicPtr<Owner> {
    let number = (pointer.addr().get() & (CHUNK - 1)) / PAGE;
    debug_assert!(number >= HEAD, "a head is nobody's");
    // SAFETY: the caller's; a head has as many owners as its chunk has pages behind it.
    unsafe {
        let owners = &raw const (*chunk_of(pointer).as_ptr()).owners;
        &*owners.cast::<AtomicPtr<Owner>>().add(number - HEAD)
    }
}

/// Whose the page is in which a pointer points, if it is somebody's.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
pub(crate) unsafe fn owner_of(pointer: NonNull<u8>) -> Option<NonNull<Owner>> {
    // Relaxed: the page was described before the object in it was made, and whoever has a reference
    // to that has it from there. SAFETY: the caller's.
    NonNull::new(unsafe { owner_at(pointer) }.load(Ordering::Relaxed))
}

/// Says whose a page is; nobody's, if none is given.
///
/// # Safety
///
/// As for `state_of`; the page is the caller's.
pub(crate) unsafe fn set_owner(pointer: NonNull<u8>, owner: Option<NonNull<Owner>>) {
    let owner = owner.map_or(std::ptr::null_mut(), NonNull::as_ptr);
    // Relaxed: as in `owner_of`.
    // SAFETY: the caller's.
    unsafe { owner_at(pointer).store(owner, Ordering::Relaxed) };
}

/// Says of pages whether the objects in them are young.
///
/// # Safety
///
/// They are the caller's, lie in one chunk, and the pointer to the first may reach all of it.
pub(crate) unsafe fn set_ages(first: NonNull<u8>, pages: usize, age: Age) {
    let number = (first.addr().get() & (CHUNK - 1)) / PAGE;
    debug_assert!(number >= HEAD && number + pages <= PAGES);
    // SAFETY: the caller's. Nobody else writes these pages' bytes; others may read and write those
    // beside them.
    unsafe {
        let ages = &raw mut (*chunk_of(first).as_ptr()).ages;
        let ages = ages.cast::<Age>().add(number);
        (0..pages).for_each(|page| ages.add(page).write(age));
    }
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
    let number = HEAD + (page.addr().get() - first) / size_of::<Page>();
    // SAFETY: within the chunk.
    unsafe { chunk.cast::<u8>().add(number * PAGE) }
}
