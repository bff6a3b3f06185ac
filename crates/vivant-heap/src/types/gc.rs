//! [`Gc`]: a reference to a collected object.

use super::collected::Collected;
use super::object::Object;
use super::reference::reference;
use crate::collector::{Relocator, Tracer};
use crate::header::Header;
use std::any::TypeId;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;

/// Invariant in the brand (Y1).
pub(crate) type Brand<'gc> = PhantomData<Cell<&'gc ()>>;

/// A reference to an object of the heap whose brand is `'gc`. One word, two if the object is a
/// slice, a string or a trait object; `Copy`, never null; it lives as long as the turn, and what a
/// turn leaves in its state or in other objects is there in the next one.
///
/// Two references are the same if they refer to the same object: [`Gc::ptr_eq`]. There is no order
/// or hash by address, because objects move (R5).
#[repr(transparent)]
pub struct Gc<'gc, T: ?Sized + 'gc> {
    value: NonNull<T>,
    brand: Brand<'gc>,
}

reference!(
    Gc,
    "The value is that of an object of this heap, and the pointer may reach its chunk."
);

// SAFETY: the static twin is in nobody's hands (Y4). It stands for the type when the question is
// whether a heap may go to another thread: a reference goes with what it refers to, and that was
// asked when it was allocated (Y5).
unsafe impl<T: ?Sized> Send for Gc<'static, T> {}

/// A pointer to what lies at `address`, with the metadata of `like`.
///
/// Stable Rust has no name for the second half of a wide pointer, so the first one is exchanged in
/// place (GC-NOTES §3, 9).
#[inline]
pub(crate) fn like<T: ?Sized>(like: NonNull<T>, address: NonNull<u8>) -> NonNull<T> {
    let mut pointer = like.as_ptr();
    // SAFETY: the first word of a pointer is the address it points to, also where it is wide.
    // Checked below.
    unsafe { (&raw mut pointer).cast::<*mut u8>().write(address.as_ptr()) };
    assert!(
        std::ptr::addr_eq(pointer, address.as_ptr()),
        "a wide pointer of this compiler does not begin with its address"
    );
    // SAFETY: it is `address`.
    unsafe { NonNull::new_unchecked(pointer) }
}

impl<'gc, T: ?Sized> Gc<'gc, T> {
    /// The value for as long as the turn: nothing is collected within one.
    #[inline]
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "no method: those are the object's"
    )]
    pub fn as_ref(this: Self) -> &'gc T {
        // SAFETY: whoever has a reference of this brand is in the turn in which the object is, or
        // in one that found it alive; it does not move or end before the turn has ended, which the
        // brand does not outlive. What changes in place is `Mut`'s.
        unsafe { this.value.as_ref() }
    }

    /// The object as one of type `U`, if it is one: the way back from `dyn Trait`.
    #[inline]
    #[must_use]
    pub fn downcast<U: Object<'gc>>(this: Self) -> Option<Gc<'gc, U>> {
        // SAFETY: it refers to an object, which does not move within the turn.
        let table = unsafe { this.header().as_ref() }.table();
        if (table.id)() != TypeId::of::<U::Static>() {
            return None;
        }
        // SAFETY: objects of this heap have its brand, and of one brand no two types have the same
        // static twin (Y2).
        Some(unsafe { Gc::at(this.value.cast()) })
    }
}

// SAFETY: it is one reference.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Object<'gc> for Gc<'gc, T> {
    type Static = Gc<'static, T::Static>;
    const NEEDS_TRACE: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.edge(self.header());
    }
    #[inline]
    fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        let from = self.header();
        let to = relocator.place(from).cast::<u8>();
        let behind = self.value.addr().get() - from.addr().get();
        // SAFETY: where the object is now; it has the same type, so its value is as far behind its
        // header.
        *self = unsafe { Gc::at(like(self.value, to.add(behind))) };
    }
}
