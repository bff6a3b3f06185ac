//! [`Gc`]: a reference to a private object of a heap.

use super::collected::Collected;
use super::evacuator::Evacuator;
use super::object_trait::Object;
use super::reference::reference;
use super::tracer::Tracer;
use crate::alloc::header::Header;
use std::any::TypeId;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;

/// Invariant in the brand (Y1).
pub(crate) type Brand<'gc> = PhantomData<Cell<&'gc ()>>;

/// A reference to an object of the heap with the brand `'gc`. One word, two if the object is a
/// slice, a string or a trait object; `Copy`, never null. It lives as long as the turn. What a turn
/// leaves in its state or in other objects is there in the next turn.
///
/// Two references are the same if they refer to the same object: [`Gc::ptr_eq`]. There is no order
/// or hash by address, because objects move.
#[repr(transparent)]
pub struct Gc<'gc, T: ?Sized + 'gc> {
    value: NonNull<T>,
    brand: Brand<'gc>,
}

reference!(
    Gc,
    "The value is that of an object of this heap, and the pointer may reach its chunk."
);

// SAFETY: no program has a value of the erased form (Y4). It stands for the type in the check
// whether a heap may go to another thread. A reference goes together with its referent, which
// passed that check when it was allocated (Y5).
unsafe impl<T: ?Sized> Send for Gc<'static, T> {}

/// A pointer to `address`, with the metadata of `like`.
///
/// Stable Rust cannot name the metadata of a wide pointer, so the address is replaced in place
/// (attack 9 in `tests/all/README.md`).
#[inline]
pub(crate) fn like<T: ?Sized>(like: NonNull<T>, address: NonNull<u8>) -> NonNull<T> {
    let mut pointer = like.as_ptr();
    // SAFETY: the first word of a pointer, wide or not, is the address it points to. The assertion
    // below checks that.
    unsafe { (&raw mut pointer).cast::<*mut u8>().write(address.as_ptr()) };
    assert!(
        std::ptr::addr_eq(pointer, address.as_ptr()),
        "a wide pointer of this compiler does not begin with its address"
    );
    // SAFETY: its address is `address`, which is not null.
    unsafe { NonNull::new_unchecked(pointer) }
}

impl<'gc, T: ?Sized> Gc<'gc, T> {
    /// The value for as long as the turn: no collection runs within a turn.
    #[inline]
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "no method: those are the object's"
    )]
    pub fn as_ref(this: Self) -> &'gc T {
        // SAFETY: code with a reference of this brand runs in the turn in which the object was
        // allocated, or in a later turn that found it live. The object is not moved or freed before
        // the turn ends, and the brand does not outlive the turn. Only a `Mut` is changed through
        // `&`.
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
        // SAFETY: objects of this heap have its brand, and no two types of one brand have the same
        // erased form (Y2).
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
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        let from = self.header();
        let to = evacuator.forward(from).cast::<u8>();
        let behind = self.value.addr().get() - from.addr().get();
        // SAFETY: the object's address now; it has the same type, so its value has the same offset
        // from its header.
        *self = unsafe { Gc::at(like(self.value, to.add(behind))) };
    }
}
