//! [`Gc`]: a reference to a collected object.

use super::object::Object;
use crate::collector::{Relocator, Tracer};
use crate::header::Header;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;

/// Invariant in the brand (Y1).
pub(crate) type Brand<'gc> = PhantomData<Cell<&'gc ()>>;

/// A reference to an object of the heap whose brand is `'gc`. One word, `Copy`, never null; it lives as long as the turn, and what a
/// turn leaves in its state or in other objects is there in the next one.
///
/// Two references are the same if they refer to the same object: [`Gc::ptr_eq`]. There is no order or hash by address, because objects
/// move (R5).
pub struct Gc<'gc, T> {
    value: NonNull<T>,
    brand: Brand<'gc>,
}

impl<T> Clone for Gc<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Gc<'_, T> {}

// SAFETY: the static twin is in nobody's hands (Y4). It stands for the type when the question is whether a heap may go to another
// thread: a reference goes with what it refers to.
unsafe impl<T: Send> Send for Gc<'static, T> {}

impl<'gc, T: Object<'gc>> Gc<'gc, T> {
    /// # Safety
    ///
    /// `header` begins an object of this heap with a value of this type, and the pointer may reach its chunk.
    #[inline]
    pub(crate) unsafe fn of(header: NonNull<Header>) -> Gc<'gc, T> {
        Gc {
            // SAFETY: the value follows the header.
            value: unsafe { header.add(1) }.cast(),
            brand: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn header(self) -> NonNull<Header> {
        // SAFETY: a header lies before the value.
        unsafe { self.value.cast::<Header>().sub(1) }
    }

    /// Whether both refer to the same object.
    #[inline]
    #[must_use]
    pub fn ptr_eq(this: Self, other: Self) -> bool {
        this.value == other.value
    }

    /// The value for as long as the turn: nothing is collected within one.
    #[inline]
    #[must_use]
    pub fn as_ref(this: Self) -> &'gc T {
        // SAFETY: whoever has a reference of this brand is in the turn in which the object is, or in one that found it alive; it does not
        // move or end before the turn has ended, which the brand does not outlive. What changes in place is `Mut`'s.
        unsafe { this.value.as_ref() }
    }
}

impl<'gc, T: Object<'gc>> Deref for Gc<'gc, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        Gc::as_ref(*self)
    }
}

// SAFETY: it is one reference.
unsafe impl<'gc, T: Object<'gc>> Object<'gc> for Gc<'gc, T> {
    type Static = Gc<'static, T::Static>;
    const NEEDS_TRACE: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.edge(self.header());
    }
    #[inline]
    fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        let header = relocator.place(self.header());
        // SAFETY: where the object is now; it has the same type.
        *self = unsafe { Gc::of(header) };
    }
}

impl<'gc, T: Object<'gc> + fmt::Debug> fmt::Debug for Gc<'gc, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
