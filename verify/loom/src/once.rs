//! A value that is set once.

use crate::sync::{AtomicU32, Ordering};
use std::sync::OnceLock as Unseen;

/// As in the standard library, as far as the files use it. Loom tracks the readers: it panics if a
/// read was not ordered before the end.
pub(crate) struct OnceLock<T> {
    value: Unseen<T>,
    /// One when it is set.
    is_set: AtomicU32,
}

impl<T> OnceLock<T> {
    pub(crate) fn new() -> OnceLock<T> {
        OnceLock {
            value: Unseen::new(),
            is_set: AtomicU32::new(0),
        }
    }

    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        self.value.set(value)?;
        // Release: pairs with `get`.
        self.is_set.store(1, Ordering::Release);
        Ok(())
    }

    pub(crate) fn get(&self) -> Option<&T> {
        // Acquire: pairs with `set`.
        let is_set = self.is_set.load(Ordering::Acquire) == 1;
        is_set.then(|| self.value.get()).flatten()
    }
}
