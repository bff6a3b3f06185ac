//! Images of a system: what a consistent cut contains, as data, and a system made of it.
//!
//! - [`image`]: the records.
//! - [`promises`]: the promises of a restored system.
//! - [`recorder`]: a cut that is being taken.
//! - [`restore`]: a system from an image.

mod image;
#[cfg(all(test, feature = "macros"))]
mod promise_tests;
mod promises;
mod recorder;
mod restore;
#[cfg(all(test, feature = "macros"))]
mod tests;
