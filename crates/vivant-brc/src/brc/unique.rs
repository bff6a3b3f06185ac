//! Operations that need the only reference.

use super::Brc;
use crate::bias::{counting, only};
use crate::object::Raw;
use std::mem::ManuallyDrop;

impl<T> Brc<T> {
    /// Moves the value out, if this is the only strong reference. Weak references may exist.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let five = Brc::new(5);
    /// let other = five.clone();
    /// assert_eq!(Brc::try_unwrap(five), Err(other.clone()));
    /// assert_eq!(Brc::try_unwrap(other), Ok(5));
    /// ```
    ///
    /// # Errors
    ///
    /// There are other references. The error is the unchanged reference. If the owner of the object
    /// runs elsewhere, the call may also fail because a reference lies in the owner's queue, or
    /// because there are weak references: see the [crate's page](crate).
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        match only::take(this.header()) {
            Some(others) => {
                let this = ManuallyDrop::new(this);
                // SAFETY: `take` has taken the last reference: no other thread can reach the value,
                // now or later.
                let value = unsafe { take_out(this.raw) };
                drop(others);
                Ok(value)
            }
            None => Err(this),
        }
    }

    /// Drops the reference, and returns the value if it was the last one. Several threads may call
    /// this at the same time, each for its last reference. One of them gets the value, if the
    /// object has no owner or the callers are its owner. Otherwise the owner may have to drop the
    /// value, and no caller gets it.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let five = Brc::new(5);
    /// let other = five.clone();
    /// assert_eq!(Brc::into_inner(five), None);
    /// assert_eq!(Brc::into_inner(other), Some(5));
    /// ```
    pub fn into_inner(this: Self) -> Option<T> {
        match Brc::try_unwrap(this) {
            Ok(value) => Some(value),
            Err(this) => {
                let this = ManuallyDrop::new(this);
                let raw = this.raw;
                // SAFETY: the reference counts until `decrement`; objects with an owner have values
                // that are `Send` and borrow nothing (see `drop`).
                counting::decrement(this.header(), || unsafe { raw.hand() })
                    // SAFETY: `decrement` returned true: it was the last reference.
                    .then(|| unsafe { take_out(raw) })
            }
        }
    }

    /// Moves the value out, or clones it if there are other references.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let text = Brc::new(String::from("a"));
    /// assert_eq!(Brc::unwrap_or_clone(text.clone()), "a");
    /// ```
    pub fn unwrap_or_clone(this: Self) -> T
    where
        T: Clone,
    {
        Brc::try_unwrap(this).unwrap_or_else(|this| T::clone(&this))
    }
}

/// Moves the value out, and gives up the strong references' share of the memory.
///
/// # Safety
///
/// The last strong reference was taken, and this is called once for it.
unsafe fn take_out<T>(raw: Raw<T>) -> T {
    // SAFETY: the caller took the last strong reference, and calls this once.
    unsafe {
        let value = raw.value().read();
        raw.release_memory();
        value
    }
}

impl<T: ?Sized> Brc<T> {
    /// Mutable access to the value, if this is the only reference, weak ones included.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let mut five = Brc::new(5);
    /// *Brc::get_mut(&mut five).unwrap() += 1;
    /// let other = five.clone();
    /// assert_eq!((Brc::get_mut(&mut five), *other), (None, 6));
    /// ```
    ///
    /// May also return `None` when the owner of the object runs elsewhere and a reference lies in
    /// its queue.
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        // SAFETY: `is_only`: no other reference can reach the value as long as `this` is borrowed.
        only::is_only(this.header()).then(|| unsafe { &mut *this.raw.value() })
    }
}
