//! The memory layout of an object: the header, then the value.

use crate::bias::handed::{EndObject, Handed};
use crate::bias::header::Header;
use std::alloc::{self, Layout};
use std::cell::UnsafeCell;
use std::mem;
use std::ptr::{self, NonNull};

/// A header and the value behind it.
#[repr(C)]
pub(crate) struct Object<T: ?Sized> {
    pub(crate) header: Header,
    pub(crate) value: T,
}

const _: () = assert!(size_of::<Object<()>>() == 16);

/// Offset of a value with this alignment from its object's start.
#[inline]
fn offset_of(alignment: usize) -> usize {
    // Both are powers of two, so the larger one is a multiple of the other.
    size_of::<Header>().max(alignment)
}

/// The layout of the object around a value, and the value's offset in it.
#[inline]
pub(crate) fn layout_around(value: Layout) -> (Layout, usize) {
    let (layout, offset) = Layout::new::<Header>()
        .extend(value)
        .expect("an object is no larger than memory");
    debug_assert_eq!(offset, offset_of(value.align()));
    (layout.pad_to_align(), offset)
}

/// Size and alignment of a value that may be dropped already, or in use by another thread.
///
/// # Safety
///
/// The memory of the object is allocated.
#[inline]
unsafe fn layout_of<T: ?Sized>(value: *const T) -> Layout {
    // SAFETY: the memory is allocated. An `UnsafeCell` has the layout of its content, and a
    // reference to it claims nothing about the bytes, which another thread may change or drop
    // meanwhile: size and alignment come from the pointer.
    Layout::for_value(unsafe { &*(value as *const UnsafeCell<T>) })
}

/// Allocates memory for an object around a value of this layout, and writes the header. Returns the
/// addresses of the object and of the value.
pub(crate) fn allocate(value: Layout, header: Header) -> (NonNull<u8>, NonNull<u8>) {
    let (layout, offset) = layout_around(value);
    // SAFETY: the layout has at least a header's size, so not zero.
    let Some(start) = NonNull::new(unsafe { alloc::alloc(layout) }) else {
        alloc::handle_alloc_error(layout)
    };
    // SAFETY: the memory is as large and as aligned as an object with this value.
    unsafe {
        start.cast::<Header>().write(header);
        (start, start.add(offset))
    }
}

/// Memory of an object under construction. Dropped, as by a panic, it frees the memory.
pub(crate) struct Unfinished {
    start: NonNull<u8>,
    layout: Layout,
}

impl Unfinished {
    /// # Safety
    ///
    /// `start` came from [`allocate`] for this value, and no other code frees it.
    #[inline]
    pub(crate) unsafe fn new(start: NonNull<u8>, value: Layout) -> Unfinished {
        let (layout, _) = layout_around(value);
        Unfinished { start, layout }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // SAFETY: `start` came from `allocate` with this layout, and no other code frees it:
        // requirements of `new`.
        unsafe { alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// A pointer to an object, without a count of its own.
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
        // SAFETY: `allocate` gave memory for an object. It is written field by field: built
        // elsewhere, the object would first be complete in registers or on the stack, and then be
        // copied.
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
        // SAFETY: the caller keeps the object's memory. The reference is to the header alone,
        // because the value may be borrowed mutably or be gone.
        unsafe { &(*self.0.as_ptr()).header }
    }

    /// The address of the value. The value may be gone.
    ///
    /// # Safety
    ///
    /// The memory of the object is allocated.
    #[inline]
    pub(crate) unsafe fn value(self) -> *mut T {
        // SAFETY: the caller guarantees that the memory is allocated.
        unsafe { &raw mut (*self.0.as_ptr()).value }
    }

    /// The object around a value.
    ///
    /// # Safety
    ///
    /// `value` came from [`Raw::value`], and the memory is there.
    #[inline]
    pub(crate) unsafe fn around(value: *const T) -> Raw<T> {
        // SAFETY: the caller guarantees that the memory is allocated.
        let offset = offset_of(unsafe { layout_of(value) }.align());
        // SAFETY: the value lies at that offset from the object's start.
        let start = unsafe { value.byte_sub(offset) };
        // SAFETY: not null, because it lies in an object.
        Raw(unsafe { NonNull::new_unchecked(start as *mut Object<T>) })
    }

    /// Frees the memory.
    ///
    /// # Safety
    ///
    /// The value is gone, and no other code uses the object.
    pub(crate) unsafe fn free(self) {
        // SAFETY: the memory is allocated until the `dealloc` below.
        let (layout, _) = layout_around(unsafe { layout_of(self.value()) });
        // SAFETY: allocated with this layout, by `allocate` or a box.
        unsafe { alloc::dealloc(self.0.as_ptr().cast(), layout) };
    }

    /// Gives up the strong references' common share of the memory, and frees the memory if it was
    /// the last share. The value is gone.
    ///
    /// # Safety
    ///
    /// No strong reference is left, and this is called once.
    pub(crate) unsafe fn release_memory(self) {
        // SAFETY: the memory is allocated: the strong references still have their share of it.
        unsafe {
            if self.header().end() {
                self.free();
            }
        }
    }

    /// One reference, type-erased.
    ///
    /// # Safety
    ///
    /// The object has an owner only if any thread may drop its value at any time.
    pub(crate) unsafe fn hand(self) -> Handed {
        let header = self.0.cast::<Header>();
        // SAFETY: the header is the first field. The caller guarantees that any thread may drop the
        // value.
        unsafe { Handed::new(header, self) }
    }
}

impl<T: ?Sized> EndObject for Raw<T> {
    unsafe fn end(self) {
        /// Gives up the memory, also after a panic of the value's destructor.
        struct ReleaseMemory<T: ?Sized>(Raw<T>);
        impl<T: ?Sized> Drop for ReleaseMemory<T> {
            fn drop(&mut self) {
                // SAFETY: the last strong reference was dropped, and the value is gone.
                unsafe { self.0.release_memory() };
            }
        }
        let release = ReleaseMemory(self);
        // SAFETY: the last strong reference was dropped, says the caller.
        unsafe { ptr::drop_in_place(self.value()) };
        drop(release);
    }
}

/// A pointer to an object at `start`. Its value has the type, and the metadata, of `like`.
///
/// Stable Rust cannot build a wide pointer from address and metadata, so the address is overwritten
/// in place.
pub(crate) fn object_like<T: ?Sized>(start: NonNull<u8>, like: *const T) -> Raw<T> {
    let mut object = like as *mut Object<T>;
    // SAFETY: the first word of a pointer, thin or wide, is the address it points to. Checked
    // below.
    unsafe { (&raw mut object).cast::<*mut u8>().write(start.as_ptr()) };
    assert!(
        ptr::addr_eq(object, start.as_ptr()),
        "a wide pointer of this compiler does not begin with its address"
    );
    // SAFETY: the pointer is `start`, which is not null.
    Raw(unsafe { NonNull::new_unchecked(object) })
}

/// A new object with a bitwise copy of this value.
///
/// # Safety
///
/// The value may be read. It is neither used nor dropped after this, unless a copy of its bytes is
/// another value of its own.
pub(crate) unsafe fn copied<T: ?Sized>(header: Header, value: *const T) -> Raw<T> {
    // SAFETY: the caller may read it. The value may be borrowed, so this is no reference to an
    // `UnsafeCell`, as in `layout_of`.
    let layout = Layout::for_value(unsafe { &*value });
    let (start, place) = allocate(layout, header);
    // SAFETY: copies as many bytes as the value has, to new memory of its size and alignment.
    unsafe { ptr::copy_nonoverlapping(value.cast::<u8>(), place.as_ptr(), layout.size()) };
    object_like(start, value)
}

/// Moves the value of this box into a new object.
pub(crate) fn from_box<T: ?Sized>(header: Header, value: Box<T>) -> Raw<T> {
    let from = Box::into_raw(value);
    // SAFETY: the value moves. Then the box's memory is freed without a drop of the value; a value
    // of size zero has no memory.
    unsafe {
        let object = copied(header, from);
        drop(Box::from_raw(from as *mut mem::ManuallyDrop<T>));
        object
    }
}
