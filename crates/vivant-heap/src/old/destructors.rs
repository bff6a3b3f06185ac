//! Old objects whose values have destructors: how many there are. Somebody may wait for one to run.

use super::{Old, run_of};
use crate::header::Header;
use crate::heap::{Heap, Root};
use crate::mutator::Mutator;
use std::ptr::NonNull;

impl Old {
    /// The value of an object has a destructor.
    ///
    /// # Safety
    ///
    /// It is one of this generation, and was not noted.
    pub(crate) unsafe fn note_drop(&mut self, object: NonNull<Header>) {
        self.destructors += 1;
        // SAFETY: the caller's.
        unsafe { run_of(object).note_drop(object.cast()) };
    }
}

impl Mutator<'_> {
    /// Notes the destructor of a shared object: its owner counts it, which is not the region in
    /// which it may have been made.
    ///
    /// # Safety
    ///
    /// It was just made.
    #[inline(never)]
    pub(crate) unsafe fn note_drop_shared(&self, object: NonNull<Header>) {
        // SAFETY: the owner's turn lasts, and this thread has it; nobody has a reference into its
        // heap within this function.
        let owner = unsafe { &mut *self.sharer().as_ref().get() };
        // SAFETY: the caller's.
        unsafe { owner.old.note_drop(object) };
    }
}

impl<R: Root> Heap<R> {
    /// Whether an object of it has a destructor, a dead one perhaps, which runs when that is
    /// collected. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn has_destructors(&self) -> bool {
        let core = self.core();
        core.old.destructors != 0 || core.nursery.has_destructors()
    }
}
