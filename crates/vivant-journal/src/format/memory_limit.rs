//! [`MemoryLimit`]: asked before each allocation by a length that a file gives.

use crate::error::Error;
use crate::format::names::FileName;

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};

/// Limit of an open image's memory, and of one value's, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryLimit(u64);

impl MemoryLimit {
    /// One gibibyte: the table of some 22 million records.
    pub(crate) const DEFAULT: MemoryLimit = MemoryLimit(1 << 30);

    pub(crate) fn bytes(bytes: u64) -> MemoryLimit {
        MemoryLimit(bytes)
    }

    /// Returns `bytes` if they are within the limit. `what` of `file` would take them.
    pub(crate) fn allow(
        self,
        file: FileName,
        what: &'static str,
        bytes: u64,
    ) -> Result<usize, Error> {
        let is_within = bytes <= self.0;
        #[cfg(test)]
        let is_within = is_within || is_injected(InjectedFault::LengthNotBounded);
        match usize::try_from(bytes) {
            Ok(length) if is_within => Ok(length),
            _ => Err(Error::OverLimit {
                file: file.to_string(),
                what,
                bytes,
                limit: self.0,
            }),
        }
    }
}
