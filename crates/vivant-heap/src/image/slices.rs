//! Slices and texts as they lie in a heap.

use crate::alloc::header::{Header, Length};
use std::ptr::NonNull;

/// The first element of a slice, and their number.
///
/// # Safety
///
/// The object is a slice.
pub(super) unsafe fn elements(object: NonNull<Header>) -> (NonNull<u8>, usize) {
    // SAFETY: guaranteed by the caller (X1): a length follows the header, and then the elements.
    unsafe {
        let count = object.add(1).cast::<Length>().read().elements();
        (object.add(2).cast(), count)
    }
}
