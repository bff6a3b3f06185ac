//! [`Brc::make_mut`], and what it can clone.

use super::{Brc, newborn};
use crate::bias::only;
use crate::object::copied;
use std::ffi::{CStr, OsStr};
use std::path::Path;

/// What [`Brc::make_mut`] can clone into a new object: whatever is `Clone`, slices of it, and
/// strings of all kinds.
///
/// It stands for std's `CloneToUninit`, which is not stable. Nobody else can implement it:
/// implement `Clone`.
pub trait CloneToNew: closed::CloneToNew + Send + Sync + 'static {}

/// Out of reach for others, because unsafe code relies on the bounds of the public trait.
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

/// Values without size: a new object is made of a borrowed one.
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
    /// The value for changing: in place if this is the only reference; moved away from weak ones,
    /// which find nothing then; else cloned away from other references.
    ///
    /// It may be cloned where `Arc` would change it in place, when the owner of the object runs
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
    /// As `Clone` of the value does. Nothing has changed then.
    pub fn make_mut(this: &mut Self) -> &mut T {
        if !only::is_only(this.header()) {
            if let Some(others) = only::take(this.header()) {
                let raw = this.raw;
                // SAFETY: taken: nobody else uses the value, and this has moved it. Nothing panics
                // until the old reference, which counts no more, is forgotten. By its bounds the
                // value may be one with an owner.
                let new =
                    Brc::counted(unsafe { copied(newborn(size_of_val(&**this)), raw.value()) });
                std::mem::forget(std::mem::replace(this, new));
                // SAFETY: taken, and the value was moved away.
                unsafe { raw.forsake() };
                drop(others);
            } else {
                *this = this.clone_to_new();
            }
        }
        // SAFETY: the only reference.
        unsafe { &mut *this.raw.value() }
    }
}
