//! Notes of old objects with destructors.

use super::{Old, destroy, span_of};
use crate::alloc::header::Header;
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

    /// Runs the destructor of an object, if it has one. Its block stays.
    ///
    /// # Safety
    ///
    /// The object is of this generation, and is not used any more.
    pub(crate) unsafe fn destroy_in_place(&mut self, object: NonNull<Header>) {
        // SAFETY: the caller's contract (X1).
        if unsafe { object.as_ref() }.shape().has_destructor() {
            self.destructors -= 1;
            // SAFETY: the caller's contract (X1). The note goes with it: a sweep does not destroy
            // the object again.
            unsafe {
                span_of(object).forget_drop(object.cast());
                self.panics += destroy(object);
            }
        }
    }
}
