//! Memory from the system, in whole chunks.

use super::chunk::CHUNK;
#[cfg(any(not(unix), miri))]
use plain as source;
use source::{HUGE, HUGE_PAGE};
pub(super) use source::{MOST, discard};
use std::ptr::NonNull;
#[cfg(all(unix, not(miri)))]
use system as source;

/// Chunks that were mapped together.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    chunks: usize,
}

// SAFETY: it belongs to its source, and is used under the source's lock.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Zeroed memory of so many chunks, aligned to one. None if the system has none.
    pub(super) fn new(chunks: usize) -> Option<Mapping> {
        let start = source::map(chunks)?;
        Some(Mapping { start, chunks })
    }

    pub(super) fn chunks(&self) -> usize {
        self.chunks
    }

    /// Chunks that the system gives memory together, when one of them is first used. None if it gives it page by page.
    pub(super) fn unit(&self) -> Option<usize> {
        (self.chunks >= HUGE).then_some(HUGE_PAGE / CHUNK)
    }

    /// Where one of its chunks begins.
    pub(super) fn chunk(&self, number: usize) -> NonNull<u8> {
        debug_assert!(number < self.chunks);
        // SAFETY: within the mapping.
        unsafe { self.start.add(number * CHUNK) }
    }
}

/// Memory of a mapping that nobody has used yet, and somebody soon will.
#[derive(Debug)]
pub(super) struct Unused {
    start: NonNull<u8>,
    bytes: usize,
}

impl Unused {
    /// That of these chunks.
    pub(super) fn of(mapping: &Mapping, chunks: std::ops::Range<usize>) -> Unused {
        debug_assert!(chunks.end <= mapping.chunks());
        let bytes = chunks.len() * CHUNK;
        let start = mapping.chunk(chunks.start);
        Unused { start, bytes }
    }

    #[cfg(all(test, unix, not(miri)))]
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Has the system give it. Somebody may use it meanwhile.
    pub(super) fn prepare(self) {
        source::populate(self.start, self.bytes);
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped with so many chunks. The source goes last: heaps hold it. Or the one object in it is gone.
        unsafe { source::unmap(self.start, self.chunks) };
    }
}

/// By the system's calls: reserved without being used.
#[cfg(all(unix, not(miri)))]
mod system {
    use crate::pages::chunk::CHUNK;
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
    use std::ptr::{self, NonNull};

    /// Chunks that are mapped together, at most.
    pub(in crate::pages) const MOST: usize = 64;

    /// From so many chunks on a mapping is made of huge pages, if the system likes: together they cost a third of what small ones cost when
    /// they are first used. A small program would wait for each, and use few: mappings double, so before this one there were as many chunks.
    pub(super) const HUGE: usize = 8;

    /// What huge pages are aligned to, on most machines.
    pub(super) const HUGE_PAGE: usize = 2 * CHUNK;

    /// Memory is not needed. Linux takes it back at once; other systems, when they like.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const NOT_NEEDED: Advice = Advice::LinuxDontNeed;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const NOT_NEEDED: Advice = Advice::DontNeed;

    /// Zeroed memory of so many chunks, aligned to one. None if the system has none.
    pub(super) fn map(chunks: usize) -> Option<NonNull<u8>> {
        let bytes = chunks.checked_mul(CHUNK)?;
        let align = if chunks >= HUGE { HUGE_PAGE } else { CHUNK };
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, wherever the system likes.
        let start =
            unsafe { mmap_anonymous(ptr::null_mut(), bytes.checked_add(align)?, access, flags) };
        let start = start.ok()?.cast::<u8>();
        let before = start.align_offset(align);
        // SAFETY: so much more than asked for was mapped; what lies before the first whole one and behind the last is given back.
        unsafe {
            let aligned = start.add(before);
            if before != 0 {
                munmap(start.cast(), before).ok()?;
            }
            if before != align {
                munmap(aligned.add(bytes).cast(), align - before).ok()?;
            }
            #[cfg(any(target_os = "linux", target_os = "android"))]
            if chunks >= HUGE {
                // A system that has none goes on with small ones.
                let _none = madvise(aligned.cast(), bytes, Advice::LinuxHugepage);
            }
            NonNull::new(aligned)
        }
    }

    /// Gives the memory of whole pages back to the system; they stay mapped, and nobody knows what lies in them when they are next used.
    ///
    /// # Safety
    ///
    /// Nobody uses them.
    pub(in crate::pages) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's. A system that refuses keeps them, which costs memory and nothing else.
        let _kept = unsafe { madvise(start.as_ptr().cast(), bytes, NOT_NEEDED) };
    }

    /// Has the system give memory that will be used, as if something had been written there, and changes nothing.
    pub(super) fn populate(start: NonNull<u8>, bytes: usize) {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        // SAFETY: nothing is written: what is there already stays, and what is not was zero before. Where nothing is mapped it is an error; so it is on a
        // system that does not know the advice, which gives memory when it is used.
        let _later = unsafe { madvise(start.as_ptr().cast(), bytes, Advice::LinuxPopulateWrite) };
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let _later = (start, bytes);
    }

    /// Gives a mapping back.
    ///
    /// # Safety
    ///
    /// It came from `map` of so many chunks, and nobody uses it.
    pub(super) unsafe fn unmap(start: NonNull<u8>, chunks: usize) {
        // SAFETY: the caller's.
        let _kept = unsafe { munmap(start.as_ptr().cast(), chunks * CHUNK) };
    }
}

/// By the allocator: for Miri, and where we know of no such calls.
#[cfg(any(not(unix), miri))]
mod plain {
    use crate::pages::chunk::CHUNK;
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    /// Chunks that are mapped together, at most: an interpreter has room for few.
    pub(in crate::pages) const MOST: usize = 1;

    /// Memory comes page by page.
    pub(super) const HUGE: usize = usize::MAX;
    pub(super) const HUGE_PAGE: usize = CHUNK;

    pub(super) fn populate(_: NonNull<u8>, _: usize) {}

    pub(super) fn map(chunks: usize) -> Option<NonNull<u8>> {
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { alloc_zeroed(layout(chunks)?) })
    }

    /// # Safety
    ///
    /// Nobody uses them.
    pub(in crate::pages) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { start.write_bytes(0, bytes) };
    }

    /// # Safety
    ///
    /// It came from `map` of so many chunks, and nobody uses it.
    pub(super) unsafe fn unmap(start: NonNull<u8>, chunks: usize) {
        if let Some(layout) = layout(chunks) {
            // SAFETY: the caller's.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }

    fn layout(chunks: usize) -> Option<Layout> {
        Layout::from_size_align(chunks.checked_mul(CHUNK)?, CHUNK).ok()
    }
}
