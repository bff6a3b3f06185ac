//! A type-erased reference on its way to its owner's queue, or out of it.

use super::header::Header;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// A pointer to an object, thin or wide, with the function that ends the object.
pub(crate) trait EndObject: Copy {
    /// Drops the value, and frees the memory when no weak reference needs it.
    ///
    /// # Safety
    ///
    /// The last reference to the object was dropped, and this is called once for it.
    unsafe fn end(self);
}

/// Room for a pointer, thin or wide.
type Room = MaybeUninit<[*const (); 2]>;

/// One reference to an object of any type. It counts like any other; dropping a `Handed` does not
/// drop the reference.
pub(crate) struct Handed {
    header: NonNull<Header>,
    object: Room,
    end: unsafe fn(Room),
}

// SAFETY: any thread may drop the object at any time: a requirement of `Handed::new`.
unsafe impl Send for Handed {}

impl Handed {
    /// Erases the type of `object`.
    ///
    /// # Safety
    ///
    /// `header` is the object's, and it lives as long as the reference counts. Its value may be
    /// dropped by any thread, at any time: it is `Send`, and borrows nothing.
    pub(crate) unsafe fn new<P: EndObject>(header: NonNull<Header>, object: P) -> Handed {
        const {
            assert!(size_of::<P>() <= size_of::<Room>());
            assert!(align_of::<P>() <= align_of::<Room>());
        }
        let mut room = Room::uninit();
        // SAFETY: the pointer fits: the assertions above compare size and alignment.
        unsafe { room.as_mut_ptr().cast::<P>().write(object) };
        Handed {
            header,
            object: room,
            end: end_of::<P>,
        }
    }

    /// The counts.
    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the reference counts (a requirement of `new`); or it was the last one, and the
        // object is not ended before `end`.
        unsafe { self.header.as_ref() }
    }

    /// Ends the object.
    ///
    /// # Safety
    ///
    /// The reference was found to be the last one.
    pub(crate) unsafe fn end(self) {
        // SAFETY: `self.end` is the `end_of` of the type with which the room was filled; the caller
        // guarantees that the reference was the last one.
        unsafe { (self.end)(self.object) }
    }
}

/// # Safety
///
/// `room` holds a `P`, and its object may be ended.
unsafe fn end_of<P: EndObject>(room: Room) {
    // SAFETY: the caller guarantees that `room` holds a `P`, and that its object may be ended.
    unsafe { room.as_ptr().cast::<P>().read().end() }
}
