//! Checks and questions about whole heaps: verifier, count verifier, retaining paths.

pub(crate) mod count_verifier;
pub(crate) mod retainers;
#[cfg(test)]
mod self_tests;
pub(crate) mod verify;
