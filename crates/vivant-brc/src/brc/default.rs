//! Default values.

use super::{Brc, newborn};
use std::ffi::CStr;
use std::pin::Pin;

impl<T: Default + Send + Sync + 'static> Default for Brc<T> {
    fn default() -> Brc<T> {
        Brc::new(T::default())
    }
}

impl Default for Brc<str> {
    fn default() -> Brc<str> {
        Brc::from("")
    }
}

impl Default for Brc<CStr> {
    fn default() -> Brc<CStr> {
        Brc::from(c"")
    }
}

impl<T> Default for Brc<[T]> {
    /// An empty slice. The elements may have any type, because there is no element to drop.
    /// Allocates.
    fn default() -> Brc<[T]> {
        // SAFETY: there are no elements.
        unsafe { super::slice::Filling::new(0).finish(newborn(0)) }
    }
}

impl<T: ?Sized> Default for Pin<Brc<T>>
where
    Brc<T>: Default,
{
    fn default() -> Pin<Brc<T>> {
        // SAFETY: the value is not moved before it is dropped: `get_mut` and its like give no
        // access to a pinned value.
        unsafe { Pin::new_unchecked(Brc::default()) }
    }
}
