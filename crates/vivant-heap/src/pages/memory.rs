//! Memory from the system, in whole chunks.

#[cfg(any(not(unix), miri))]
pub(crate) use plain::{discard, map, unmap};
#[cfg(all(unix, not(miri)))]
pub(crate) use system::{discard, map, unmap};

/// By the system's calls: reserved without being used.
#[cfg(all(unix, not(miri)))]
mod system {
    use crate::pages::chunk::CHUNK;
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
    use std::ptr::{self, NonNull};

    /// Memory is not needed. Linux takes it back at once; other systems, when they like.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const NOT_NEEDED: Advice = Advice::LinuxDontNeed;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const NOT_NEEDED: Advice = Advice::DontNeed;

    /// Zeroed memory of so many chunks, aligned to one. None if the system has none.
    pub(crate) fn map(chunks: usize) -> Option<NonNull<u8>> {
        let bytes = chunks.checked_mul(CHUNK)?;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, wherever the system likes.
        let start =
            unsafe { mmap_anonymous(ptr::null_mut(), bytes.checked_add(CHUNK)?, access, flags) };
        let start = start.ok()?.cast::<u8>();
        let before = start.align_offset(CHUNK);
        // SAFETY: one chunk more than asked for was mapped; what lies before the first whole one and behind the last is given back.
        unsafe {
            let aligned = start.add(before);
            if before != 0 {
                munmap(start.cast(), before).ok()?;
            }
            if before != CHUNK {
                munmap(aligned.add(bytes).cast(), CHUNK - before).ok()?;
            }
            NonNull::new(aligned)
        }
    }

    /// Gives the memory of whole pages back to the system; they stay mapped, and nobody knows what lies in them when they are next used.
    ///
    /// # Safety
    ///
    /// Nobody uses them.
    pub(crate) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's. A system that refuses keeps them, which costs memory and nothing else.
        let _kept = unsafe { madvise(start.as_ptr().cast(), bytes, NOT_NEEDED) };
    }

    /// Gives a mapping back.
    ///
    /// # Safety
    ///
    /// It came from `map` of so many chunks, and nobody uses it.
    pub(crate) unsafe fn unmap(start: NonNull<u8>, chunks: usize) {
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

    pub(crate) fn map(chunks: usize) -> Option<NonNull<u8>> {
        // SAFETY: the layout is not empty.
        NonNull::new(unsafe { alloc_zeroed(layout(chunks)?) })
    }

    /// # Safety
    ///
    /// Nobody uses them.
    pub(crate) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { start.write_bytes(0, bytes) };
    }

    /// # Safety
    ///
    /// It came from `map` of so many chunks, and nobody uses it.
    pub(crate) unsafe fn unmap(start: NonNull<u8>, chunks: usize) {
        if let Some(layout) = layout(chunks) {
            // SAFETY: the caller's.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }

    fn layout(chunks: usize) -> Option<Layout> {
        Layout::from_size_align(chunks.checked_mul(CHUNK)?, CHUNK).ok()
    }
}
