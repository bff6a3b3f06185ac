//! Memory from the system, in whole chunks.

use super::chunk::{CHUNK, PAGE};
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

    /// Chunks that the system gives memory together, when one of them is first used, if it has huge
    /// pages; they divide the mapping.
    pub(super) fn unit(&self) -> usize {
        if self.chunks >= HUGE {
            HUGE_PAGE / CHUNK
        } else {
            1
        }
    }

    /// Where one of its chunks begins.
    pub(super) fn chunk(&self, number: usize) -> NonNull<u8> {
        debug_assert!(number < self.chunks);
        // SAFETY: within the mapping.
        unsafe { self.start.add(number * CHUNK) }
    }
}

/// Chunks of a mapping that nobody has used yet: the holder's alone, zeroed, as long as their
/// source is there.
#[derive(Debug)]
pub(super) struct Unused {
    start: NonNull<u8>,
    chunks: usize,
}

// SAFETY: nobody else has these chunks.
unsafe impl Send for Unused {}

impl Unused {
    /// These chunks, which nobody else is given.
    pub(super) fn of(mapping: &Mapping, chunks: std::ops::Range<usize>) -> Unused {
        assert!(chunks.end <= mapping.chunks(), "within the mapping");
        let start = mapping.chunk(chunks.start);
        let chunks = chunks.len();
        Unused { start, chunks }
    }

    pub(super) fn chunks(&self) -> usize {
        self.chunks
    }

    /// One by one.
    pub(super) fn into_chunks(self) -> impl Iterator<Item = Unused> {
        (0..self.chunks).map(move |number| Unused {
            // SAFETY: within what is held.
            start: unsafe { self.start.add(number * CHUNK) },
            chunks: 1,
        })
    }

    /// Where it begins, for whoever uses it from here on.
    pub(super) fn into_start(self) -> NonNull<u8> {
        self.start
    }

    #[cfg(all(test, target_os = "linux", not(miri)))]
    pub(super) fn starts(&self) -> Vec<NonNull<u8>> {
        // SAFETY: within what is held.
        let start = |number| unsafe { self.start.add(number * CHUNK) };
        (0..self.chunks).map(start).collect()
    }

    /// Has the system give the memory, by writing to each page what is there. A call that asks for
    /// it would hold up every mapping and unmapping of the process meanwhile, those of `malloc`
    /// too: 7 ms were seen.
    pub(super) fn touch(&mut self) {
        for offset in (0..self.chunks * CHUNK).step_by(PAGE) {
            // SAFETY: within what is held, which nobody else uses. Volatile: for the sake of the
            // page.
            unsafe { self.start.add(offset).write_volatile(0) };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped with so many chunks. The source goes last: heaps hold it. Or the one
        // object in it is gone.
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

    /// From so many chunks on a mapping is made of huge pages, if the system likes: together they
    /// cost a third of what small ones cost when they are first used. A small program would wait
    /// for each, and use few: mappings double, so before this one there were as many chunks.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) const HUGE: usize = 8;
    /// Memory comes page by page.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) const HUGE: usize = usize::MAX;

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
        // SAFETY: so much more than asked for was mapped; what lies before the first whole one and
        // behind the last is given back.
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

    /// Gives the memory of whole pages back to the system; they stay mapped, and nobody knows what
    /// lies in them when they are next used.
    ///
    /// # Safety
    ///
    /// Nobody uses them.
    pub(in crate::pages) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's. A system that refuses keeps them, which costs memory and nothing
        // else.
        let _kept = unsafe { madvise(start.as_ptr().cast(), bytes, NOT_NEEDED) };
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
