//! Slices and strings: objects with a length, because their type does not determine their size.

use super::val::Val;
use crate::alloc::header::{Header, Length};
use crate::gc::mutator::{Mutator, no_memory};
use crate::object::collected::Collected;
use crate::object::frozen::Frozen;
use crate::object::gc::Gc;
use crate::object::object_trait::Object;
use crate::object::table::Table;
use std::mem;
use std::ptr::NonNull;

/// Where a slice is allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Birth {
    /// Like other private objects of its size.
    Own,
    /// In the old generation, like shared objects.
    Shared,
}

impl<'gc> Mutator<'gc> {
    /// Allocates a slice with the values of a vector or an array.
    ///
    /// The length is stored in the object too, before the elements.
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
        // SAFETY: the vector forgets its values once they are copied, bit for bit, into the slice.
        unsafe {
            let slice = self.slice::<T, [T]>(elements, values.len(), Birth::Own);
            values.set_len(0);
            Gc::at(NonNull::slice_from_raw_parts(slice.0, slice.1))
        }
    }

    /// Allocates a slice with the items of an iterator. The iterator may allocate too.
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    pub fn alloc_iter<T: Object<'gc>>(&self, values: impl IntoIterator<Item = T>) -> Gc<'gc, [T]> {
        self.alloc_slice(Vec::from_iter(values))
    }

    /// Allocates a string.
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    pub fn alloc_str(&self, text: &str) -> Gc<'gc, str> {
        // SAFETY: bytes can be copied, and these are the bytes of a string.
        unsafe {
            let (first, length) = self.slice::<u8, str>(text.as_ptr(), text.len(), Birth::Own);
            let bytes = NonNull::slice_from_raw_parts(first, length);
            Gc::at(NonNull::new_unchecked(bytes.as_ptr() as *mut str))
        }
    }

    /// Allocates a shared slice.
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
        // SAFETY: the vector forgets its values once they are copied, bit for bit, into the slice.
        unsafe {
            let slice = self.slice::<T, [T]>(elements, values.len(), Birth::Shared);
            values.set_len(0);
            Val::at(NonNull::slice_from_raw_parts(slice.0, slice.1))
        }
    }

    /// Allocates a shared string.
    ///
    /// # Panics
    ///
    /// As [`Mutator::alloc`].
    pub fn val_str(&self, text: &str) -> Val<'gc, str> {
        // SAFETY: bytes can be copied, and these are the bytes of a string.
        unsafe {
            let (first, length) = self.slice::<u8, str>(text.as_ptr(), text.len(), Birth::Shared);
            let bytes = NonNull::slice_from_raw_parts(first, length);
            Val::at(NonNull::new_unchecked(bytes.as_ptr() as *mut str))
        }
    }

    /// # Safety
    ///
    /// `elements` values can be read at `values`. They are not used after this call, unless a
    /// bitwise copy of a value is a value of its own.
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
        // No overflow: this number of values is in memory already.
        let bytes = size_of::<Length>() + elements * size_of::<T>();
        let room = match birth {
            Birth::Own => self.allocate(bytes, T::NEEDS_TRACE),
            Birth::Shared => self.allocate_shared(bytes),
        };
        // SAFETY: there is room for the header, the length and the values; the rest is the
        // caller's.
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
            if const { T::HAS_EXTERNAL_EDGES } {
                self.note_external_edges();
            }
            if birth == Birth::Shared {
                self.count_components(NonNull::slice_from_raw_parts(first, elements).as_ref());
            }
            (first, elements)
        }
    }
}
