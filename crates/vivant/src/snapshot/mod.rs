//! Images of a system: what a consistent cut contains, as data, and a system made of it.
//!
//! - [`image`]: the records.
//! - [`recorder`]: a cut that is being taken.
//! - [`restore`]: a system from an image.

mod image;
mod recorder;
mod restore;
#[cfg(all(test, feature = "macros"))]
mod tests;
