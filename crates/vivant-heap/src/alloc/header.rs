//! The header word of an object: the address of its type's table, or its forwarding pointer.

use crate::object::collected::Collected;
use crate::object::evacuator::Evacuator;
use crate::object::external_edges::ExternalEdges;
use crate::object::object_trait::Object;
use crate::object::tracer::Tracer;
use crate::pages::chunk::PAGE;
use crate::pages::size_class::{CLASSES, SMALL_MAX, block_size, class_for, size_of_block};
use crate::raw::{self, Head, RawType};
use std::any::TypeId;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

/// Eight bytes before the value. Written once when the object is made, and once more when it leaves
/// the nursery.
#[repr(C, align(8))]
pub(crate) struct Header {
    /// The address of a [`Table`]; or, in the nursery, a forwarding pointer: the object's new
    /// address, with the bit [`FORWARDED`].
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
/// The word before a value is its header or its length; [`LENGTH`] tells which. A length has the
/// size of a header, also where a `usize` is shorter.
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

/// Traces the elements of a slice in this range.
type TracePart = unsafe fn(NonNull<u8>, Range<usize>, &mut Tracer<'_>);

/// The type information of the collector.
pub(crate) struct Table {
    pub(crate) layout: Layout,
    /// The size class of the type's blocks in the old generation and their size in bytes, if all
    /// its objects have the same; else [`CLASSES`] and zero.
    class: u8,
    cell: u16,
    pub(crate) needs_trace: bool,
    pub(crate) mutable: bool,
    pub(crate) trace: unsafe fn(NonNull<u8>, &mut Tracer<'_>),
    /// Traces some elements, if it is a slice.
    pub(crate) trace_part: Option<TracePart>,
    pub(crate) evacuate: unsafe fn(NonNull<u8>, &mut Evacuator<'_>),
    /// Traces external edges, to things that are counted elsewhere, if the type may have any.
    pub(crate) show: Option<unsafe fn(NonNull<u8>, &mut ExternalEdges<'_>)>,
    /// The destructor, if it has one.
    pub(crate) end: Option<unsafe fn(NonNull<u8>)>,
    /// The type id of the erased form. A function, because tables are made where types are not
    /// known to be `'static`.
    pub(crate) id: fn() -> TypeId,
    pub(crate) name: fn() -> &'static str,
}

impl Table {
    /// The table of a type.
    pub(crate) fn of<'gc, T: Object<'gc>>() -> &'static Table {
        const {
            &Table {
                layout: Layout::Sized(size_of::<T>()),
                class: class_of(size_of::<T>()),
                cell: block_of(size_of::<T>()),
                needs_trace: T::NEEDS_TRACE,
                mutable: T::MUTABLE,
                trace: trace::<T>,
                trace_part: None,
                evacuate: evacuate::<T>,
                show: if T::HAS_EXTERNAL_EDGES {
                    Some(show::<T>)
                } else {
                    None
                },
                end: if std::mem::needs_drop::<T>() {
                    Some(end::<T>)
                } else {
                    None
                },
                id: TypeId::of::<T::Static>,
                name: std::any::type_name::<T::Static>,
            }
        }
    }

    /// The table of a type of this crate, without a destructor, with these functions.
    pub(crate) const fn by_hand<T: 'static>(
        trace: unsafe fn(NonNull<u8>, &mut Tracer<'_>),
        evacuate: unsafe fn(NonNull<u8>, &mut Evacuator<'_>),
    ) -> Table {
        Table {
            layout: Layout::Sized(size_of::<T>()),
            class: class_of(size_of::<T>()),
            cell: block_of(size_of::<T>()),
            needs_trace: true,
            mutable: false,
            trace,
            trace_part: None,
            evacuate,
            show: None,
            end: None,
            id: TypeId::of::<T>,
            name: std::any::type_name::<T>,
        }
    }

    /// The table of slices of a type; `S` is the slice as an object.
    pub(crate) fn of_slice<'gc, T: Object<'gc>, S: ?Sized + Collected<'gc>>() -> &'static Table {
        const {
            &Table {
                layout: Layout::Slice(size_of::<T>()),
                class: CLASSES as u8,
                cell: 0,
                needs_trace: T::NEEDS_TRACE,
                mutable: false,
                trace: trace_slice::<T>,
                trace_part: Some(trace_part::<T>),
                evacuate: evacuate_slice::<T>,
                show: if T::HAS_EXTERNAL_EDGES {
                    Some(trace_external_slice::<T>)
                } else {
                    None
                },
                end: if std::mem::needs_drop::<T>() {
                    Some(end_slice::<T>)
                } else {
                    None
                },
                id: TypeId::of::<S::Static>,
                name: std::any::type_name::<S::Static>,
            }
        }
    }

    /// The table of a type of raw objects.
    pub(crate) fn of_raw<'gc, T: RawType<'gc>>() -> &'static Table {
        const {
            &Table {
                layout: Layout::Raw,
                class: CLASSES as u8,
                cell: 0,
                needs_trace: T::NEEDS_TRACE,
                mutable: true,
                trace: raw::trace::<T>,
                trace_part: None,
                evacuate: raw::evacuate::<T>,
                show: if T::HAS_EXTERNAL_EDGES {
                    Some(raw::trace_external::<T>)
                } else {
                    None
                },
                end: if T::NEEDS_DROP {
                    Some(raw::drop_content::<T>)
                } else {
                    None
                },
                id: TypeId::of::<T::Static>,
                name: std::any::type_name::<T::Static>,
            }
        }
    }

    /// Whether it is a type of raw objects.
    pub(crate) fn is_raw(&self) -> bool {
        matches!(self.layout, Layout::Raw)
    }

    /// The number of bytes behind the header of an object of this type.
    ///
    /// # Safety
    ///
    /// It is an object of this type, though it may have been evacuated.
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
            Layout::Raw => unsafe { object.add(1).cast::<Head>().as_ref() }.bytes(),
        }
    }
}

impl Table {
    /// The size class of an object of this type with `bytes` bytes behind its header; `None` if it
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

    /// The number of bytes that an object of this type occupies in the old generation.
    ///
    /// # Safety
    ///
    /// It is an object of this type.
    #[inline]
    pub(crate) unsafe fn room(&self, object: NonNull<Header>) -> usize {
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

/// The elements of a slice.
///
/// # Safety
///
/// `length` leads to the slice's length, and the elements follow it.
unsafe fn elements<T>(length: NonNull<u8>) -> NonNull<[T]> {
    // SAFETY: the caller's contract.
    unsafe {
        let elements = length.cast::<Length>().read().elements();
        NonNull::slice_from_raw_parts(length.cast::<Length>().add(1).cast(), elements)
    }
}

/// # Safety
///
/// As for `trace`, with a slice.
unsafe fn trace_slice<'gc, T: Object<'gc>>(length: NonNull<u8>, tracer: &mut Tracer<'_>) {
    // SAFETY: the caller's contract.
    let elements = unsafe { elements::<T>(length).as_ref() };
    if T::NEEDS_TRACE {
        elements.iter().for_each(|element| element.trace(tracer));
    }
}

/// # Safety
///
/// As for `trace`, with a slice that has these elements.
unsafe fn trace_part<'gc, T: Object<'gc>>(
    length: NonNull<u8>,
    part: Range<usize>,
    tracer: &mut Tracer<'_>,
) {
    // SAFETY: the caller's contract.
    let elements = unsafe { elements::<T>(length).as_ref() };
    elements[part]
        .iter()
        .for_each(|element| element.trace(tracer));
}

/// # Safety
///
/// As for `evacuate`, with a slice.
unsafe fn evacuate_slice<'gc, T: Object<'gc>>(length: NonNull<u8>, evacuator: &mut Evacuator<'_>) {
    // SAFETY: the caller's contract.
    let elements = unsafe { elements::<T>(length).as_mut() };
    if T::NEEDS_TRACE {
        let each = |element: &mut T| element.evacuate(evacuator);
        elements.iter_mut().for_each(each);
    }
}

/// # Safety
///
/// As for `trace`, with a slice.
unsafe fn trace_external_slice<'gc, T: Object<'gc>>(
    length: NonNull<u8>,
    shown: &mut ExternalEdges<'_>,
) {
    // SAFETY: the caller's contract.
    let elements = unsafe { elements::<T>(length).as_ref() };
    elements
        .iter()
        .for_each(|element| element.trace_external(shown));
}

/// Drops the elements one by one. A panic of an element's destructor is caught, and resumed as the
/// slice's panic after the other elements were dropped. Without that, a second panic would abort
/// the process (H10).
///
/// # Safety
///
/// As for `end`, with a slice.
unsafe fn end_slice<'gc, T: Object<'gc>>(length: NonNull<u8>) {
    // SAFETY: the caller's contract.
    let elements = unsafe { elements::<T>(length) };
    let (count, mut next, mut panicked) = (elements.len(), 0, None);
    while next < count {
        let ended = panic::catch_unwind(AssertUnwindSafe(|| {
            while next < count {
                let element = next;
                next += 1;
                // SAFETY: the caller's contract; the element is one of the slice's, and `next` is
                // past it before it is dropped, so it is dropped once.
                unsafe { elements.cast::<T>().add(element).drop_in_place() };
            }
        }));
        if let Err(panic) = ended
            && let Some(before) = panicked.replace(panic)
        {
            crate::foreign_code::over(before);
        }
    }
    if let Some(panic) = panicked {
        panic::resume_unwind(panic);
    }
}

/// # Safety
///
/// `value` leads to a value of this type, and no thread writes it.
unsafe fn trace<'gc, T: Object<'gc>>(value: NonNull<u8>, tracer: &mut Tracer<'_>) {
    // SAFETY: the caller's contract.
    unsafe { value.cast::<T>().as_ref() }.trace(tracer);
}

/// # Safety
///
/// As for `trace`.
unsafe fn show<'gc, T: Object<'gc>>(value: NonNull<u8>, shown: &mut ExternalEdges<'_>) {
    // SAFETY: the caller's contract.
    unsafe { value.cast::<T>().as_ref() }.trace_external(shown);
}

/// # Safety
///
/// `value` leads to a value of this type, and the caller uses it exclusively.
unsafe fn evacuate<'gc, T: Object<'gc>>(value: NonNull<u8>, evacuator: &mut Evacuator<'_>) {
    // SAFETY: the caller's contract.
    unsafe { value.cast::<T>().as_mut() }.evacuate(evacuator);
}

/// # Safety
///
/// `value` leads to a value of this type, which is not used any more.
unsafe fn end<'gc, T: Object<'gc>>(value: NonNull<u8>) {
    // SAFETY: the caller's contract.
    unsafe { value.cast::<T>().drop_in_place() };
}

impl Header {
    #[inline]
    pub(crate) fn new(table: &'static Table) -> Header {
        Header {
            word: Cell::new(std::ptr::from_ref(table).cast()),
        }
    }

    /// The table of the object's type. The object must not have been evacuated.
    #[inline]
    pub(crate) fn table(&self) -> &'static Table {
        debug_assert!(self.forwarded().is_none());
        // SAFETY: `new` wrote the address of a static table; only `moves` writes something else.
        unsafe { &*self.word.get().cast::<Table>() }
    }

    /// Whether this can be the header of an object in its place, that is not evacuated.
    pub(crate) fn is_live(&self) -> bool {
        let address = self.word.get().addr();
        address != 0 && address.is_multiple_of(align_of::<Table>())
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
            match object.as_ref().table().layout {
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
