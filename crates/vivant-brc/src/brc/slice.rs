//! Slices: one object for all elements.

use super::{Brc, newborn};
use crate::bias::header::Header;
use crate::object::{Object, Raw, Unfinished, allocate, copied};
use std::alloc::Layout;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

/// A slice under construction. A panic drops the elements made so far and frees the memory.
pub(super) struct Filling<T> {
    start: NonNull<u8>,
    /// Address of the first element.
    place: NonNull<T>,
    filled: usize,
    room: usize,
    /// Dropped after the elements, also if an element's destructor panics: frees the memory.
    _memory: Unfinished,
}

impl<T> Filling<T> {
    /// Allocates room for `room` elements.
    ///
    /// # Panics
    ///
    /// The elements need more bytes than an allocation can have.
    pub(super) fn new(room: usize) -> Filling<T> {
        let layout = Layout::array::<T>(room).expect("a slice is no larger than memory");
        // Without owner until `finish`: a slice that is never finished must not count as an object
        // of its owner.
        let (start, place) = allocate(layout, Header::merged());
        Filling {
            start,
            place: place.cast(),
            filled: 0,
            room,
            // SAFETY: `start` came from `allocate` for this layout; `finish` forgets it, because
            // the object frees the memory then.
            _memory: unsafe { Unfinished::new(start, layout) },
        }
    }

    /// Address of the first element.
    pub(super) fn place(&self) -> NonNull<T> {
        self.place
    }

    /// # Safety
    ///
    /// There is room for one more.
    unsafe fn push(&mut self, value: T) {
        debug_assert!(self.filled < self.room);
        // SAFETY: the place is within the room (the caller's guarantee), and no value is there yet.
        unsafe { self.place.add(self.filled).write(value) };
        self.filled += 1;
    }

    /// Makes the object, with this header.
    ///
    /// # Safety
    ///
    /// All elements are there. If the header has an owner, any thread may drop them at any time.
    pub(super) unsafe fn finish(self, header: Header) -> Brc<[T]> {
        let this = ManuallyDrop::new(self);
        // SAFETY: the memory begins with a header, which no other code uses yet.
        unsafe { this.start.cast::<Header>().write(header) };
        let elements = ptr::slice_from_raw_parts_mut(this.start.as_ptr().cast::<T>(), this.room);
        // SAFETY: not null. The pointer to a slice's object has the slice's length as metadata.
        Brc::counted(Raw(unsafe {
            NonNull::new_unchecked(elements as *mut Object<[T]>)
        }))
    }
}

impl<T> Drop for Filling<T> {
    fn drop(&mut self) {
        let made = ptr::slice_from_raw_parts_mut(self.place.as_ptr(), self.filled);
        // SAFETY: these elements were pushed, and no other code has a reference to them.
        unsafe { ptr::drop_in_place(made) };
    }
}

impl<T: Clone + Send + Sync + 'static> From<&[T]> for Brc<[T]> {
    /// Clones each element into a new object.
    fn from(values: &[T]) -> Brc<[T]> {
        let mut filling = Filling::new(values.len());
        for value in values {
            // SAFETY: there is room for `values.len()` elements.
            unsafe { filling.push(value.clone()) };
        }
        let bytes = size_of_val(values);
        // SAFETY: that many were pushed. The bounds of `T` are those of an owner's objects.
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
        // SAFETY: the elements move, and the vector's length is zero then. The bounds of `T` are
        // those of an owner's objects.
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
    /// Collects into a vector, and moves the elements from there: at least two allocations, even if
    /// the iterator knows its length.
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Brc<[T]> {
        Brc::from(values.into_iter().collect::<Vec<T>>())
    }
}

impl<T, const N: usize> TryFrom<Brc<[T]>> for Brc<[T; N]> {
    type Error = Brc<[T]>;

    /// The same object as an array, if it has `N` elements.
    fn try_from(slice: Brc<[T]>) -> Result<Brc<[T; N]>, Brc<[T]>> {
        if slice.len() == N {
            let slice = ManuallyDrop::new(slice);
            Ok(Brc::counted(Raw(slice.raw.0.cast())))
        } else {
            Err(slice)
        }
    }
}
