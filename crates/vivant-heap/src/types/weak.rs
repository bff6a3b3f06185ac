//! [`Weak`]: a weak reference.

use crate::alloc::header::Header;
use crate::gc::mark_cycle::Resurrection;
use crate::gc::mutator::Mutator;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::object::collected::Collected;
use crate::object::erased::{Erased, ErasedOf};
use crate::object::evacuator::Evacuator;
use crate::object::gc::{Gc, like};
use crate::object::object_trait::Object;
use crate::object::tracer::Tracer;
use crate::object::weak_target::WeakTarget;
use std::fmt;
use std::ptr::NonNull;

/// A reference that does not keep its object alive, and is cleared when the object is dead.
///
/// The collection that finds the object dead clears it. Until then it can be upgraded, even if
/// there is no other reference to the object. One word and `Copy`, as [`Gc`]; it is a small object
/// of its own, allocated by [`Weak::new`].
#[allow(
    explicit_outlives_requirements,
    reason = "by it `Weak<'gc, dyn Trait>` is one to `dyn Trait + 'gc`"
)]
pub struct Weak<'gc, T: ?Sized + 'gc> {
    pub(crate) cell: Gc<'gc, WeakCell<T>>,
}

impl<T: ?Sized> Clone for Weak<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Weak<'_, T> {}

impl<'gc, T: ?Sized + Collected<'gc>> Weak<'gc, T> {
    /// A weak reference to this object.
    ///
    /// # Panics
    ///
    /// There is no memory for it.
    pub fn new(mutator: &Mutator<'gc>, object: Gc<'gc, T>) -> Weak<'gc, T> {
        let cell = WeakCell::new(WeakTarget::new(object.header()), Gc::pointer(object));
        Weak {
            cell: mutator.alloc(cell),
        }
    }

    /// The object, if it is still live. A concurrent mark that runs resurrects it, because there
    /// may be no other reference to it. Returns `None` if a mark has marked everything live,
    /// but not this object: it is dead.
    #[inline]
    #[must_use]
    pub fn upgrade(self, mutator: &Mutator<'gc>) -> Option<Gc<'gc, T>> {
        let cell = Gc::as_ref(self.cell);
        let header = cell.target.get()?;
        #[cfg(test)]
        let heard = !is_injected(InjectedFault::SecretUpgrade);
        #[cfg(not(test))]
        let heard = true;
        if heard && mutator.resurrect(header) == Resurrection::Dead {
            return None;
        }
        // SAFETY: an object of the type that the reference was made for, and it is still there: a
        // collection that frees an object clears the targets that refer to it (`clear_weak`) before
        // the next turn.
        unsafe { Some(cell.referent(header)) }
    }

    /// Returns true if a collection has found the object dead, so that no upgrade returns it. False
    /// says nothing: the object may be dead already. In contrast to an upgrade, it does not
    /// resurrect the object during a mark.
    #[inline]
    #[must_use]
    pub fn is_cleared(self) -> bool {
        Gc::as_ref(self.cell).target.get().is_none()
    }
}

// SAFETY: it is one reference.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Object<'gc> for Weak<'gc, T> {
    type Static = Weak<'static, T::Static>;
    const NEEDS_TRACE: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.cell.trace(tracer);
    }
    #[inline]
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.cell.evacuate(evacuator);
    }
}

// SAFETY: its brand is replaced, and so is that of its referent.
unsafe impl<'a, T: ?Sized + ErasedOf> Erased for Weak<'a, T> {
    type Of<'gc> = Weak<'gc, T::Of<'gc>>;
    type Static = Weak<'static, T::Static>;
}

impl<T: ?Sized> fmt::Debug for Weak<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}

/// The referent of a [`Weak`]. Programs have no reference to it, and it is never part of another
/// object.
#[repr(C)]
pub(crate) struct WeakCell<T: ?Sized> {
    target: WeakTarget,
    /// The target's value when this was made. It may have moved since: only the metadata is used.
    value: NonNull<T>,
}

impl<T: ?Sized> WeakCell<T> {
    /// `value` is the target's value.
    pub(crate) fn new(target: WeakTarget, value: NonNull<T>) -> WeakCell<T> {
        WeakCell { target, value }
    }

    /// What it refers to; `None` if that was found dead.
    pub(crate) fn target(&self) -> Option<NonNull<Header>> {
        self.target.get()
    }

    /// A reference to the target.
    ///
    /// # Safety
    ///
    /// The target is this object, which is in its place. `'gc` is the brand of its heap.
    #[inline]
    pub(crate) unsafe fn referent<'gc>(&self, target: NonNull<Header>) -> Gc<'gc, T> {
        // SAFETY: the caller's contract (X1): an object of the type that the reference was made
        // for.
        unsafe { Gc::at(like(self.value, Header::value(target))) }
    }
}

// SAFETY: as for `Gc`: it goes to another thread with the heap, and its target may go.
unsafe impl<T: ?Sized> Send for WeakCell<T> {}

// SAFETY: its target is not kept alive. It is reported as a weak reference: not to be traced, but
// to be examined at the end.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Object<'gc> for WeakCell<T> {
    type Static = WeakCell<T::Static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.weak();
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        evacuator.weak();
    }
}
