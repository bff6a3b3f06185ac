//! Checks and questions about whole heaps: verifier, count verifier, retaining paths.

pub(crate) mod count_verifier;
pub(crate) mod heap_graph;
pub(crate) mod object_name;
#[cfg(test)]
mod self_tests;
pub(crate) mod sharer;
pub(crate) mod verify;
