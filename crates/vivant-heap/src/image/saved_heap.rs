//! [`SavedHeap`]: which heap is being saved.

use crate::alloc::header::Header;
use crate::gc::detached_heap::DetachedHeap;
use crate::gc::heap::{Heap, Root};
use crate::orca::heap_handle::HeapHandle;
use crate::orca::heap_id::HeapId;
use std::ptr::NonNull;

/// A context of encoders: the heap of which the state or an object is encoded. Its shared objects
/// have names in the image; those of other heaps have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SavedHeap(HeapId);

impl<R: Root> Heap<R> {
    /// The context by which its state is saved, if that has [`Val`](crate::Val)s. The objects have
    /// it without this.
    #[must_use]
    pub fn saved_heap(&self) -> SavedHeap {
        SavedHeap(self.id())
    }
}

impl<R: Root> Heap<R> {
    /// Its number among the heaps of its page source, in the order in which they began. No other
    /// heap of the source gets it.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.core().owner.number()
    }
}

impl DetachedHeap {
    /// Its number, as [`Heap::number`].
    #[must_use]
    pub fn number(&self) -> u64 {
        self.heap.number()
    }
}

impl SavedHeap {
    /// Whether it is this heap.
    pub(super) fn is(self, heap: HeapId) -> bool {
        self.0 == heap
    }

    /// The heap that owns an object.
    ///
    /// # Safety
    ///
    /// The object lies in a chunk, and its owner is live.
    pub(super) unsafe fn of(object: NonNull<Header>) -> SavedHeap {
        // SAFETY: the caller's contract (X1).
        SavedHeap(unsafe { HeapHandle::of(object).as_ref() }.id())
    }
}
