//! Images of a system: what a consistent cut contains, as data, and a system made of it.
//!
//! - [`counts`]: how many actors of each type a cut has.
//! - [`ended`]: the actors that an image does not contain, and has addresses of.
//! - [`image`]: the records.
//! - [`paths`]: the paths of restored actors.
//! - [`recorder`]: a cut that is being taken.
//! - [`tables`]: the tables that actors share.
//! - [`restore`]: a system from an image.

mod counts;
mod ended;
#[cfg(all(test, feature = "macros"))]
mod ended_tests;
mod image;
mod paths;
mod recorder;
mod restore;
#[cfg(all(test, feature = "macros"))]
mod steps_tests;
mod tables;
#[cfg(all(test, feature = "macros"))]
mod tables_tests;
#[cfg(all(test, feature = "macros"))]
mod taking;
#[cfg(all(test, feature = "macros"))]
mod tests;
