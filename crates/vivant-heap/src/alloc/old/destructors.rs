//! The number of old objects with destructors: an actor may depend on a destructor that has yet to
//! run.

use super::{Old, span_of};
use crate::alloc::header::Header;
use crate::gc::heap::{Core, Heap, Root};
use crate::gc::mutator::Mutator;
use std::ptr::NonNull;

impl Old {
    /// Notes that the value of an object has a destructor.
    ///
    /// # Safety
    ///
    /// The object is of this generation, and was not noted before.
    pub(crate) unsafe fn note_drop(&mut self, object: NonNull<Header>) {
        self.destructors += 1;
        // SAFETY: the caller's contract.
        unsafe { span_of(object).note_drop(object.cast()) };
    }
}

impl Mutator<'_> {
    /// Notes the destructor of a shared object. Its owner counts it, not the region in which the
    /// object may have been made.
    ///
    /// # Safety
    ///
    /// The object was just made.
    #[inline(never)]
    pub(crate) unsafe fn note_drop_shared(&self, object: NonNull<Header>) {
        // SAFETY: the owner's turn lasts, and this thread has it; no other reference into its heap
        // exists within this function.
        let owner = unsafe { &mut *self.sharer().as_ref().get() };
        // SAFETY: the caller's contract.
        unsafe { owner.old.note_drop(object) };
    }
}

impl Core {
    /// As [`Heap::has_destructors`].
    #[inline]
    pub(crate) fn has_destructors(&self) -> bool {
        self.old.destructors != 0 || self.nursery.has_destructors()
    }
}

impl<R: Root> Heap<R> {
    /// Whether an object of this heap has a destructor that has not run yet, perhaps a dead object
    /// that is not collected. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn has_destructors(&self) -> bool {
        self.core().has_destructors()
    }
}
