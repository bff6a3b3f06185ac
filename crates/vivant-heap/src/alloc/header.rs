//! The header word of an object: the address of its type's table, or its forwarding pointer.

use super::raw_head::RawHead;
use crate::pages::chunk::PAGE;
use crate::pages::size_class::{CLASSES, SMALL_MAX, block_size, class_for, size_of_block};
use std::cell::Cell;
use std::ptr::NonNull;

/// Eight bytes before the value. Written once when the object is made, and once more when it leaves
/// the nursery.
#[repr(C, align(8))]
pub(crate) struct Header {
    /// The address of a type's table, which begins with its [`Shape`]; or, in the nursery, a
    /// forwarding pointer: the object's new address, with the bit [`FORWARDED`].
    word: Cell<*const ()>,
}

/// The lowest bit of a forwarding pointer: both kinds of pointers are aligned to eight bytes.
const FORWARDED: usize = 1;

/// The layout of the bytes behind a header.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    /// A value of this size in bytes.
    Sized(usize),
    /// A [`Length`], and as many elements of this size in bytes.
    Slice(usize),
    /// A raw object; its head has its size.
    Raw,
}

/// The number of elements of a slice: the word between its header and its elements.
///
/// The word before a value is its header or its length; [`LENGTH`] distinguishes them. A length has
/// the size of a header, also where a `usize` is shorter.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Length(usize);

const _: () = assert!(size_of::<Length>() == size_of::<Header>());

/// The bit that lengths have, and headers do not.
const LENGTH: usize = 2;

impl Length {
    /// `None` if the number of elements is too large for a length.
    pub(crate) fn new(elements: usize) -> Option<Length> {
        Some(Length(elements.checked_mul(4)? | LENGTH))
    }

    pub(crate) fn elements(self) -> usize {
        self.0 >> 2
    }
}

/// The part of a type's description that `alloc` uses. It is the first part of the type's table,
/// which a header leads to.
pub(crate) struct Shape {
    pub(crate) layout: Layout,
    /// The destructor, if it has one.
    end: Option<unsafe fn(NonNull<u8>)>,
    /// The size class of the type's blocks in the old generation and their size in bytes, if all
    /// its objects have the same; else [`CLASSES`] and zero.
    class: u8,
    cell: u16,
}

impl Shape {
    /// The shape of values with `bytes` bytes.
    pub(crate) const fn sized(bytes: usize, end: Option<unsafe fn(NonNull<u8>)>) -> Shape {
        Shape {
            layout: Layout::Sized(bytes),
            end,
            class: class_of(bytes),
            cell: block_of(bytes),
        }
    }

    /// The shape of objects of different sizes.
    pub(crate) const fn varying(layout: Layout, end: Option<unsafe fn(NonNull<u8>)>) -> Shape {
        Shape {
            layout,
            end,
            class: CLASSES as u8,
            cell: 0,
        }
    }

    /// Whether objects of this shape have a destructor.
    #[inline]
    pub(crate) fn has_destructor(&self) -> bool {
        self.end.is_some()
    }

    /// Runs the destructor of a value, if it has one.
    ///
    /// # Safety
    ///
    /// The value has this shape, and is not used any more.
    pub(crate) unsafe fn destroy(&self, value: NonNull<u8>) {
        if let Some(end) = self.end {
            // SAFETY: the caller's contract.
            unsafe { end(value) };
        }
    }

    /// The number of bytes behind the header of an object of this shape.
    ///
    /// # Safety
    ///
    /// It is an object of this shape, though it may have been evacuated.
    #[inline]
    pub(crate) unsafe fn bytes(&self, object: NonNull<Header>) -> usize {
        match self.layout {
            Layout::Sized(bytes) => bytes,
            Layout::Slice(element) => {
                // SAFETY: the caller's contract: the length follows the header.
                let length = unsafe { object.add(1).cast::<Length>().read() };
                size_of::<Length>() + length.elements() * element
            }
            // SAFETY: the caller's contract: the head follows the header.
            Layout::Raw => unsafe { object.add(1).cast::<RawHead>().as_ref() }.bytes(),
        }
    }

    /// The size class of an object of this shape with `bytes` bytes behind its header; `None` if it
    /// has a span of its own.
    #[inline]
    pub(crate) fn class(&self, bytes: usize) -> Option<usize> {
        match self.class as usize {
            CLASSES if bytes <= SMALL_MAX - size_of::<Header>() => {
                Some(class_for(size_of::<Header>() + bytes))
            }
            CLASSES => None,
            class => Some(class),
        }
    }

    /// The number of bytes that an object of this shape occupies in the old generation.
    ///
    /// # Safety
    ///
    /// It is an object of this shape.
    #[inline]
    pub(crate) unsafe fn block_bytes(&self, object: NonNull<Header>) -> usize {
        if self.cell != 0 {
            return self.cell as usize;
        }
        // SAFETY: the caller's contract.
        let bytes = unsafe { self.bytes(object) };
        match self.class(bytes) {
            Some(class) => block_size(class),
            None => (size_of::<Header>() + bytes).next_multiple_of(PAGE),
        }
    }
}

/// The size class of values with `value` bytes; `CLASSES` if they are too large for any.
const fn class_of(value: usize) -> u8 {
    if value <= SMALL_MAX - size_of::<Header>() {
        class_for(size_of::<Header>() + value) as u8
    } else {
        CLASSES as u8
    }
}

/// The block size of that class in bytes; 0 if there is none.
const fn block_of(value: usize) -> u16 {
    match class_of(value) as usize {
        CLASSES => 0,
        class => size_of_block(class) as u16,
    }
}

impl Header {
    /// The header of an object of a type.
    ///
    /// # Safety
    ///
    /// `shape` leads to the shape at the beginning of the type's static table, with the provenance
    /// of the table.
    #[inline]
    pub(crate) unsafe fn of(shape: NonNull<Shape>) -> Header {
        Header {
            word: Cell::new(shape.as_ptr().cast_const().cast()),
        }
    }

    /// The beginning of the table of the object's type, with the provenance of the table. The
    /// object must not have been evacuated.
    #[inline]
    pub(crate) fn shape_pointer(&self) -> NonNull<Shape> {
        debug_assert!(self.forwarded().is_none());
        // SAFETY: `of` wrote the address of a static shape; only `forward_to` writes something
        // else, and not before the object is evacuated.
        unsafe { NonNull::new_unchecked(self.word.get().cast::<Shape>().cast_mut()) }
    }

    /// The shape of the object's type. The object must not have been evacuated.
    #[inline]
    pub(crate) fn shape(&self) -> &'static Shape {
        // SAFETY: by the contract of `of`.
        unsafe { self.shape_pointer().as_ref() }
    }

    /// Whether this can be the header of an object in its place, that is not evacuated.
    pub(crate) fn is_live(&self) -> bool {
        let address = self.word.get().addr();
        address != 0 && address.is_multiple_of(align_of::<Shape>())
    }

    /// The header of an object, from its value.
    ///
    /// # Safety
    ///
    /// `value` is the value of an object, by a pointer that may access its chunk.
    #[inline]
    pub(crate) unsafe fn before<T: ?Sized>(value: NonNull<T>) -> NonNull<Header> {
        let before = value.cast::<Header>();
        // SAFETY: a header, or a length and a header, precede the value. A thin pointer does not
        // lead to a slice.
        unsafe {
            if const { size_of::<NonNull<T>>() == size_of::<usize>() } {
                return before.sub(1);
            }
            match before.sub(1).cast::<*const ()>().read().addr() & LENGTH {
                0 => before.sub(1),
                _ => before.sub(2),
            }
        }
    }

    /// The value of an object.
    ///
    /// # Safety
    ///
    /// It is an object, and was not evacuated.
    pub(crate) unsafe fn value(object: NonNull<Header>) -> NonNull<u8> {
        // SAFETY: the caller's contract.
        unsafe {
            match object.as_ref().shape().layout {
                Layout::Sized(_) | Layout::Raw => object.add(1).cast(),
                Layout::Slice(_) => object.add(2).cast(),
            }
        }
    }

    /// Stores a forwarding pointer.
    pub(crate) fn forward_to(&self, to: NonNull<Header>) {
        let marked = to.as_ptr().map_addr(|address| address | FORWARDED);
        self.word.set(marked.cast_const().cast());
    }

    /// The object's new place, if it was evacuated.
    #[inline]
    pub(crate) fn forwarded(&self) -> Option<NonNull<Header>> {
        let word = self.word.get();
        if word.addr() & FORWARDED == 0 {
            return None;
        }
        let to = word.map_addr(|address| address & !FORWARDED);
        NonNull::new(to.cast::<Header>().cast_mut())
    }
}

/// The number of bytes that an object occupies in the nursery.
#[inline]
pub(crate) const fn young_size(value: usize) -> usize {
    let size = (size_of::<Header>() + value).next_multiple_of(8);
    // A reference to a value without size must not point behind the nursery chunk.
    if size < 16 { 16 } else { size }
}
