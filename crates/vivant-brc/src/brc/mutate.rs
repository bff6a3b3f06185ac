//! [`Brc::make_mut`], and the values that it can clone.

use super::{Brc, newborn};
use crate::bias::only;
use crate::object::copied;
use std::ffi::{CStr, OsStr};
use std::path::Path;

/// A value that [`Brc::make_mut`] can clone into a new object: any `Clone` type, slices of such
/// types, and strings of all kinds.
///
/// It stands for std's `CloneToUninit`, which is unstable. The trait is sealed: implement `Clone`.
pub trait CloneToNew: closed::CloneToNew + Send + Sync + 'static {}

/// Seals the trait, because unsafe code relies on the bounds of the public trait.
mod closed {
    pub trait CloneToNew {
        /// A new object with a clone of this value.
        fn clone_to_new(&self) -> crate::Brc<Self>;
    }
}

impl<T: ?Sized + closed::CloneToNew + Send + Sync + 'static> CloneToNew for T {}

impl<T: Clone + Send + Sync + 'static> closed::CloneToNew for T {
    fn clone_to_new(&self) -> Brc<T> {
        Brc::new(self.clone())
    }
}

/// Unsized values: a new object is made from a borrowed value.
macro_rules! clone_from_borrowed {
    ($([$($parameter:tt)*] $value:ty),* $(,)?) => {$(
        impl<$($parameter)*> closed::CloneToNew for $value {
            fn clone_to_new(&self) -> Brc<Self> {
                Brc::from(self)
            }
        }
    )*};
}

clone_from_borrowed! {
    [T: Clone + Send + Sync + 'static] [T],
    [] str,
    [] CStr,
    [] OsStr,
    [] Path,
}

impl<T: ?Sized + CloneToNew> Brc<T> {
    /// Mutable access to the value. In place, if this is the only reference. If there are weak
    /// references only, the value moves to a new object and they cannot be upgraded any more. If
    /// there are other strong references, the value is cloned.
    ///
    /// It may be cloned where `Arc` would give access in place, when the owner of the object runs
    /// elsewhere: see the [crate's page](crate).
    ///
    /// ```
    /// use vivant_brc::Brc;
    ///
    /// let mut numbers = Brc::<[i32]>::from([1, 2, 3]);
    /// let before = numbers.clone();
    /// Brc::make_mut(&mut numbers)[0] = 10;
    /// assert_eq!((&*numbers, &*before), (&[10, 2, 3][..], &[1, 2, 3][..]));
    /// ```
    ///
    /// # Panics
    ///
    /// As `Clone` of the value does. The reference is unchanged then.
    pub fn make_mut(this: &mut Self) -> &mut T {
        if !only::is_only(this.header()) {
            if let Some(others) = only::take(this.header()) {
                let raw = this.raw;
                // SAFETY: `take` has taken the value, so no other thread uses it, and this moves
                // it. Nothing panics until the old reference, which no longer counts, is forgotten.
                // By the trait's bounds the value may have an owner.
                let new =
                    Brc::counted(unsafe { copied(newborn(size_of_val(&**this)), raw.value()) });
                std::mem::forget(std::mem::replace(this, new));
                // SAFETY: the value was taken, and was moved away.
                unsafe { raw.release_memory() };
                drop(others);
            } else {
                *this = this.clone_to_new();
            }
        }
        // SAFETY: this is the only reference, and `this` is borrowed mutably.
        unsafe { &mut *this.raw.value() }
    }
}
