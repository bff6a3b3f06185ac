//! [`WeakTarget`]: what a weak reference refers to.

use crate::alloc::header::Header;
use std::cell::Cell;
use std::ptr::NonNull;

/// The target of a weak reference.
///
/// It is written by collections alone, so an old one refers to a young object only if it was
/// tenured together with that object.
#[repr(transparent)]
pub(crate) struct WeakTarget(Cell<Option<NonNull<Header>>>);

impl WeakTarget {
    pub(crate) fn new(object: NonNull<Header>) -> WeakTarget {
        WeakTarget(Cell::new(Some(object)))
    }

    /// The target of a reference that was cleared.
    pub(crate) fn cleared() -> WeakTarget {
        WeakTarget(Cell::new(None))
    }

    /// The object; `None` after its death.
    #[inline]
    pub(crate) fn get(&self) -> Option<NonNull<Header>> {
        self.0.get()
    }

    /// # Safety
    ///
    /// The value begins with its target, as that of a [`Weak`](crate::Weak) does, and the object
    /// does not move meanwhile.
    pub(crate) unsafe fn of<'a>(object: NonNull<Header>) -> &'a WeakTarget {
        // SAFETY: guaranteed by the caller; a weak cell begins with its target.
        unsafe { object.add(1).cast().as_ref() }
    }

    /// Updates the target to the object's address now, by `place`; clears it if the object is dead.
    pub(crate) fn update(
        &self,
        place: impl FnOnce(NonNull<Header>) -> Option<NonNull<Header>>,
    ) -> Option<NonNull<Header>> {
        let object = self.0.get().and_then(place);
        self.0.set(object);
        object
    }
}
