//! [`RawHead`]: the beginning of a raw object, before its content.

use std::cell::Cell;

/// The head of a raw object.
#[repr(C, align(8))]
pub(crate) struct RawHead {
    /// For the write barrier: clean, or zero, or a window over the written slots. First, where the
    /// collector finds it.
    pub(crate) flag: Cell<u32>,
    /// The size of the object in bytes: this head and the content.
    pub(crate) bytes: u32,
}

impl RawHead {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes as usize
    }
}
