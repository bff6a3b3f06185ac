//! An object in memory: the header, then the value.

use crate::bias::handed::{Ends, Handed};
use crate::bias::header::Header;
use std::alloc::{self, Layout};
use std::cell::UnsafeCell;
use std::mem;
use std::ptr::{self, NonNull};

/// A header and what it counts references to.
#[repr(C)]
pub(crate) struct Object<T: ?Sized> {
    pub(crate) header: Header,
    pub(crate) value: T,
}

const _: () = assert!(size_of::<Object<()>>() == 16);

/// How far behind its object's start a value of this alignment lies.
#[inline]
fn offset_of(alignment: usize) -> usize {
    // Both are powers of two, so the larger one is a multiple of the other.
    size_of::<Header>().max(alignment)
}

/// The layout of the object around a value, and where in it the value begins.
#[inline]
pub(crate) fn layout_around(value: Layout) -> (Layout, usize) {
    let (layout, offset) = Layout::new::<Header>()
        .extend(value)
        .expect("an object is no larger than memory");
    debug_assert_eq!(offset, offset_of(value.align()));
    (layout.pad_to_align(), offset)
}

/// Size and alignment of a value that may be gone, or in others' hands.
///
/// # Safety
///
/// The memory is there.
#[inline]
unsafe fn layout_of<T: ?Sized>(value: *const T) -> Layout {
    // SAFETY: the memory is there. A cell has the layout of what is in it, and a reference to one
    // claims nothing of its bytes, which somebody may change or drop meanwhile: size and alignment
    // are in the pointer.
    Layout::for_value(unsafe { &*(value as *const UnsafeCell<T>) })
}

/// Memory for an object around a value of this layout, and where the value goes. The header is
/// written.
pub(crate) fn allocate(value: Layout, header: Header) -> (NonNull<u8>, NonNull<u8>) {
    let (layout, offset) = layout_around(value);
    // SAFETY: the layout has a header's size at least.
    let Some(start) = NonNull::new(unsafe { alloc::alloc(layout) }) else {
        alloc::handle_alloc_error(layout)
    };
    // SAFETY: the memory is as large and as aligned as an object with this value.
    unsafe {
        start.cast::<Header>().write(header);
        (start, start.add(offset))
    }
}

/// Memory of an object that is being made: freed, if that ends in a panic.
pub(crate) struct Unfinished {
    start: NonNull<u8>,
    layout: Layout,
}

impl Unfinished {
    /// # Safety
    ///
    /// `start` came from [`allocate`] for this value, and nobody else frees it.
    #[inline]
    pub(crate) unsafe fn new(start: NonNull<u8>, value: Layout) -> Unfinished {
        let (layout, _) = layout_around(value);
        Unfinished { start, layout }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // SAFETY: said in `new`.
        unsafe { alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// A counted pointer without its count.
pub(crate) struct Raw<T: ?Sized>(pub(crate) NonNull<Object<T>>);

impl<T: ?Sized> Clone for Raw<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Raw<T> {}

impl<T> Raw<T> {
    /// A new object.
    #[inline]
    pub(crate) fn new(header: Header, value: T) -> Raw<T> {
        let object = Box::into_raw(Box::<Object<T>>::new_uninit()).cast::<Object<T>>();
        // SAFETY: memory for an object, which is written here. Part by part: put together elsewhere
        // it would be copied, and wait for its parts.
        unsafe {
            (&raw mut (*object).header).write(header);
            (&raw mut (*object).value).write(value);
            Raw(NonNull::new_unchecked(object))
        }
    }
}

impl<T: ?Sized> Raw<T> {
    /// # Safety
    ///
    /// A strong or weak reference to the object is counted as long as the result is used.
    #[inline]
    pub(crate) unsafe fn header<'a>(self) -> &'a Header {
        // SAFETY: the object's memory is there, says the caller. A part of it, so that the value
        // may be lent out mutably or be gone.
        unsafe { &(*self.0.as_ptr()).header }
    }

    /// Where the value is, or was.
    ///
    /// # Safety
    ///
    /// The memory is there.
    #[inline]
    pub(crate) unsafe fn value(self) -> *mut T {
        // SAFETY: the caller's.
        unsafe { &raw mut (*self.0.as_ptr()).value }
    }

    /// The object around a value.
    ///
    /// # Safety
    ///
    /// `value` came from [`Raw::value`], and the memory is there.
    #[inline]
    pub(crate) unsafe fn around(value: *const T) -> Raw<T> {
        // SAFETY: the memory is there.
        let offset = offset_of(unsafe { layout_of(value) }.align());
        // SAFETY: the value lies that far behind the object's start.
        let start = unsafe { value.byte_sub(offset) };
        // SAFETY: not null, because it lies in an object.
        Raw(unsafe { NonNull::new_unchecked(start as *mut Object<T>) })
    }

    /// Frees the memory.
    ///
    /// # Safety
    ///
    /// The value is gone, and nobody else looks at the object.
    pub(crate) unsafe fn free(self) {
        // SAFETY: the memory is there.
        let (layout, _) = layout_around(unsafe { layout_of(self.value()) });
        // SAFETY: allocated with this layout, by `allocate` or a box.
        unsafe { alloc::dealloc(self.0.as_ptr().cast(), layout) };
    }

    /// Gives up what the strong references together have of the memory. The value is gone.
    ///
    /// # Safety
    ///
    /// No strong reference is left, and this is called once.
    pub(crate) unsafe fn forsake(self) {
        // SAFETY: the memory is there until this.
        unsafe {
            if self.header().end() {
                self.free();
            }
        }
    }

    /// One reference, without its type.
    ///
    /// # Safety
    ///
    /// The object was made with an owner, which only values can be that any thread may drop at any
    /// time.
    pub(crate) unsafe fn hand(self) -> Handed {
        let header = self.0.cast::<Header>();
        // SAFETY: the header is the first field; the rest is the caller's.
        unsafe { Handed::new(header, self) }
    }
}

impl<T: ?Sized> Ends for Raw<T> {
    unsafe fn end(self) {
        /// Frees also after a panic of the value's destructor.
        struct Forsake<T: ?Sized>(Raw<T>);
        impl<T: ?Sized> Drop for Forsake<T> {
            fn drop(&mut self) {
                // SAFETY: the last strong reference was dropped, and the value is gone.
                unsafe { self.0.forsake() };
            }
        }
        let forsake = Forsake(self);
        // SAFETY: the last strong reference was dropped, says the caller.
        unsafe { ptr::drop_in_place(self.value()) };
        drop(forsake);
    }
}

/// A pointer to an object at `start` whose value has the type, and the metadata, of `like`.
///
/// Stable Rust has no name for the second half of a wide pointer, so the first one is exchanged in
/// place.
pub(crate) fn object_like<T: ?Sized>(start: NonNull<u8>, like: *const T) -> Raw<T> {
    let mut object = like as *mut Object<T>;
    // SAFETY: the first word of a pointer is the address it points to, also where it is wide.
    // Checked below.
    unsafe { (&raw mut object).cast::<*mut u8>().write(start.as_ptr()) };
    assert!(
        ptr::addr_eq(object, start.as_ptr()),
        "a wide pointer of this compiler does not begin with its address"
    );
    // SAFETY: it is `start`.
    Raw(unsafe { NonNull::new_unchecked(object) })
}

/// A new object with the bytes of this value.
///
/// # Safety
///
/// The value may be read, and is not used after this, also not dropped, unless a copy of its bytes
/// is another value of its own.
pub(crate) unsafe fn copied<T: ?Sized>(header: Header, value: *const T) -> Raw<T> {
    // SAFETY: it may be read. It may be borrowed from somebody, so it is not looked at as a cell
    // here.
    let layout = Layout::for_value(unsafe { &*value });
    let (start, place) = allocate(layout, header);
    // SAFETY: as many bytes as the value has, to new memory of its size and alignment.
    unsafe { ptr::copy_nonoverlapping(value.cast::<u8>(), place.as_ptr(), layout.size()) };
    object_like(start, value)
}

/// The value of this box moves behind a header.
pub(crate) fn from_box<T: ?Sized>(header: Header, value: Box<T>) -> Raw<T> {
    let from = Box::into_raw(value);
    // SAFETY: the value moves. The box is then freed as memory without a value, unless the value
    // has no size, for which there is none.
    unsafe {
        let object = copied(header, from);
        drop(Box::from_raw(from as *mut mem::ManuallyDrop<T>));
        object
    }
}
