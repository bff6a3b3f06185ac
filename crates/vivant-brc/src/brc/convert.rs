//! Conversions from values, boxes and `Cow`.

use super::{Brc, newborn};
use crate::object::from_box;
use std::borrow::Cow;

impl<T: Send + Sync + 'static> From<T> for Brc<T> {
    /// As [`Brc::new`].
    fn from(value: T) -> Brc<T> {
        Brc::new(value)
    }
}

impl<T: ?Sized + Send + Sync + 'static> From<Box<T>> for Brc<T> {
    /// Moves the value into a new object. This also works for unsized values:
    ///
    /// ```
    /// use std::fmt::Display;
    /// use vivant_brc::Brc;
    ///
    /// let boxed: Box<dyn Display + Send + Sync> = Box::new(5);
    /// let shown = Brc::<dyn Display + Send + Sync>::from(boxed);
    /// assert_eq!(shown.to_string(), "5");
    /// ```
    fn from(value: Box<T>) -> Brc<T> {
        Brc::counted(from_box(newborn(size_of_val(&*value)), value))
    }
}

impl<'a, B> From<Cow<'a, B>> for Brc<B>
where
    B: ToOwned + ?Sized,
    Brc<B>: From<&'a B> + From<B::Owned>,
{
    /// Copies a borrowed value, and moves an owned one.
    fn from(value: Cow<'a, B>) -> Brc<B> {
        match value {
            Cow::Borrowed(borrowed) => Brc::from(borrowed),
            Cow::Owned(owned) => Brc::from(owned),
        }
    }
}
