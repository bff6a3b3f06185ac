//! What the value can do, its references can.

use super::Brc;
use std::fmt;

impl<T: ?Sized + fmt::Debug> fmt::Debug for Brc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
