//! A value that is set once and that any thread may read afterwards. One word.

use crate::message::pool;
use crate::sync::{AtomicPtr, Ordering};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

pub(crate) struct SetOnce<T> {
    at: AtomicPtr<T>,
    owns: PhantomData<T>,
}

impl<T: Send + Sync> SetOnce<T> {
    pub(crate) fn new() -> Self {
        SetOnce {
            at: AtomicPtr::new(ptr::null_mut()),
            owns: PhantomData,
        }
    }

    /// Sets the value, unless one is set. Two threads may race: the value of the first stays.
    pub(crate) fn set(&self, value: T) {
        if self.get().is_some() {
            return;
        }
        let place = pool::take::<T>();
        // SAFETY: `take` returned memory for this type (N4), which has no other owner (N1).
        unsafe { place.write(value) };
        // Release: pairs with the Acquire in `get`.
        let set = self.at.compare_exchange(
            ptr::null_mut(),
            place.as_ptr(),
            Ordering::Release,
            Ordering::Relaxed,
        );
        if set.is_err() {
            // SAFETY: written above, and not published, because the exchange failed (X3).
            drop(unsafe { taken(place) });
        }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        // Acquire: pairs with the Release in `set`.
        // SAFETY: what `set` published is neither changed nor freed before the drop, which borrows
        // exclusively (X6).
        unsafe { self.at.load(Ordering::Acquire).as_ref() }
    }
}

impl<T> Drop for SetOnce<T> {
    fn drop(&mut self) {
        if let Some(place) = NonNull::new(self.at.load(Ordering::Relaxed)) {
            // SAFETY: `set` wrote it (X5), and `&mut self` excludes any reader (X2).
            drop(unsafe { taken(place) });
        }
    }
}

/// # Safety
///
/// `set` wrote the value, and this is called once for it.
unsafe fn taken<T>(place: NonNull<T>) -> T {
    // SAFETY: `set` wrote the value and this is called once for it (X1); `set` took the memory for
    // this type (N4).
    unsafe {
        let value = place.read();
        pool::give(place);
        value
    }
}
