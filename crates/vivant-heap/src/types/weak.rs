//! [`Weak`]: a reference that keeps nothing alive.

use super::collected::Collected;
use super::gc::{Gc, like};
use super::object::Object;
use crate::collector::{Relocator, Revived, Tracer};
use crate::header::Header;
use crate::mutator::Mutator;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use std::cell::Cell;
use std::fmt;
use std::ptr::NonNull;

/// A reference that does not keep its object alive, and is empty when that is gone (H10).
///
/// The collection that finds the object dead empties it: until then it can be upgraded, also when
/// nobody else refers to the object. One word and `Copy`, as [`Gc`]; it is a small object of its
/// own, made by [`Weak::new`].
#[allow(
    explicit_outlives_requirements,
    reason = "by it `Weak<'gc, dyn Trait>` is one to `dyn Trait + 'gc`"
)]
pub struct Weak<'gc, T: ?Sized + 'gc> {
    cell: Gc<'gc, WeakCell<T>>,
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
        let cell = WeakCell {
            target: Target(Cell::new(Some(object.header()))),
            value: Gc::pointer(object),
        };
        Weak {
            cell: mutator.alloc(cell),
        }
    }

    /// The object, if it is there still. A mark that runs beside the turns hears of it, and keeps
    /// it: nobody else may refer to it any more (H6). One that has met all, and has not met this,
    /// has found it dead.
    #[inline]
    #[must_use]
    pub fn upgrade(self, mutator: &Mutator<'gc>) -> Option<Gc<'gc, T>> {
        let cell = Gc::as_ref(self.cell);
        let header = cell.target.0.get()?;
        #[cfg(test)]
        let heard = !is_planted(Planted::SecretUpgrade);
        #[cfg(not(test))]
        let heard = true;
        if heard && mutator.revives(header) == Revived::Not {
            return None;
        }
        // SAFETY: an object, of the type of which one was referred to when this was made; and it is
        // there still: whatever frees an object empties the targets that name it in the same
        // collection (`clear_weak`), before anybody's next turn.
        unsafe { Some(Gc::at(like(cell.value, Header::value(header)))) }
    }

    /// Whether a collection has emptied it. No mark hears of that.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        Gc::as_ref(self.cell).target.0.get().is_none()
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
    fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        self.cell.relocate(relocator);
    }
}

impl<T: ?Sized> fmt::Debug for Weak<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}

/// What a [`Weak`] refers to. Never in anybody's hands, never a part of something else.
#[repr(C)]
pub(crate) struct WeakCell<T: ?Sized> {
    target: Target,
    /// The target's value when this was made. It may have moved since: only the metadata counts.
    value: NonNull<T>,
}

// SAFETY: as for `Gc`: it goes with the heap, and what it refers to may go.
unsafe impl<T: ?Sized> Send for WeakCell<T> {}

// SAFETY: what it refers to is not kept alive, and is reported as what it is: nothing that has to
// be traced, but to be looked after at the end.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Object<'gc> for WeakCell<T> {
    type Static = WeakCell<T::Static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        tracer.weak();
    }
    fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        relocator.weak();
    }
}

/// The object to which a weak reference refers.
///
/// It is written by collections alone, so an old one refers to a young object only if it became old
/// together with that.
#[repr(transparent)]
pub(crate) struct Target(Cell<Option<NonNull<Header>>>);

impl Target {
    /// # Safety
    ///
    /// The object is a [`WeakCell`], and stays where it is meanwhile.
    pub(crate) unsafe fn of<'a>(object: NonNull<Header>) -> &'a Target {
        // SAFETY: the caller's; a weak cell begins with its target.
        unsafe { object.add(1).cast().as_ref() }
    }

    /// Where the object is now, by `place`; none if it is dead.
    pub(crate) fn update(
        &self,
        place: impl FnOnce(NonNull<Header>) -> Option<NonNull<Header>>,
    ) -> Option<NonNull<Header>> {
        let object = self.0.get().and_then(place);
        self.0.set(object);
        object
    }
}
