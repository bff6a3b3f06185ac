//! The LIFO slot: the actor woken last runs right after the turn that woke it, on warm caches
//! (invariant F1).

use crate::sync::{AtomicPtr, Ordering, fault};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// A value that can be passed as a raw pointer.
///
/// # Safety
///
/// `from_ptr` returns the value that `into_ptr` gave up, on any thread.
pub(crate) unsafe trait Pointed: Sized + Send {
    /// The type that the pointer points at.
    type Target;
    /// Gives the value up as a pointer.
    fn into_ptr(self) -> NonNull<Self::Target>;
    /// Takes the value back from its pointer.
    ///
    /// # Safety
    ///
    /// The pointer came from `into_ptr`, and this is called once for that.
    unsafe fn from_ptr(pointer: NonNull<Self::Target>) -> Self;
}

/// A place for one value. Its worker puts and takes; other workers may take while that worker is
/// held up.
pub(crate) struct LifoSlot<T: Pointed> {
    at: AtomicPtr<T::Target>,
    owns: PhantomData<T>,
}

impl<T: Pointed> LifoSlot<T> {
    pub(crate) fn new() -> Self {
        LifoSlot {
            at: AtomicPtr::new(ptr::null_mut()),
            owns: PhantomData,
        }
    }

    /// Puts `woken` in; returns the previous value. Only the slot's worker calls this.
    pub(crate) fn put(&self, woken: T) -> Option<T> {
        let new = woken.into_ptr().as_ptr();
        // Relaxed: only this worker puts, so an empty slot stays empty until the store below.
        if self.at.load(Ordering::Relaxed).is_null() {
            // Release: pairs with the Acquire in `take`.
            let release = fault!(Ordering::Release, PutRelaxed => Ordering::Relaxed);
            self.at.store(new, release);
            return None;
        }
        // Release as above. The previous value was put by this same worker, so there is nothing to
        // acquire.
        let release = fault!(Ordering::Release, SwapRelaxed => Ordering::Relaxed);
        let old = fault!(self.at.swap(new, release), StoreOver => {
            let old = self.at.load(Ordering::Relaxed);
            self.at.store(new, release);
            old
        });
        fault!(DropDisplaced => return None);
        // SAFETY: `put` gave it up, and the exchange gave it to this caller alone (X10).
        NonNull::new(old).map(|old| unsafe { T::from_ptr(old) })
    }

    /// Takes the value out.
    pub(crate) fn take(&self) -> Option<T> {
        if self.at.load(Ordering::Relaxed).is_null() {
            return None;
        }
        // Acquire: pairs with the Release in `put`.
        let acquire = fault!(Ordering::Acquire, SlotTakeRelaxed => Ordering::Relaxed);
        let old = fault!(self.at.swap(ptr::null_mut(), acquire), TakeByLoadAndStore => {
            let old = self.at.load(acquire);
            self.at.store(ptr::null_mut(), Ordering::Relaxed);
            old
        });
        // SAFETY: `put` gave it up, and the exchange gave it to this caller alone (X10).
        NonNull::new(old).map(|old| unsafe { T::from_ptr(old) })
    }

    /// Returns true if the slot holds this value. Only the slot's worker can draw a conclusion from
    /// it: no other thread puts.
    pub(crate) fn holds(&self, pointer: NonNull<T::Target>) -> bool {
        // Relaxed: a snapshot, as in `is_empty`.
        self.at.load(Ordering::Relaxed) == pointer.as_ptr()
    }

    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: a snapshot; `take` decides.
        self.at.load(Ordering::Relaxed).is_null()
    }
}

impl<T: Pointed> Drop for LifoSlot<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}
