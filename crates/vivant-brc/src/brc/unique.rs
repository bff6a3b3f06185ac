//! What can be done with the only reference.

use super::Brc;
use crate::bias::{counting, only};
use crate::object::Raw;
use std::mem::ManuallyDrop;

impl<T> Brc<T> {
    /// The value, if this is the only reference, whatever weak ones there are.
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
    /// There are others, and this one comes back. If the owner of the object runs elsewhere, this
    /// may also be because one lies in its queue, or because there are weak references: see the
    /// [crate's page](crate).
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        match only::take(this.header()) {
            Some(others) => {
                let this = ManuallyDrop::new(this);
                // SAFETY: taken: nobody else can get at the value, or will.
                let value = unsafe { take_out(this.raw) };
                drop(others);
                Ok(value)
            }
            None => Err(this),
        }
    }

    /// The value, if this was the last reference. Of several threads that ask at the same time one
    /// gets it, if the object has no owner, or they are its owner; else the owner may have to drop
    /// it, and nobody gets it.
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
                // SAFETY: as in `drop`.
                counting::let_go(this.header(), || unsafe { raw.hand() })
                    // SAFETY: it was the last one.
                    .then(|| unsafe { take_out(raw) })
            }
        }
    }

    /// The value, or a clone of it if there are other references.
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

/// Moves the value out, and gives up the memory.
///
/// # Safety
///
/// The last strong reference was taken, and this is called once for it.
unsafe fn take_out<T>(raw: Raw<T>) -> T {
    // SAFETY: the caller's.
    unsafe {
        let value = raw.value().read();
        raw.forsake();
        value
    }
}

impl<T: ?Sized> Brc<T> {
    /// The value for changing, if this is the only reference, weak ones included.
    ///
    /// ```
    /// # use vivant_brc::Brc;
    /// let mut five = Brc::new(5);
    /// *Brc::get_mut(&mut five).unwrap() += 1;
    /// let other = five.clone();
    /// assert_eq!((Brc::get_mut(&mut five), *other), (None, 6));
    /// ```
    ///
    /// None may also be the answer when the owner of the object runs elsewhere and one reference
    /// lies in its queue.
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        // SAFETY: nobody else can get at the value as long as `this` is borrowed.
        only::is_only(this.header()).then(|| unsafe { &mut *this.raw.value() })
    }
}
