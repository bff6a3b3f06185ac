//! The word before each object: its type's table, or where the object has gone.

use crate::collector::{Relocator, Tracer};
use crate::types::Object;
use std::any::TypeId;
use std::cell::Cell;
use std::ptr::NonNull;

/// Eight bytes before the value. Written once when the object is made, and once more when it leaves the nursery.
#[repr(C, align(8))]
pub(crate) struct Header {
    /// The address of a [`Table`]; or, in the nursery, where the object is now, with [`MOVED`].
    word: Cell<*const ()>,
}

/// The lowest bit: both kinds of pointers are aligned to eight bytes.
const MOVED: usize = 1;

/// What the collector knows of a type.
pub(crate) struct Table {
    /// Bytes of the value.
    pub(crate) size: usize,
    pub(crate) needs_trace: bool,
    pub(crate) mutable: bool,
    pub(crate) trace: unsafe fn(NonNull<u8>, &mut Tracer<'_>),
    pub(crate) relocate: unsafe fn(NonNull<u8>, &mut Relocator<'_>),
    /// The destructor, if it has one.
    pub(crate) end: Option<unsafe fn(NonNull<u8>)>,
    /// Of the static twin. A function, because tables are made where types are not known to be `'static`.
    pub(crate) id: fn() -> TypeId,
    pub(crate) name: fn() -> &'static str,
}

impl Table {
    /// The table of a type.
    pub(crate) fn of<'gc, T: Object<'gc>>() -> &'static Table {
        const {
            &Table {
                size: size_of::<T>(),
                needs_trace: T::NEEDS_TRACE,
                mutable: T::MUTABLE,
                trace: trace::<T>,
                relocate: relocate::<T>,
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
}

/// # Safety
///
/// A value of this type lies there, and nobody writes it.
unsafe fn trace<'gc, T: Object<'gc>>(value: NonNull<u8>, tracer: &mut Tracer<'_>) {
    // SAFETY: the caller's.
    unsafe { value.cast::<T>().as_ref() }.trace(tracer);
}

/// # Safety
///
/// A value of this type lies there, and nobody else uses it.
unsafe fn relocate<'gc, T: Object<'gc>>(value: NonNull<u8>, relocator: &mut Relocator<'_>) {
    // SAFETY: the caller's.
    unsafe { value.cast::<T>().as_mut() }.relocate(relocator);
}

/// # Safety
///
/// A value of this type lies there, which nobody uses any more.
unsafe fn end<'gc, T: Object<'gc>>(value: NonNull<u8>) {
    // SAFETY: the caller's.
    unsafe { value.cast::<T>().drop_in_place() };
}

impl Header {
    #[inline]
    pub(crate) fn new(table: &'static Table) -> Header {
        Header {
            word: Cell::new(std::ptr::from_ref(table).cast()),
        }
    }

    /// The table of the object's type. Not of one that has moved.
    #[inline]
    pub(crate) fn table(&self) -> &'static Table {
        debug_assert!(self.moved().is_none());
        // SAFETY: `new` wrote the address of a static table; only `moves` writes something else.
        unsafe { &*self.word.get().cast::<Table>() }
    }

    /// Whether this can be the header of an object that has not moved.
    pub(crate) fn is_there(&self) -> bool {
        let address = self.word.get().addr();
        address != 0 && address.is_multiple_of(align_of::<Table>())
    }

    /// The object is there now.
    pub(crate) fn moves(&self, to: NonNull<Header>) {
        let marked = to.as_ptr().map_addr(|address| address | MOVED);
        self.word.set(marked.cast_const().cast());
    }

    /// Where the object has gone, if it has.
    #[inline]
    pub(crate) fn moved(&self) -> Option<NonNull<Header>> {
        let word = self.word.get();
        if word.addr() & MOVED == 0 {
            return None;
        }
        let to = word.map_addr(|address| address & !MOVED);
        NonNull::new(to.cast::<Header>().cast_mut())
    }
}

/// Bytes of an object in the nursery.
#[inline]
pub(crate) const fn young_size(value: usize) -> usize {
    let size = (size_of::<Header>() + value).next_multiple_of(8);
    // A reference to a value without size must not point behind the block.
    if size < 16 { 16 } else { size }
}
