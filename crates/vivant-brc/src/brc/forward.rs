//! Traits that a reference forwards to its value.

use super::Brc;
use std::borrow::Borrow;
use std::error::Error;
use std::fmt;

impl<T: ?Sized + fmt::Debug> fmt::Debug for Brc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Brc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Pointer for Brc<T> {
    /// Prints the address of the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&Brc::as_ptr(self), f)
    }
}

impl<T: ?Sized> AsRef<T> for Brc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Brc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized + Error> Error for Brc<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }

    #[expect(deprecated, reason = "the value may still have its own")]
    fn description(&self) -> &str {
        (**self).description()
    }

    #[expect(deprecated, reason = "the value may still have its own")]
    fn cause(&self) -> Option<&dyn Error> {
        (**self).cause()
    }
}
