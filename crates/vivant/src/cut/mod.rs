//! Taking a consistent cut: the coordinator (`phase/README.md`).

mod coordinator;
#[cfg(all(test, feature = "macros"))]
mod tests;
#[cfg(all(test, feature = "macros"))]
mod threads_tests;

pub(crate) use coordinator::{Coordinator, Outcome, Step};
