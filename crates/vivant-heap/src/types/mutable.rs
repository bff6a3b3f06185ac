//! [`Mut`]: what changes in place.

use super::borrow::{BorrowError, CLEAN, READERS, Ref, RefMut, WRITING, Wanted};
use super::gc::Gc;
use super::holdings::Holdings;
use super::object::Object;
use crate::collector::{Relocator, Tracer};
use crate::mutator::Mutator;
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::mem;
use std::ptr::NonNull;

/// A value that changes in place: `Gc<'gc, Mut<T>>` is what `Rc<RefCell<T>>` is elsewhere.
///
/// Borrowed as a `RefCell` is. The first mutable borrow of an old object since the last collection
/// of the nursery goes through the barrier (H5); every other one is a comparison with zero.
///
/// A borrow that is forgotten (`mem::forget`) ends when the nursery is emptied; a shared one of an
/// old object that nobody has written since the last time, when the nursery is emptied after a
/// write was refused for it.
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

    /// The value, out of it.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// The value of one that is no object by itself, but part of something that is borrowed mutably
    /// already.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// The value, which is frozen: without a look at the flag.
    ///
    /// # Safety
    ///
    /// Nobody writes it any more.
    #[inline]
    pub(super) unsafe fn frozen(&self) -> &T {
        // SAFETY: the caller's.
        unsafe { &*self.value.get() }
    }

    /// Where the value lies.
    #[inline]
    fn inside(&self) -> NonNull<T> {
        // SAFETY: a place is nowhere null.
        unsafe { NonNull::new_unchecked(self.value.get()) }
    }
}

impl<'gc, T> Gc<'gc, Mut<T>>
where
    T: Object<'gc>,
{
    /// Reads.
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

    /// Reads, if nobody writes.
    ///
    /// # Errors
    ///
    /// It is borrowed mutably.
    #[inline]
    pub fn try_borrow(&self) -> Result<Ref<'gc, T>, BorrowError> {
        let cell = Gc::as_ref(*self);
        let flag = cell.flag.get();
        if flag & WRITING != 0 || flag & READERS == READERS {
            return Err(BorrowError::of::<T>(Wanted::Read, flag));
        }
        cell.flag.set(flag + 1);
        // SAFETY: counted, and nobody writes. An object stays as long as the turn.
        Ok(unsafe { Ref::new(cell.inside(), &cell.flag) })
    }

    /// Writes, through the barrier.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn borrow_mut(&self, mutator: &Mutator<'gc>) -> RefMut<'gc, T> {
        match self.try_borrow_mut(mutator) {
            Ok(borrow) => borrow,
            Err(error) => error.refuse(),
        }
    }

    /// Writes, through the barrier, if nobody reads or writes.
    ///
    /// # Errors
    ///
    /// It is borrowed.
    #[inline]
    pub fn try_borrow_mut(&self, mutator: &Mutator<'gc>) -> Result<RefMut<'gc, T>, BorrowError> {
        let cell = Gc::as_ref(*self);
        let flag = cell.flag.get();
        if flag != 0 {
            if flag != CLEAN {
                return Err(self.write_refused(mutator, flag));
            }
            mutator.barrier(self.header());
        }
        cell.flag.set(WRITING);
        // SAFETY: nobody else borrows it, as the flag says from now on. An object stays as long as
        // the turn.
        Ok(unsafe { RefMut::new(cell.inside(), &cell.flag) })
    }

    /// The borrow that is in the way may have been forgotten, in an earlier turn. So the object is
    /// remembered as if it had been written: the next collection of the nursery goes through it,
    /// and ends all that is left then.
    #[cold]
    fn write_refused(&self, mutator: &Mutator<'gc>, flag: u32) -> BorrowError {
        if flag & CLEAN != 0 {
            mutator.barrier(self.header());
            Gc::as_ref(*self).flag.set(flag & !CLEAN);
        }
        BorrowError::of::<T>(Wanted::Write, flag)
    }

    /// Exchanges the value.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn set(&self, mutator: &Mutator<'gc>, value: T) {
        *self.borrow_mut(mutator) = value;
    }

    /// Exchanges the value, and gives the old one.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn replace(&self, mutator: &Mutator<'gc>, value: T) -> T {
        mem::replace(&mut *self.borrow_mut(mutator), value)
    }

    /// Takes the value, and leaves the default.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn take(&self, mutator: &Mutator<'gc>) -> T
    where
        T: Default,
    {
        self.replace(mutator, T::default())
    }

    /// Exchanges the values of two objects.
    ///
    /// # Panics
    ///
    /// While one is borrowed, or if both are the same.
    #[inline]
    #[track_caller]
    pub fn swap(&self, mutator: &Mutator<'gc>, other: Gc<'gc, Mut<T>>) {
        let mut one = self.borrow_mut(mutator);
        mem::swap(&mut *one, &mut *other.borrow_mut(mutator));
    }

    /// A copy of the value.
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

impl<T> fmt::Debug for Mut<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mut").finish_non_exhaustive()
    }
}

// SAFETY: all it has is the value. No borrow is left between turns, when these run: the flag of one
// that was forgotten is ignored, and is not read by anybody else.
unsafe impl<'gc, T: Object<'gc>> Object<'gc> for Mut<T> {
    type Static = Mut<T::Static>;
    const NEEDS_TRACE: bool = T::NEEDS_TRACE;
    const MUTABLE: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        // SAFETY: nobody writes: either no turn runs, or the object is claimed.
        unsafe { (*self.value.get()).trace(tracer) };
    }
    #[inline]
    fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        // Forgotten borrows of what is gone through end here. Who is old and refers to nothing
        // young has to tell of the next write.
        self.flag.set(0);
        self.value.get_mut().relocate(relocator);
        relocator.mutable(&self.flag, CLEAN);
    }
    const SHOWS: bool = T::SHOWS;
    /// Reads, as [`Gc::borrow`]: anybody can call this, in a turn too, and what is shown may go to
    /// code that writes. Of what is borrowed mutably nothing is shown. No such borrow is left when
    /// a mark runs.
    fn show_holdings(&self, shown: &mut Holdings<'_>) {
        let flag = self.flag.get();
        if flag & WRITING != 0 || flag & READERS == READERS {
            return;
        }
        self.flag.set(flag + 1);
        // SAFETY: counted, and nobody writes. The value stays as long as this reference to it.
        unsafe { Ref::new(self.inside(), &self.flag) }.show_holdings(shown);
    }
}
