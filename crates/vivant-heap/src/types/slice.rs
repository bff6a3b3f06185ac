//! Slices and strings: objects of which the type does not tell the size.

use super::collected::Collected;
use super::frozen::Frozen;
use super::gc::Gc;
use super::object::Object;
use super::val::Val;
use crate::header::{Header, Length, Table};
use crate::mutator::{Mutator, no_memory};
use std::mem;
use std::ptr::NonNull;

/// Where a slice is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Birth {
    /// As other objects of its size.
    Own,
    /// Where shared objects are.
    Shared,
}

impl<'gc> Mutator<'gc> {
    /// A new slice, with the values of a vector or an array.
    ///
    /// The length lies in the object too, before the elements.
    ///
    /// ```
    /// use vivant_heap::{Gc, Mutator};
    ///
    /// fn halves<'gc>(m: &Mutator<'gc>) -> Gc<'gc, [Gc<'gc, str>]> {
    ///     m.alloc_slice([m.alloc_str("left"), m.alloc_str("right")])
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    pub fn alloc_slice<T: Object<'gc>>(&self, values: impl Into<Vec<T>>) -> Gc<'gc, [T]> {
        let mut values: Vec<T> = values.into();
        let elements = values.as_ptr();
        // SAFETY: the vector forgets its values when they have moved, bit for bit, into the slice.
        unsafe {
            let slice = self.slice::<T, [T]>(elements, values.len(), Birth::Own);
            values.set_len(0);
            Gc::at(NonNull::slice_from_raw_parts(slice.0, slice.1))
        }
    }

    /// A new slice, with what an iterator gives. The iterator may allocate too.
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    pub fn alloc_iter<T: Object<'gc>>(&self, values: impl IntoIterator<Item = T>) -> Gc<'gc, [T]> {
        self.alloc_slice(Vec::from_iter(values))
    }

    /// A new string.
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    pub fn alloc_str(&self, text: &str) -> Gc<'gc, str> {
        // SAFETY: bytes can be copied, and these are a string's.
        unsafe {
            let (first, length) = self.slice::<u8, str>(text.as_ptr(), text.len(), Birth::Own);
            let bytes = NonNull::slice_from_raw_parts(first, length);
            Gc::at(NonNull::new_unchecked(bytes.as_ptr() as *mut str))
        }
    }

    /// A new shared slice.
    ///
    /// ```
    /// use vivant_heap::{Mutator, Val};
    ///
    /// fn halves<'gc>(m: &Mutator<'gc>) -> Val<'gc, [Val<'gc, str>]> {
    ///     m.val_slice([m.val_str("left"), m.val_str("right")])
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    pub fn val_slice<T: Frozen<'gc>>(&self, values: impl Into<Vec<T>>) -> Val<'gc, [T]> {
        let mut values: Vec<T> = values.into();
        let elements = values.as_ptr();
        // SAFETY: as in `alloc_slice`.
        unsafe {
            let slice = self.slice::<T, [T]>(elements, values.len(), Birth::Shared);
            values.set_len(0);
            Val::at(NonNull::slice_from_raw_parts(slice.0, slice.1))
        }
    }

    /// A new shared string.
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    pub fn val_str(&self, text: &str) -> Val<'gc, str> {
        // SAFETY: as in `alloc_str`.
        unsafe {
            let (first, length) = self.slice::<u8, str>(text.as_ptr(), text.len(), Birth::Shared);
            let bytes = NonNull::slice_from_raw_parts(first, length);
            Val::at(NonNull::new_unchecked(bytes.as_ptr() as *mut str))
        }
    }

    /// # Safety
    ///
    /// So many values can be read there, which are not used after this, unless their bytes are
    /// values of their own in a copy.
    unsafe fn slice<T: Object<'gc>, S: ?Sized + Collected<'gc>>(
        &self,
        values: *const T,
        elements: usize,
        birth: Birth,
    ) -> (NonNull<T>, usize) {
        const {
            assert!(
                align_of::<T>() <= 8,
                "an element is aligned to 8 bytes at most; box what needs more"
            );
        }
        let Some(length) = Length::new(elements) else {
            no_memory(usize::MAX)
        };
        // No overflow: so many lie in memory already.
        let bytes = size_of::<Length>() + elements * size_of::<T>();
        let room = match birth {
            Birth::Own => self.room(bytes, T::NEEDS_TRACE),
            Birth::Shared => self.room_shared(bytes),
        };
        // SAFETY: room for the header, the length and the values; the rest is the caller's.
        unsafe {
            room.write(Header::new(Table::of_slice::<T, S>()));
            room.add(1).cast::<Length>().write(length);
            let first = room.add(2).cast::<T>();
            first.copy_from_nonoverlapping(NonNull::new_unchecked(values.cast_mut()), elements);
            if const { mem::needs_drop::<T>() } {
                match birth {
                    Birth::Own => self.note_drop(room, bytes),
                    Birth::Shared => self.note_drop_shared(room),
                }
            }
            if const { T::SHOWS } {
                self.note_shows();
            }
            if birth == Birth::Shared {
                self.parts_are_counted(NonNull::slice_from_raw_parts(first, elements).as_ref());
            }
            (first, elements)
        }
    }
}
