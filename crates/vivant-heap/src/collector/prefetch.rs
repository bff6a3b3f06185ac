//! Asking for memory before it is looked at.

use crate::header::Header;
use crate::sync::AtomicU8;
use std::ptr::NonNull;

/// Asks for the lines in which an object and its state lie. Changes nothing.
#[inline]
pub(super) fn prefetch(object: NonNull<Header>, state: &AtomicU8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint, of any address; each processor of this kind has the instruction.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(object.as_ptr().cast());
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(state).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (object, state);
}
