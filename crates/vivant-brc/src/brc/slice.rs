//! Slices: one object for all elements.

use super::{Brc, newborn};
use crate::bias::header::Header;
use crate::object::{Object, Raw, Unfinished, allocate, copied};
use std::alloc::Layout;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

/// A slice that is being made. If that ends in a panic, the elements made so far are dropped, and
/// the memory is freed.
pub(super) struct Filling<T> {
    start: NonNull<u8>,
    /// Where the first element goes.
    place: NonNull<T>,
    filled: usize,
    room: usize,
    /// Freed after the elements have been dropped, also if that panics.
    _memory: Unfinished,
}

impl<T> Filling<T> {
    /// Room for so many elements.
    ///
    /// # Panics
    ///
    /// They are more than memory can have.
    pub(super) fn new(room: usize) -> Filling<T> {
        let layout = Layout::array::<T>(room).expect("a slice is no larger than memory");
        // Born when it is finished: an object that is never finished must not count as one of its
        // owner's.
        let (start, place) = allocate(layout, Header::merged());
        Filling {
            start,
            place: place.cast(),
            filled: 0,
            room,
            // SAFETY: allocated for that, and forgotten where somebody else frees it.
            _memory: unsafe { Unfinished::new(start, layout) },
        }
    }

    /// Where the elements go.
    pub(super) fn place(&self) -> NonNull<T> {
        self.place
    }

    /// # Safety
    ///
    /// There is room for one more.
    unsafe fn push(&mut self, value: T) {
        debug_assert!(self.filled < self.room);
        // SAFETY: the place is within the room, and nothing is there yet.
        unsafe { self.place.add(self.filled).write(value) };
        self.filled += 1;
    }

    /// The object, with this header.
    ///
    /// # Safety
    ///
    /// All elements are there. If the header has an owner, any thread may drop them at any time.
    pub(super) unsafe fn finish(self, header: Header) -> Brc<[T]> {
        let this = ManuallyDrop::new(self);
        // SAFETY: the memory begins with a header, which nobody uses yet.
        unsafe { this.start.cast::<Header>().write(header) };
        let elements = ptr::slice_from_raw_parts_mut(this.start.as_ptr().cast::<T>(), this.room);
        // SAFETY: not null. An object of a slice has the length of its slice in the pointer.
        Brc::counted(Raw(unsafe {
            NonNull::new_unchecked(elements as *mut Object<[T]>)
        }))
    }
}

impl<T> Drop for Filling<T> {
    fn drop(&mut self) {
        let made = ptr::slice_from_raw_parts_mut(self.place.as_ptr(), self.filled);
        // SAFETY: these were made, and nobody else has them.
        unsafe { ptr::drop_in_place(made) };
    }
}

impl<T: Clone + Send + Sync + 'static> From<&[T]> for Brc<[T]> {
    /// Clones each element into a new object.
    fn from(values: &[T]) -> Brc<[T]> {
        let mut filling = Filling::new(values.len());
        for value in values {
            // SAFETY: there is room for as many as there are.
            unsafe { filling.push(value.clone()) };
        }
        let bytes = size_of_val(values);
        // SAFETY: that many were pushed. The bounds are those of an owner's objects.
        unsafe { filling.finish(newborn(bytes)) }
    }
}

impl<T: Clone + Send + Sync + 'static> From<&mut [T]> for Brc<[T]> {
    /// Clones each element into a new object.
    fn from(values: &mut [T]) -> Brc<[T]> {
        Brc::from(&*values)
    }
}

impl<T: Send + Sync + 'static> From<Vec<T>> for Brc<[T]> {
    /// Moves the elements into a new object.
    fn from(mut values: Vec<T>) -> Brc<[T]> {
        // SAFETY: the elements move, and the vector has none of them then. The bounds are those of
        // an owner's objects.
        unsafe {
            let object = copied(newborn(size_of_val(values.as_slice())), values.as_slice());
            values.set_len(0);
            Brc::counted(object)
        }
    }
}

impl<T: Send + Sync + 'static, const N: usize> From<[T; N]> for Brc<[T]> {
    /// Moves the array into a new object.
    fn from(values: [T; N]) -> Brc<[T]> {
        crate::unsize!(Brc::new(values) => [T])
    }
}

impl<T: Send + Sync + 'static> FromIterator<T> for Brc<[T]> {
    /// Collects into a vector, and moves the elements from there: two allocations at least,
    /// whatever the iterator knows of its length.
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Brc<[T]> {
        Brc::from(values.into_iter().collect::<Vec<T>>())
    }
}

impl<T, const N: usize> TryFrom<Brc<[T]>> for Brc<[T; N]> {
    type Error = Brc<[T]>;

    /// The same object, if it has so many elements.
    fn try_from(slice: Brc<[T]>) -> Result<Brc<[T; N]>, Brc<[T]>> {
        if slice.len() == N {
            let slice = ManuallyDrop::new(slice);
            Ok(Brc::counted(Raw(slice.raw.0.cast())))
        } else {
            Err(slice)
        }
    }
}
