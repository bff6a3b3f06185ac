//! Taking a consistent cut: the coordinator (`phase/README.md`).

mod coordinator;
#[cfg(all(test, feature = "macros"))]
mod races;
mod tables;
#[cfg(all(test, feature = "macros"))]
mod tests;
#[cfg(all(test, feature = "macros"))]
mod threads_tests;

#[allow(
    unused_imports,
    reason = "until a snapshot is restored, tests alone take cuts"
)]
pub(crate) use coordinator::{Coordinator, Outcome, Step};
