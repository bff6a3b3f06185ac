//! Objects with uninitialised values.

use super::slice::Filling;
use super::{Brc, newborn};
use crate::object::{Object, Raw};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;

impl<T: Send + Sync + 'static> Brc<T> {
    /// A new object with an uninitialised value.
    ///
    /// ```
    /// use vivant_brc::Brc;
    ///
    /// let mut five = Brc::<u32>::new_uninit();
    /// Brc::get_mut(&mut five).unwrap().write(5);
    /// // SAFETY: just written.
    /// let five = unsafe { five.assume_init() };
    /// assert_eq!(*five, 5);
    /// ```
    #[must_use]
    pub fn new_uninit() -> Brc<MaybeUninit<T>> {
        Brc::new(MaybeUninit::uninit())
    }

    /// As [`Brc::new_uninit`], with all bytes zero.
    #[must_use]
    pub fn new_zeroed() -> Brc<MaybeUninit<T>> {
        Brc::new(MaybeUninit::zeroed())
    }
}

impl<T: Send + Sync + 'static> Brc<[T]> {
    /// A new slice of `len` uninitialised elements.
    ///
    /// # Panics
    ///
    /// The elements need more bytes than an allocation can have.
    #[must_use]
    pub fn new_uninit_slice(len: usize) -> Brc<[MaybeUninit<T>]> {
        // SAFETY: uninitialised elements need no value. The bounds of `T` are those of an owner's
        // objects.
        unsafe { Filling::new(len).finish(newborn(len * size_of::<T>())) }
    }

    /// As `new_uninit_slice`, with all bytes zero.
    ///
    /// # Panics
    ///
    /// The elements need more bytes than an allocation can have.
    #[must_use]
    pub fn new_zeroed_slice(len: usize) -> Brc<[MaybeUninit<T>]> {
        let filling = Filling::<MaybeUninit<T>>::new(len);
        // SAFETY: there is room for `len` elements, all bytes zero; uninitialised elements need no
        // value, and the bounds of `T` are those of an owner's objects.
        unsafe {
            filling.place().write_bytes(0, len);
            filling.finish(newborn(len * size_of::<T>()))
        }
    }
}

impl<T> Brc<MaybeUninit<T>> {
    /// Declares the value initialised.
    ///
    /// # Safety
    ///
    /// The value has been written. The drop of the last reference drops the value, if that
    /// reference has the new type.
    #[must_use]
    pub unsafe fn assume_init(self) -> Brc<T> {
        Brc::counted(Raw(ManuallyDrop::new(self).raw.0.cast()))
    }
}

impl<T> Brc<[MaybeUninit<T>]> {
    /// Declares all elements initialised.
    ///
    /// # Safety
    ///
    /// All values have been written. The drop of the last reference drops them, if that reference
    /// has the new type.
    #[must_use]
    pub unsafe fn assume_init(self) -> Brc<[T]> {
        let object = ManuallyDrop::new(self).raw.0.as_ptr();
        // SAFETY: the pointer is not null, and its length stays the same.
        Brc::counted(Raw(unsafe {
            NonNull::new_unchecked(object as *mut Object<[T]>)
        }))
    }
}
