//! Downcasts of `Brc<dyn Any>`.

use super::Brc;
use crate::object::Raw;
use std::any::Any;
use std::mem::ManuallyDrop;

impl Brc<dyn Any + Send + Sync> {
    /// Downcasts the reference, if the value is a `T`.
    ///
    /// ```
    /// use std::any::Any;
    /// use vivant_brc::{Brc, unsize};
    ///
    /// let any = unsize!(Brc::new(5_u32) => dyn Any + Send + Sync);
    /// let any = any.downcast::<String>().unwrap_err();
    /// assert_eq!(*any.downcast::<u32>().unwrap(), 5);
    /// ```
    ///
    /// # Errors
    ///
    /// The value has another type. The error is the unchanged reference.
    pub fn downcast<T: Any + Send + Sync>(self) -> Result<Brc<T>, Self> {
        if (*self).is::<T>() {
            Ok(Brc::counted(Raw(ManuallyDrop::new(self).raw.0.cast())))
        } else {
            Err(self)
        }
    }
}
