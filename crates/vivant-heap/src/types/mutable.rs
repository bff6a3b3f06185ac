//! [`Mut`]: what changes in place.

use super::gc::Gc;
use super::object::Object;
use crate::collector::{Relocator, Tracer};
use crate::heap::Mutator;
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// A value that changes in place: `Gc<'gc, Mut<T>>` is what `Rc<RefCell<T>>` is elsewhere.
///
/// Borrowed as a `RefCell` is. The first mutable borrow of an old object since the last collection of the nursery goes through the
/// barrier (H5); every other one is a comparison with zero.
///
/// A mutable borrow that is forgotten (`mem::forget`) ends when the nursery is emptied. A shared one of an old object that was not written stays,
/// as a `RefCell`'s would: the object can be read, and no longer written.
#[repr(C)]
pub struct Mut<T> {
    /// First, where the collector finds it.
    flag: Cell<u32>,
    value: UnsafeCell<T>,
}

/// Borrowed mutably.
const WRITING: u32 = 1 << 31;
/// Old, and not written since the last collection of the nursery: the next writer has to tell.
pub(crate) const CLEAN: u32 = 1 << 30;
/// Shared borrows.
const READERS: u32 = CLEAN - 1;

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
        let cell = Gc::as_ref(*self);
        let flag = cell.flag.get();
        if flag & WRITING != 0 || flag & READERS == READERS {
            refused("read", flag);
        }
        cell.flag.set(flag + 1);
        Ref { cell }
    }

    /// Writes, through the barrier.
    ///
    /// # Panics
    ///
    /// While it is borrowed.
    #[inline]
    #[track_caller]
    pub fn borrow_mut(&self, mutator: &Mutator<'gc>) -> RefMut<'gc, T> {
        let cell = Gc::as_ref(*self);
        let flag = cell.flag.get();
        if flag != 0 {
            if flag != CLEAN {
                refused("write", flag);
            }
            mutator.barrier(self.header());
        }
        cell.flag.set(WRITING);
        RefMut { cell }
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

#[cold]
#[track_caller]
fn refused(to: &str, flag: u32) -> ! {
    if flag & WRITING != 0 {
        panic!("cannot {to} this object: it is borrowed mutably, further up in this turn");
    }
    panic!(
        "cannot {to} this object: it is borrowed {} times in this turn",
        flag & READERS
    );
}

/// A shared borrow.
pub struct Ref<'gc, T> {
    cell: &'gc Mut<T>,
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the flag counts this borrow, so nobody writes.
        unsafe { &*self.cell.value.get() }
    }
}

impl<T> Drop for Ref<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.cell.flag.set(self.cell.flag.get() - 1);
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A mutable borrow.
pub struct RefMut<'gc, T> {
    cell: &'gc Mut<T>,
}

impl<T> Deref for RefMut<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the flag says that this is the only borrow.
        unsafe { &*self.cell.value.get() }
    }
}

impl<T> DerefMut for RefMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.cell.value.get() }
    }
}

impl<T> Drop for RefMut<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // Written now, and remembered: the next writer has nothing to tell.
        self.cell.flag.set(0);
    }
}

impl<T: fmt::Debug> fmt::Debug for RefMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> fmt::Debug for Mut<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mut").finish_non_exhaustive()
    }
}

// SAFETY: all it has is the value. No borrow is left between turns, when these run: the flag of one that was forgotten is ignored, and
// is not read by anybody else.
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
        // Forgotten borrows of what is gone through end here. Who is old and refers to nothing young has to tell of the next write.
        self.flag.set(0);
        self.value.get_mut().relocate(relocator);
        relocator.mutable(&self.flag, CLEAN);
    }
}
