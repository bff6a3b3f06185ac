//! [`Mut`]: a value that changes in place, with the write barrier in its borrow flag.

use super::borrow::{BorrowError, BorrowKind, READERS, Ref, RefMut, WRITING};
use crate::gc::mutator::Mutator;
use crate::object::erased::Erased;
use crate::object::evacuator::{CLEAN, Evacuator};
use crate::object::external_edges::ExternalEdges;
use crate::object::gc::Gc;
use crate::object::object_trait::Object;
use crate::object::tracer::Tracer;
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::mem;
use std::ptr::NonNull;

/// A value that changes in place: `Gc<'gc, Mut<T>>` replaces `Rc<RefCell<T>>`.
///
/// It is borrowed as a `RefCell` is. The first mutable borrow of an old object since the last minor
/// collection executes the write barrier; every other mutable borrow is a comparison with
/// zero.
///
/// A borrow that is forgotten (`mem::forget`) ends at the next minor collection. There is one
/// exception: a shared borrow of an old object that was not written since the last minor collection
/// ends at the first minor collection after a write was refused because of it.
#[repr(C)]
pub struct Mut<T> {
    /// First, where the collector finds it.
    flag: Cell<u32>,
    value: UnsafeCell<T>,
}

impl<T> Mut<T> {
    /// A value that can be changed once it lies in a heap.
    pub const fn new(value: T) -> Mut<T> {
        Mut {
            flag: Cell::new(0),
            value: UnsafeCell::new(value),
        }
    }

    /// Consumes the `Mut` and returns its value.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// The value of a `Mut` that is not an object by itself, but part of something that is borrowed
    /// mutably already.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value, which is frozen: the flag is not read.
    ///
    /// # Safety
    ///
    /// The value is never written again.
    #[inline]
    pub(super) unsafe fn frozen(&self) -> &T {
        // SAFETY: guaranteed by the caller.
        unsafe { &*self.value.get() }
    }

    /// Shows the value to `body`, as a shared borrow. `None` if it is borrowed mutably.
    #[inline]
    pub(crate) fn look<R>(&self, body: impl FnOnce(&T) -> R) -> Option<R> {
        let flag = self.flag.get();
        if flag & WRITING != 0 || flag & READERS == READERS {
            return None;
        }
        self.flag.set(flag + 1);
        // SAFETY: the borrow is counted, and the value is not borrowed mutably. The value lives as
        // long as this reference to it.
        let borrow = unsafe { Ref::new(self.inside(), &self.flag) };
        Some(body(&*borrow))
    }

    /// A pointer to the value.
    #[inline]
    fn inside(&self) -> NonNull<T> {
        // SAFETY: the address of a field is not null.
        unsafe { NonNull::new_unchecked(self.value.get()) }
    }
}

impl<'gc, T> Gc<'gc, Mut<T>>
where
    T: Object<'gc>,
{
    /// Borrows the value.
    ///
    /// # Panics
    ///
    /// While it is borrowed mutably.
    #[inline]
    #[track_caller]
    pub fn borrow(&self) -> Ref<'gc, T> {
        match self.try_borrow() {
            Ok(borrow) => borrow,
            Err(error) => error.refuse(),
        }
    }

    /// Borrows the value, unless it is borrowed mutably.
    ///
    /// # Errors
    ///
    /// It is borrowed mutably.
    #[inline]
    pub fn try_borrow(&self) -> Result<Ref<'gc, T>, BorrowError> {
        let cell = Gc::as_ref(*self);
        let flag = cell.flag.get();
        if flag & WRITING != 0 || flag & READERS == READERS {
            return Err(BorrowError::of::<T>(BorrowKind::Read, flag));
        }
        cell.flag.set(flag + 1);
        // SAFETY: the borrow is counted, and the value is not borrowed mutably. An object lives as
        // long as the turn.
        Ok(unsafe { Ref::new(cell.inside(), &cell.flag) })
    }

    /// Borrows the value mutably, through the write barrier: `person.borrow_mut(t)`, where `t` is
    /// the turn, or the mutator of a bare heap.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn borrow_mut(&self, turn: &Mutator<'gc>) -> RefMut<'gc, T> {
        match self.try_borrow_mut(turn) {
            Ok(borrow) => borrow,
            Err(error) => error.refuse(),
        }
    }

    /// Borrows the value mutably, through the write barrier, unless it is borrowed.
    ///
    /// # Errors
    ///
    /// It is borrowed.
    #[inline]
    pub fn try_borrow_mut(&self, turn: &Mutator<'gc>) -> Result<RefMut<'gc, T>, BorrowError> {
        let cell = Gc::as_ref(*self);
        let flag = cell.flag.get();
        if flag != 0 {
            if flag != CLEAN {
                return Err(self.write_refused(turn, flag));
            }
            turn.write_barrier(self.header());
        }
        cell.flag.set(WRITING);
        // SAFETY: the value is not borrowed, and from now on the flag says that it is borrowed
        // mutably. An object lives as long as the turn.
        Ok(unsafe { RefMut::new(cell.inside(), &cell.flag) })
    }

    /// The borrow that conflicts may have been forgotten in an earlier turn. So the object is
    /// remembered as if it had been written: the next minor collection scans it and ends all
    /// borrows that are left then.
    #[cold]
    fn write_refused(&self, mutator: &Mutator<'gc>, flag: u32) -> BorrowError {
        if flag & CLEAN != 0 {
            mutator.write_barrier(self.header());
            Gc::as_ref(*self).flag.set(flag & !CLEAN);
        }
        BorrowError::of::<T>(BorrowKind::Write, flag)
    }

    /// Replaces the value.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn set(&self, turn: &Mutator<'gc>, value: T) {
        *self.borrow_mut(turn) = value;
    }

    /// Replaces the value, and returns the old one.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn replace(&self, turn: &Mutator<'gc>, value: T) -> T {
        mem::replace(&mut *self.borrow_mut(turn), value)
    }

    /// Takes the value, and leaves the default.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn take(&self, turn: &Mutator<'gc>) -> T
    where
        T: Default,
    {
        self.replace(turn, T::default())
    }

    /// Exchanges the values of two objects.
    ///
    /// # Panics
    ///
    /// While one is borrowed, or if both are the same.
    #[inline]
    #[track_caller]
    pub fn swap(&self, turn: &Mutator<'gc>, other: Gc<'gc, Mut<T>>) {
        let mut one = self.borrow_mut(turn);
        mem::swap(&mut *one, &mut *other.borrow_mut(turn));
    }

    /// Returns a copy of the value.
    ///
    /// # Panics
    ///
    /// While it is borrowed mutably.
    #[inline]
    #[track_caller]
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        *self.borrow()
    }
}

impl<T: Default> Default for Mut<T> {
    fn default() -> Mut<T> {
        Mut::new(T::default())
    }
}

// SAFETY: it consists of its value.
unsafe impl<T: Erased> Erased for Mut<T> {
    type Of<'gc> = Mut<T::Of<'gc>>;
    type Static = Mut<T::Static>;
}

impl<T> fmt::Debug for Mut<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mut").finish_non_exhaustive()
    }
}

// SAFETY: its only part is the value. No borrow lasts from turn to turn, and these functions run
// between turns: the flag of a forgotten borrow is ignored, and nothing else reads it.
unsafe impl<'gc, T: Object<'gc>> Object<'gc> for Mut<T> {
    type Static = Mut<T::Static>;
    const NEEDS_TRACE: bool = T::NEEDS_TRACE;
    const MUTABLE: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        // SAFETY: the value is not being written: either no turn runs, or the object is claimed.
        unsafe { (*self.value.get()).trace(tracer) };
    }
    #[inline]
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        // Forgotten borrows of a scanned object end here. An object that is old and refers to
        // nothing young gets `CLEAN`: its next write executes the barrier.
        self.flag.set(0);
        self.value.get_mut().evacuate(evacuator);
        evacuator.mutable(&self.flag);
    }
    const HAS_EXTERNAL_EDGES: bool = T::HAS_EXTERNAL_EDGES;
    /// Borrows the value as [`Gc::borrow`] does: this function can be called in a turn too, and it
    /// may pass what it reports to code that writes. A value that is borrowed mutably reports
    /// nothing. No such borrow is left when a mark runs.
    fn trace_external(&self, shown: &mut ExternalEdges<'_>) {
        let _refused = self.look(|value| value.trace_external(shown));
    }
}
