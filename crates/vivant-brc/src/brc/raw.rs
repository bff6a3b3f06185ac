//! References as raw pointers.

use super::Brc;
use crate::object::Raw;
use std::mem::ManuallyDrop;

impl<T: ?Sized> Brc<T> {
    /// A pointer to the value. Valid as long as there is a reference.
    #[inline]
    #[must_use]
    pub fn as_ptr(this: &Self) -> *const T {
        // SAFETY: this reference keeps the object.
        unsafe { this.raw.value() }
    }

    /// Turns the reference into a pointer to the value. The reference counts until
    /// [`Brc::from_raw`] takes it back.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let pointer = Brc::into_raw(Brc::new(5));
    /// // SAFETY: just given up.
    /// let five = unsafe { Brc::from_raw(pointer) };
    /// assert_eq!(*five, 5);
    /// ```
    #[must_use = "the reference is lost if nothing takes it back"]
    #[inline]
    pub fn into_raw(this: Self) -> *const T {
        Brc::as_ptr(&ManuallyDrop::new(this))
    }

    /// Takes a reference back.
    ///
    /// # Safety
    ///
    /// `value` came from [`Brc::into_raw`], of the same type or one of the same layout, as with
    /// `Arc`, and is taken back once. If it is of another type, and the object was not made by
    /// [`Brc::unbiased`], then a value of the new type may also be dropped by any thread at any
    /// time: it is `Send`, and borrows nothing.
    #[inline]
    pub unsafe fn from_raw(value: *const T) -> Brc<T> {
        // SAFETY: the reference counts, so the memory is there.
        Brc::counted(unsafe { Raw::around(value) })
    }

    /// Increments the number of references.
    ///
    /// # Safety
    ///
    /// As for [`Brc::from_raw`], but the reference of `value` stays counted.
    pub unsafe fn increment_strong_count(value: *const T) {
        // SAFETY: the caller's reference counts; the `Brc` is not dropped, so it stays counted.
        let this = ManuallyDrop::new(unsafe { Brc::from_raw(value) });
        std::mem::forget(Brc::clone(&this));
    }

    /// Decrements the number of references.
    ///
    /// # Safety
    ///
    /// As for [`Brc::from_raw`].
    pub unsafe fn decrement_strong_count(value: *const T) {
        // SAFETY: the caller gives up one reference of `value`, as for `from_raw`.
        drop(unsafe { Brc::from_raw(value) });
    }
}
