//! The end of a heap that its holder drops: first the state, then the objects, then the memory.

use super::heap::{Core, Heap, Root};
use crate::object::object_trait::Unbranded;
use crate::orca::sharing::HeapEnd;
use crate::trampoline::drop_by_trampoline;
use std::mem::ManuallyDrop;
use std::panic::{self, AssertUnwindSafe};

impl<R: Root> Heap<R> {
    /// The same heap with another state, which has no collected parts.
    pub(crate) fn with_state<S: Root<Of<'static>: Unbranded>>(
        self,
        state: S::Of<'static>,
    ) -> Heap<S> {
        let (core, mut before) = self.into_parts();
        // SAFETY: dropped once: `into_parts` has moved the state out.
        unsafe { drop_state(&mut before) };
        Heap::of(core, state)
    }
}

/// Drops a state.
///
/// # Safety
///
/// Called once for the state, which is not used afterwards.
pub(crate) unsafe fn drop_state<S>(state: &mut ManuallyDrop<S>) {
    // SAFETY: the caller's contract; the state may have destructors of leaf types, which reach no
    // collected object (H10).
    let ended = panic::catch_unwind(AssertUnwindSafe(|| unsafe { ManuallyDrop::drop(state) }));
    if let Err(panic) = ended {
        crate::foreign_code::drop_panic(panic);
    }
}

impl<R: Root> Drop for Heap<R> {
    /// A region in a region ends after that one (H12).
    fn drop(&mut self) {
        self.finish_image();
        // SAFETY: moved out once: this is the heap's destructor (X10).
        let (core, mut state) = unsafe {
            (
                ManuallyDrop::take(&mut self.core),
                std::ptr::read(&raw const self.state),
            )
        };
        drop_by_trampoline(move || {
            // SAFETY: dropped once: the heap does not have it any more (X10).
            unsafe { drop_state(&mut state) };
            drop(core);
        });
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.abort_mark();
        if self.end() == HeapEnd::Shared {
            return;
        }
        for object in self.nursery.droppable() {
            // SAFETY: the object is not used any more: the state was dropped, or never made.
            unsafe { crate::alloc::old::destroy(object) };
        }
        // SAFETY: no object is used any more, because the state was dropped or never made.
        unsafe {
            self.nursery.clear(&self.chunk_cache);
            self.chunk_cache.shrink(0, &self.source);
            self.old.clear(&self.source);
        }
    }
}
