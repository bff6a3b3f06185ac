//! An object in memory: the header, then the value.

use crate::bias::handed::{Ends, Handed};
use crate::bias::header::Header;
use std::alloc::{self, Layout};
use std::mem;
use std::ptr::{self, NonNull};

/// A header and what it counts references to.
#[repr(C)]
pub(crate) struct Object<T: ?Sized> {
    pub(crate) header: Header,
    pub(crate) value: T,
}

const _: () = assert!(size_of::<Object<()>>() == 16);

/// Where the value of this layout begins, and the layout of its object.
pub(crate) fn layout_around(value: Layout) -> (Layout, usize) {
    let (layout, offset) = Layout::new::<Header>()
        .extend(value)
        .expect("an object is no larger than memory");
    (layout.pad_to_align(), offset)
}

/// Memory for an object around a value of this layout, and where the value goes. The header is written.
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
        Raw(NonNull::from(Box::leak(Box::new(Object { header, value }))))
    }
}

impl<T: ?Sized> Raw<T> {
    /// # Safety
    ///
    /// A strong or weak reference to the object is counted as long as the result is used.
    #[inline]
    pub(crate) unsafe fn header<'a>(self) -> &'a Header {
        // SAFETY: the object's memory is there, says the caller. A part of it, so that the value may be lent out mutably or be
        // gone.
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
    pub(crate) unsafe fn around(value: *const T) -> Raw<T> {
        // SAFETY: the memory is there; of the value only size and alignment are looked at, which a pointer to an unsized type
        // carries with it.
        let (_, offset) = layout_around(unsafe { Layout::for_value(&*value) });
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
        // SAFETY: the memory is there; only its size and alignment are looked at.
        let (layout, _) = layout_around(unsafe { Layout::for_value(&*self.value()) });
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
    /// The object was made with an owner, which only values can be that any thread may drop at any time.
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
/// Stable Rust has no name for the second half of a wide pointer, so the first one is exchanged in place.
pub(crate) fn object_like<T: ?Sized>(start: NonNull<u8>, like: *const T) -> Raw<T> {
    let mut object = like as *mut Object<T>;
    // SAFETY: the first word of a pointer is the address it points to, also where it is wide. Checked below.
    unsafe { (&raw mut object).cast::<*mut u8>().write(start.as_ptr()) };
    assert!(
        ptr::addr_eq(object, start.as_ptr()),
        "a wide pointer of this compiler does not begin with its address"
    );
    // SAFETY: it is `start`.
    Raw(unsafe { NonNull::new_unchecked(object) })
}

/// The value of this box moves behind a header.
pub(crate) fn from_box<T: ?Sized>(header: Header, value: Box<T>) -> Raw<T> {
    let layout = Layout::for_value(&*value);
    let (start, place) = allocate(layout, header);
    let from = Box::into_raw(value);
    // SAFETY: as many bytes as the value has are moved to memory of its size and alignment; the box is then freed as memory
    // without a value, unless the value has no size, for which there is none.
    unsafe {
        ptr::copy_nonoverlapping(from.cast::<u8>(), place.as_ptr(), layout.size());
        drop(Box::from_raw(from as *mut mem::ManuallyDrop<T>));
    }
    object_like(start, from)
}
