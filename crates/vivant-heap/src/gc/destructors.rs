//! Whether a heap has objects with destructors: an actor may depend on a destructor that has yet to
//! run.

use super::heap::{Core, Heap, Root};

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
