//! Taking a consistent cut: the coordinator (`phase/README.md`).

#[cfg(all(test, feature = "macros"))]
mod beside_threads;
mod coordinator;
#[cfg(all(test, feature = "macros"))]
mod history_tests;
#[cfg(all(test, feature = "macros"))]
mod races;
mod tables;
#[cfg(all(test, feature = "macros"))]
mod tests;
#[cfg(all(test, feature = "macros"))]
mod threads_tests;

#[cfg(all(test, feature = "macros", feature = "snapshots"))]
pub(crate) use beside_threads::{Over, take_beside_threads};
#[cfg(any(test, feature = "snapshots"))]
pub(crate) use coordinator::{Coordinator, Outcome, Step};
