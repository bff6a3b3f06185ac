//! [`Table`]: the description of a type for the collector. The header of an object leads to it.

use super::collected::Collected;
use super::evacuator::Evacuator;
use super::external_edges::ExternalEdges;
use super::object_trait::Object;
use super::raw_object::{self, RawType};
use super::tracer::Tracer;
use crate::alloc::header::{Header, Layout, Length, Shape};
use crate::foreign_code;
use std::any::TypeId;
use std::ops::{Deref, Range};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;

/// Traces the elements of a slice in this range.
type TracePart = unsafe fn(NonNull<u8>, Range<usize>, &mut Tracer<'_>);

/// The type information of the collector.
#[repr(C)]
pub(crate) struct Table {
    /// First: headers lead to it.
    shape: Shape,
    pub(crate) needs_trace: bool,
    pub(crate) mutable: bool,
    pub(crate) trace: unsafe fn(NonNull<u8>, &mut Tracer<'_>),
    /// Traces some elements, if it is a slice.
    pub(crate) trace_part: Option<TracePart>,
    pub(crate) evacuate: unsafe fn(NonNull<u8>, &mut Evacuator<'_>),
    /// Traces external edges, to things that are counted elsewhere, if the type may have any.
    pub(crate) show: Option<unsafe fn(NonNull<u8>, &mut ExternalEdges<'_>)>,
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
                shape: Shape::sized(
                    size_of::<T>(),
                    if std::mem::needs_drop::<T>() {
                        Some(end::<T>)
                    } else {
                        None
                    },
                ),
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
            shape: Shape::sized(size_of::<T>(), None),
            needs_trace: true,
            mutable: false,
            trace,
            trace_part: None,
            evacuate,
            show: None,
            id: TypeId::of::<T>,
            name: std::any::type_name::<T>,
        }
    }

    /// The table of objects of any size, which have no references and no destructor.
    pub(crate) const fn of_bytes<T: 'static>(
        trace: unsafe fn(NonNull<u8>, &mut Tracer<'_>),
        evacuate: unsafe fn(NonNull<u8>, &mut Evacuator<'_>),
    ) -> Table {
        Table {
            shape: Shape::varying(Layout::Slice(1), None),
            needs_trace: false,
            ..Table::by_hand::<T>(trace, evacuate)
        }
    }

    /// The table of slices of a type; `S` is the slice as an object.
    pub(crate) fn of_slice<'gc, T: Object<'gc>, S: ?Sized + Collected<'gc>>() -> &'static Table {
        const {
            &Table {
                shape: Shape::varying(
                    Layout::Slice(size_of::<T>()),
                    if std::mem::needs_drop::<T>() {
                        Some(end_slice::<T>)
                    } else {
                        None
                    },
                ),
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
                id: TypeId::of::<S::Static>,
                name: std::any::type_name::<S::Static>,
            }
        }
    }

    /// The table of a type of raw objects.
    pub(crate) fn of_raw<'gc, T: RawType<'gc>>() -> &'static Table {
        const {
            &Table {
                shape: Shape::varying(
                    Layout::Raw,
                    if T::NEEDS_DROP {
                        Some(raw_object::drop_content::<T>)
                    } else {
                        None
                    },
                ),
                needs_trace: T::NEEDS_TRACE,
                mutable: true,
                trace: raw_object::trace::<T>,
                trace_part: None,
                evacuate: raw_object::evacuate::<T>,
                show: if T::HAS_EXTERNAL_EDGES {
                    Some(raw_object::trace_external::<T>)
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
        matches!(self.shape.layout, Layout::Raw)
    }
}

impl Deref for Table {
    type Target = Shape;
    #[inline]
    fn deref(&self) -> &Shape {
        &self.shape
    }
}

impl Header {
    #[inline]
    pub(crate) fn new(table: &'static Table) -> Header {
        // SAFETY: a table begins with its shape, and the pointer is to all of it.
        unsafe { Header::of(NonNull::from(table).cast()) }
    }

    /// The table of the object's type. The object must not have been evacuated.
    #[inline]
    pub(crate) fn table(&self) -> &'static Table {
        // SAFETY: only `new` calls `of`, with the address of a static table.
        unsafe { self.shape_pointer().cast::<Table>().as_ref() }
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
            foreign_code::drop_panic(before);
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
