//! Notes of old objects with destructors.

use super::{Old, span_of};
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
}
