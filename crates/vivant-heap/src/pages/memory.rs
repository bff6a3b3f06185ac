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

// SAFETY: a mapping belongs to its source, and is used under the source's lock.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps zeroed memory of `chunks` chunks, aligned to one chunk. Returns `None` if the system
    /// has none.
    pub(super) fn new(chunks: usize) -> Option<Mapping> {
        let start = source::map(chunks)?;
        Some(Mapping { start, chunks })
    }

    pub(super) fn chunks(&self) -> usize {
        self.chunks
    }

    /// The number of chunks that the system commits together, when one of them is first used, if it
    /// has huge pages. It divides the number of chunks of the mapping.
    pub(super) fn unit(&self) -> usize {
        if self.chunks >= HUGE {
            HUGE_PAGE / CHUNK
        } else {
            1
        }
    }

    /// The address of one of the mapping's chunks.
    pub(super) fn chunk(&self, number: usize) -> NonNull<u8> {
        debug_assert!(number < self.chunks);
        // SAFETY: within the mapping.
        unsafe { self.start.add(number * CHUNK) }
    }
}

/// Chunks of a mapping that were never used. They are zeroed, belong to the holder of this value
/// alone, and are mapped as long as their source exists.
#[derive(Debug)]
pub(super) struct Unused {
    start: NonNull<u8>,
    chunks: usize,
}

// SAFETY: each chunk is in one `Unused` only.
unsafe impl Send for Unused {}

impl Unused {
    /// These chunks, which are in no other `Unused`.
    pub(super) fn of(mapping: &Mapping, chunks: std::ops::Range<usize>) -> Unused {
        assert!(chunks.end <= mapping.chunks(), "within the mapping");
        let start = mapping.chunk(chunks.start);
        let chunks = chunks.len();
        Unused { start, chunks }
    }

    pub(super) fn chunks(&self) -> usize {
        self.chunks
    }

    /// Splits it into single chunks.
    pub(super) fn into_chunks(self) -> impl Iterator<Item = Unused> {
        (0..self.chunks).map(move |number| Unused {
            // SAFETY: within the chunks of `self`.
            start: unsafe { self.start.add(number * CHUNK) },
            chunks: 1,
        })
    }

    /// Returns the address of the first byte; the caller uses the chunks from here on.
    pub(super) fn into_start(self) -> NonNull<u8> {
        self.start
    }

    #[cfg(all(test, target_os = "linux", not(miri)))]
    pub(super) fn starts(&self) -> Vec<NonNull<u8>> {
        // SAFETY: within the chunks of `self`.
        let start = |number| unsafe { self.start.add(number * CHUNK) };
        (0..self.chunks).map(start).collect()
    }

    /// Commits the memory by writing to each page what it contains. A system call for that would
    /// meanwhile block every mapping and unmapping of the process, those of `malloc` too: 7 ms were
    /// measured.
    pub(super) fn touch(&mut self) {
        for offset in (0..self.chunks * CHUNK).step_by(PAGE) {
            // SAFETY: within the chunks of `self`, which are used by no other code. Volatile: the
            // write has to happen, because it commits the page.
            unsafe { self.start.add(offset).write_volatile(0) };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped with this number of chunks. The source is dropped last because heaps hold
        // it; a mapping that held one large object is dropped when that object is dead.
        unsafe { source::unmap(self.start, self.chunks) };
    }
}

/// By system calls: memory is reserved without being committed.
#[cfg(all(unix, not(miri)))]
mod system {
    use crate::pages::chunk::CHUNK;
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
    use std::ptr::{self, NonNull};

    /// The largest number of chunks in one mapping.
    pub(in crate::pages) const MOST: usize = 64;

    /// Mappings of at least this number of chunks use huge pages if the system has them: first use
    /// of huge pages costs a third of the first use of small pages. A small program would wait for
    /// each huge page and use few of them. Mappings double, so there are as many chunks before the
    /// first of these.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) const HUGE: usize = 8;
    /// Memory is committed page by page.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) const HUGE: usize = usize::MAX;

    /// The alignment of huge pages on most machines.
    pub(super) const HUGE_PAGE: usize = 2 * CHUNK;

    /// Advice that memory is not needed. Linux takes it back at once; other systems when they
    /// choose.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const NOT_NEEDED: Advice = Advice::LinuxDontNeed;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const NOT_NEEDED: Advice = Advice::DontNeed;

    /// Maps zeroed memory of `chunks` chunks, aligned to one chunk. Returns `None` if the system
    /// has none.
    pub(super) fn map(chunks: usize) -> Option<NonNull<u8>> {
        let bytes = chunks.checked_mul(CHUNK)?;
        let align = if chunks >= HUGE { HUGE_PAGE } else { CHUNK };
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, at an address that the system chooses.
        let start =
            unsafe { mmap_anonymous(ptr::null_mut(), bytes.checked_add(align)?, access, flags) };
        let start = start.ok()?.cast::<u8>();
        let before = start.align_offset(align);
        // SAFETY: `align` more bytes were mapped than needed; what lies before the first aligned
        // address and behind the last chunk is unmapped.
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
                // A system without huge pages continues with small ones.
                let _none = madvise(aligned.cast(), bytes, Advice::LinuxHugepage);
            }
            NonNull::new(aligned)
        }
    }

    /// Gives the memory of whole pages back to the system. They stay mapped, and their content is
    /// unspecified when they are next used.
    ///
    /// # Safety
    ///
    /// The pages are not in use.
    pub(in crate::pages) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        // SAFETY: guaranteed by the caller. If the system refuses, the pages keep their memory,
        // which is no other harm.
        let _kept = unsafe { madvise(start.as_ptr().cast(), bytes, NOT_NEEDED) };
    }

    /// Unmaps a mapping.
    ///
    /// # Safety
    ///
    /// It came from `map` with this number of chunks, and is not in use.
    pub(super) unsafe fn unmap(start: NonNull<u8>, chunks: usize) {
        // SAFETY: guaranteed by the caller.
        let _kept = unsafe { munmap(start.as_ptr().cast(), chunks * CHUNK) };
    }
}

/// By the allocator: for Miri, and for systems without known calls.
#[cfg(any(not(unix), miri))]
mod plain {
    use crate::pages::chunk::CHUNK;
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    /// The largest number of chunks in one mapping: an interpreter has room for few.
    pub(in crate::pages) const MOST: usize = 1;

    /// Memory is committed page by page.
    pub(super) const HUGE: usize = usize::MAX;
    pub(super) const HUGE_PAGE: usize = CHUNK;

    pub(super) fn map(chunks: usize) -> Option<NonNull<u8>> {
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { alloc_zeroed(layout(chunks)?) })
    }

    /// # Safety
    ///
    /// The pages are not in use.
    pub(in crate::pages) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { start.write_bytes(0, bytes) };
    }

    /// # Safety
    ///
    /// It came from `map` with this number of chunks, and is not in use.
    pub(super) unsafe fn unmap(start: NonNull<u8>, chunks: usize) {
        if let Some(layout) = layout(chunks) {
            // SAFETY: guaranteed by the caller.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }

    fn layout(chunks: usize) -> Option<Layout> {
        Layout::from_size_align(chunks.checked_mul(CHUNK)?, CHUNK).ok()
    }
}
