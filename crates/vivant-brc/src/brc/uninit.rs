//! Objects whose values are written later.

use super::slice::Filling;
use super::{Brc, newborn};
use crate::object::{Object, Raw};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;

impl<T: Send + Sync + 'static> Brc<T> {
    /// A new object, without a value as yet.
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

    /// The same, with all bytes zero.
    #[must_use]
    pub fn new_zeroed() -> Brc<MaybeUninit<T>> {
        Brc::new(MaybeUninit::zeroed())
    }
}

impl<T: Send + Sync + 'static> Brc<[T]> {
    /// A new object with so many elements, which have no values as yet.
    ///
    /// # Panics
    ///
    /// They are more than memory can have.
    #[must_use]
    pub fn new_uninit_slice(len: usize) -> Brc<[MaybeUninit<T>]> {
        // SAFETY: nothing has to be there. The bounds are those of an owner's objects.
        unsafe { Filling::new(len).finish(newborn(len * size_of::<T>())) }
    }

    /// The same, with all bytes zero.
    ///
    /// # Panics
    ///
    /// They are more than memory can have.
    #[must_use]
    pub fn new_zeroed_slice(len: usize) -> Brc<[MaybeUninit<T>]> {
        let filling = Filling::<MaybeUninit<T>>::new(len);
        // SAFETY: there is room for so many. The rest as above.
        unsafe {
            filling.place().write_bytes(0, len);
            filling.finish(newborn(len * size_of::<T>()))
        }
    }
}

impl<T> Brc<MaybeUninit<T>> {
    /// The object with its value.
    ///
    /// # Safety
    ///
    /// The value has been written. It is dropped with the last reference, if that is one of the new
    /// type.
    #[must_use]
    pub unsafe fn assume_init(self) -> Brc<T> {
        Brc::counted(Raw(ManuallyDrop::new(self).raw.0.cast()))
    }
}

impl<T> Brc<[MaybeUninit<T>]> {
    /// The object with its values.
    ///
    /// # Safety
    ///
    /// All values have been written. They are dropped with the last reference, if that is one of
    /// the new type.
    #[must_use]
    pub unsafe fn assume_init(self) -> Brc<[T]> {
        let object = ManuallyDrop::new(self).raw.0.as_ptr();
        // SAFETY: not null; the same length.
        Brc::counted(Raw(unsafe {
            NonNull::new_unchecked(object as *mut Object<[T]>)
        }))
    }
}
