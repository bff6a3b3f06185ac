//! [`NotSaved`]: why an object could not be saved.

use std::error::Error;
use std::fmt;
use vivant_codec::SaveError;

/// An object could not be saved.
#[derive(Debug)]
pub struct NotSaved {
    /// The type of the object.
    pub type_name: &'static str,
    /// Why.
    pub error: SaveError,
}

impl fmt::Display for NotSaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object `{}`: {}", self.type_name, self.error)
    }
}

impl Error for NotSaved {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}
