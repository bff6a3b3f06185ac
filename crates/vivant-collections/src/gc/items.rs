//! Chunks of elements, and chunks of links.

use super::chunk::{CHUNK_MAX, Chunk, Content, HEAD, Raw, SLOTS_MAX, end_elements};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use vivant_heap::{Evacuator, ExternalEdges, Object, Tracer};

/// The content of chunks that hold elements.
pub(crate) struct Items<T>(PhantomData<fn() -> T>);

/// # Safety
///
/// The chunk contains such elements, or has at least as many bytes.
#[inline]
unsafe fn first<T>(chunk: Raw) -> NonNull<T> {
    // SAFETY: guaranteed by the caller; elements are not aligned to more than the head is.
    unsafe { chunk.behind(HEAD) }
}

// SAFETY: the content is the elements in the slots, and each reports its references.
unsafe impl<'gc, T: Object<'gc>> Content<'gc> for Items<T> {
    type Static = Items<T::Static>;
    const NEEDS_TRACE: bool = T::NEEDS_TRACE;
    const NEEDS_DROP: bool = std::mem::needs_drop::<T>();
    const HAS_EXTERNAL_EDGES: bool = T::HAS_EXTERNAL_EDGES;

    #[inline]
    fn bytes(capacity: usize) -> usize {
        HEAD + capacity * size_of::<T>()
    }

    unsafe fn trace(chunk: Raw, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for slot in chunk.filled() {
                first::<T>(chunk).add(slot).as_ref().trace(tracer);
            }
        }
    }

    unsafe fn evacuate(chunk: Raw, written: Range<usize>, evacuator: &mut Evacuator<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for slot in written {
                first::<T>(chunk).add(slot).as_mut().evacuate(evacuator);
            }
        }
    }

    unsafe fn trace_external(chunk: Raw, edges: &mut ExternalEdges<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for slot in chunk.filled() {
                first::<T>(chunk).add(slot).as_ref().trace_external(edges);
            }
        }
    }

    unsafe fn end(chunk: Raw) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let filled = chunk.filled();
            end_elements(first::<T>(chunk).add(filled.start), filled.len());
        }
    }
}

impl<'gc, T: Object<'gc>> Chunk<'gc, Items<T>> {
    /// The number of slots of a full chunk: a power of two.
    pub(crate) const MOST: usize = {
        assert!(
            align_of::<T>() <= 8,
            "an element is aligned to 8 bytes at most; box what needs more"
        );
        let size = if size_of::<T>() == 0 {
            1
        } else {
            size_of::<T>()
        };
        let fit = (CHUNK_MAX - HEAD) / size;
        let fit = if T::NEEDS_TRACE && fit > SLOTS_MAX {
            SLOTS_MAX
        } else {
            fit
        };
        if fit == 0 { 1 } else { 1 << fit.ilog2() }
    };

    /// The number of slots of a collection's first chunk.
    pub(crate) const FIRST: usize = if Self::MOST < 4 { Self::MOST } else { 4 };

    /// A pointer to the slot of this number.
    #[inline]
    pub(crate) fn slot(self, number: usize) -> NonNull<T> {
        debug_assert!(number <= self.capacity());
        // SAFETY: the chunk has this slot, or ends there.
        unsafe { first::<T>(self.raw()).add(number) }
    }

    /// Moves all elements to the slots from `from` on of another, empty chunk.
    ///
    /// # Safety
    ///
    /// Both have passed the barrier; the other chunk has enough slots.
    pub(crate) unsafe fn move_to(self, other: Self, from: usize) {
        let (slots, count) = (self.from(), self.len());
        debug_assert!(from + count <= other.capacity());
        // SAFETY: they are elements, which only one of the chunks holds at a time.
        unsafe {
            self.fill(0..0);
            self.slot(slots)
                .copy_to_nonoverlapping(other.slot(from), count);
            other.fill(from..from + count);
        }
    }
}

/// The content of chunks that refer to chunks.
pub(crate) struct Links;

// SAFETY: the content is the references in the slots.
unsafe impl<'gc> Content<'gc> for Links {
    type Static = Links;
    const NEEDS_TRACE: bool = true;
    const NEEDS_DROP: bool = false;

    #[inline]
    fn bytes(capacity: usize) -> usize {
        HEAD + capacity * size_of::<Raw>()
    }

    unsafe fn trace(chunk: Raw, tracer: &mut Tracer<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for slot in chunk.filled() {
                first::<Raw>(chunk).add(slot).read().trace(tracer);
            }
        }
    }

    unsafe fn evacuate(chunk: Raw, written: Range<usize>, evacuator: &mut Evacuator<'_>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            for slot in written {
                let slot = first::<Raw>(chunk).add(slot);
                slot.write(slot.read().evacuated(evacuator));
            }
        }
    }

    unsafe fn end(_: Raw) {}
}

/// # Safety
///
/// The chunk is one of [`Links`], and has this slot.
#[inline]
pub(crate) unsafe fn link(chunk: Raw, slot: usize) -> NonNull<Raw> {
    // SAFETY: guaranteed by the caller.
    unsafe { first::<Raw>(chunk).add(slot) }
}
