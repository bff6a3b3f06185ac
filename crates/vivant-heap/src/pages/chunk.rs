//! A chunk: a mebibyte of memory, aligned to its size, that begins with the descriptions of its
//! pages and the state bytes of its blocks.

use super::page::{Age, Page};
use crate::sync::{AtomicPtr, AtomicU8, AtomicU32, Ordering};
use std::ptr::NonNull;

/// A chunk's size and alignment.
pub(crate) const CHUNK: usize = 1 << 20;

/// Bytes of a page, and its alignment.
pub const PAGE: usize = 1 << 12;

/// Blocks of the old generation begin at multiples of this.
pub(crate) const GRANULE: usize = 16;

/// The number of pages in a chunk, its head included.
pub(crate) const PAGES: usize = CHUNK / PAGE;

/// The number of pages that a head covers.
pub(crate) const HEAD: usize = 21;

/// The owner of pages, to the code that hands them out: an address, which it never follows. It is
/// that of the heap's [handle](crate::orca::heap_handle::HeapHandle).
pub(crate) struct Owner(());

/// The head of a chunk. It lies apart from the memory that it describes, so marking and sweeping
/// write to the head alone (H4).
#[repr(C)]
pub(crate) struct Chunk {
    /// One for each granule behind the head; only those at which a block begins are used.
    states: [AtomicU8; (PAGES - HEAD) * (PAGE / GRANULE)],
    pages: [Page; PAGES - HEAD],
    /// For each page, the head's included: the age of the objects in it. The ages lie together
    /// because a minor collection looks up every reference that it scans here.
    ages: [Age; PAGES],
    /// For each page behind the head: its owner, null if the page is free. Not in the description,
    /// because other heaps read it (O6).
    owners: [AtomicPtr<Owner>; PAGES - HEAD],
    /// For each page behind the head: its [`PageName`], if it is part of a span of old objects.
    names: [AtomicU32; PAGES - HEAD],
    /// The number of the chunk in its source.
    pub(super) number: u32,
}

const _: () = assert!(
    size_of::<Chunk>() <= HEAD * PAGE,
    "a head is as long as its description says"
);

/// Bytes of the head that are zero when no page is taken, rounded down to whole pages.
pub(super) const HEAD_UNUSED: usize = (PAGES - HEAD) * (PAGE / GRANULE) / PAGE * PAGE;

/// The chunk that a pointer points into.
///
/// The result keeps the provenance of the pointer. Pointers into chunks are derived from the
/// pointer to the whole chunk, never from a reference to something in it (attack 8 in
/// `tests/all/README.md`).
#[inline]
pub(crate) fn chunk_of(pointer: NonNull<u8>) -> NonNull<Chunk> {
    let mask = !(CHUNK - 1);
    pointer
        .map_addr(|address| {
            // Not zero: no chunk is mapped at address 0.
            std::num::NonZero::new(address.get() & mask).expect("no chunk lies at zero")
        })
        .cast()
}

/// The state byte of the block that begins where the pointer points.
///
/// # Safety
///
/// The pointer points into a mapped chunk, and its provenance is the whole chunk.
#[inline]
pub(crate) unsafe fn state_of<'a>(block: NonNull<u8>) -> &'a AtomicU8 {
    let granule = (block.addr().get() & (CHUNK - 1)) / GRANULE;
    debug_assert!(
        granule >= HEAD * (PAGE / GRANULE),
        "no block lies in a chunk's header"
    );
    let states = chunk_of(block).as_ptr().cast::<AtomicU8>();
    // SAFETY: guaranteed by the caller; a head begins with as many states as its chunk has granules
    // behind it.
    unsafe { &*states.add(granule - HEAD * (PAGE / GRANULE)) }
}

/// Sets the state of all blocks of a page, in use or not.
///
/// # Safety
///
/// As for `state_of`; the caller owns the page, and it begins where the pointer points.
pub(crate) unsafe fn set_states(page: NonNull<u8>, state: u8) {
    debug_assert!(page.addr().get().is_multiple_of(PAGE));
    for block in 0..PAGE / GRANULE {
        // Relaxed: no marker runs.
        // SAFETY: guaranteed by the caller; within the page.
        unsafe { state_of(page.add(block * GRANULE)) }.store(state, Ordering::Relaxed);
    }
}

/// The description of the page that a pointer points into.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
pub(crate) unsafe fn page_of(pointer: NonNull<u8>) -> NonNull<Page> {
    let number = (pointer.addr().get() & (CHUNK - 1)) / PAGE;
    debug_assert!(number >= HEAD, "a head has no description");
    // SAFETY: guaranteed by the caller; a head has as many descriptions as its chunk has pages
    // behind it.
    unsafe {
        let pages = &raw mut (*chunk_of(pointer).as_ptr()).pages;
        NonNull::new_unchecked(pages.cast::<Page>().add(number - HEAD))
    }
}

/// The age of an object, by the page in which it begins.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
pub(crate) unsafe fn age_of(pointer: NonNull<u8>) -> Age {
    let number = (pointer.addr().get() & (CHUNK - 1)) / PAGE;
    // SAFETY: guaranteed by the caller.
    unsafe { (*chunk_of(pointer).as_ptr()).ages[number] }
}

/// The entry of `owners` for the page that a pointer points into.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
unsafe fn owner_at<'a>(pointer: NonNull<u8>) -> &'a AtomicPtr<Owner> {
    let number = (pointer.addr().get() & (CHUNK - 1)) / PAGE;
    debug_assert!(number >= HEAD, "a chunk head has no owner");
    // SAFETY: guaranteed by the caller; a head has as many owners as its chunk has pages behind it.
    unsafe {
        let owners = &raw const (*chunk_of(pointer).as_ptr()).owners;
        &*owners.cast::<AtomicPtr<Owner>>().add(number - HEAD)
    }
}

/// The owner of the page that a pointer points into; `None` for a free page.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
pub(crate) unsafe fn owner_of(pointer: NonNull<u8>) -> Option<NonNull<Owner>> {
    // Relaxed: the page was described before the object in it was made, and a reference to that
    // object was published after it was made.
    // SAFETY: guaranteed by the caller.
    NonNull::new(unsafe { owner_at(pointer) }.load(Ordering::Relaxed))
}

/// Sets the owner of a page; `None` for a free page.
///
/// # Safety
///
/// As for `state_of`; the caller owns the page.
pub(crate) unsafe fn set_owner(pointer: NonNull<u8>, owner: Option<NonNull<Owner>>) {
    let owner = owner.map_or(std::ptr::null_mut(), NonNull::as_ptr);
    // Relaxed: objects in the page, and references to them, are made after this write.
    // SAFETY: guaranteed by the caller.
    unsafe { owner_at(pointer).store(owner, Ordering::Relaxed) };
}

/// The number of a span in its heap, and of a page in the span. It names the page in files, where
/// an address would mean nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PageName(u32);

impl PageName {
    /// Spans of blocks are at most eight pages long, and of a large object only the first page is
    /// named.
    pub(crate) const PAGE_BITS: u32 = 3;

    /// The largest number of a span. So many spans have at least 2 TiB.
    pub(crate) const SPAN_MAX: u32 = u32::MAX >> PageName::PAGE_BITS;

    pub(crate) fn new(span: u32, page: usize) -> PageName {
        debug_assert!(span <= PageName::SPAN_MAX && page < 1 << PageName::PAGE_BITS);
        PageName(span << PageName::PAGE_BITS | page as u32)
    }

    /// The number of the span in its heap.
    pub(crate) fn span(self) -> u32 {
        self.0 >> PageName::PAGE_BITS
    }

    /// The number of the page among those that a heap can name. Those of a span follow each other.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// The entry of `names` for the page that a pointer points into.
///
/// # Safety
///
/// As for `state_of`.
#[inline]
unsafe fn name_at<'a>(pointer: NonNull<u8>) -> &'a AtomicU32 {
    let number = (pointer.addr().get() & (CHUNK - 1)) / PAGE;
    debug_assert!(number >= HEAD, "a chunk head has no name");
    // SAFETY: guaranteed by the caller (X1); a head has as many names as its chunk has pages behind
    // it.
    unsafe {
        let names = &raw const (*chunk_of(pointer).as_ptr()).names;
        &*names.cast::<AtomicU32>().add(number - HEAD)
    }
}

/// The name of the page that a pointer points into.
///
/// # Safety
///
/// As for `state_of`; an old object lies in the page.
#[inline]
pub(crate) unsafe fn name_of(pointer: NonNull<u8>) -> PageName {
    // Relaxed: the page was named before the object in it was made, as for `owner_of`.
    // SAFETY: guaranteed by the caller (X1).
    PageName(unsafe { name_at(pointer) }.load(Ordering::Relaxed))
}

/// Names a page.
///
/// # Safety
///
/// As for `state_of`; the caller owns the page.
pub(crate) unsafe fn set_name(pointer: NonNull<u8>, name: PageName) {
    // Relaxed: objects in the page, and references to them, are made after this write.
    // SAFETY: guaranteed by the caller (X1).
    unsafe { name_at(pointer).store(name.0, Ordering::Relaxed) };
}

/// Sets the age of the objects in these pages.
///
/// # Safety
///
/// The caller owns the pages, they lie in one chunk, and the provenance of `first` is the whole
/// chunk.
pub(crate) unsafe fn set_ages(first: NonNull<u8>, pages: usize, age: Age) {
    let number = (first.addr().get() & (CHUNK - 1)) / PAGE;
    debug_assert!(number >= HEAD && number + pages <= PAGES);
    // SAFETY: guaranteed by the caller. No other thread writes these pages' bytes; others may read
    // and write the bytes beside them.
    unsafe {
        let ages = &raw mut (*chunk_of(first).as_ptr()).ages;
        let ages = ages.cast::<Age>().add(number);
        (0..pages).for_each(|page| ages.add(page).write(age));
    }
}

/// The address of a page, by its description.
///
/// # Safety
///
/// `page` is one of a chunk's head, and its provenance is the whole chunk.
pub(crate) unsafe fn start_of(page: NonNull<Page>) -> NonNull<u8> {
    let chunk = chunk_of(page.cast());
    // SAFETY: guaranteed by the caller.
    let first = unsafe { &raw const (*chunk.as_ptr()).pages }.addr();
    let number = HEAD + (page.addr().get() - first) / size_of::<Page>();
    // SAFETY: within the chunk.
    unsafe { chunk.cast::<u8>().add(number * PAGE) }
}
