//! Taking a consistent cut: the coordinator (`phase/README.md`).

mod coordinator;
#[cfg(all(test, feature = "macros"))]
mod races;
mod tables;
#[cfg(all(test, feature = "macros"))]
mod tests;
#[cfg(all(test, feature = "macros"))]
mod threads_tests;

#[cfg(any(test, feature = "snapshots"))]
pub(crate) use coordinator::{Coordinator, Outcome, Step};
