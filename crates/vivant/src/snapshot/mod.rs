//! Images of a system: what a consistent cut contains, as data in a store, and a system made of it.
//! The README beside this file says how, and describes the format.
//!
//! - [`image`]: the records.
//! - [`census`]: the actors of a cut by type.
//! - [`promises`]: the promises of a restored system.
//! - [`recorder`]: a cut that is being taken.
//! - [`restore`]: a system from an image.
//! - [`take`]: a snapshot into a store; [`pause`], [`error`].
//! - [`restored`]: a system from a store.
//! - [`file`]: the records in a store.

mod census;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod changed_types_tests;
#[cfg(feature = "snapshots")]
mod error;
#[cfg(feature = "snapshots")]
mod file;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod hostile_tests;
mod image;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod memory_store;
#[cfg(feature = "snapshots")]
mod pause;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod program_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod promise_tests;
mod promises;
mod recorder;
mod restore;
#[cfg(feature = "snapshots")]
mod restored;
#[cfg(feature = "snapshots")]
mod saved_program;
#[cfg(feature = "snapshots")]
mod take;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod threads_tests;
#[cfg(all(test, feature = "macros", feature = "snapshots"))]
mod types_tests;

#[cfg(feature = "snapshots")]
pub use {
    census::{ActorsOfType, SavedAs, SlowEncoding},
    error::{RunningTurn, SnapshotError},
    file::NotRead,
    recorder::Unsaved,
    restore::NotRestored,
    restored::{RestoreError, RestoreReport, RestoredActors},
    take::SnapshotReport,
};
#[cfg(feature = "snapshots")]
pub(crate) use {restored::restore_image, saved_program::SavedProgram, take::take};
