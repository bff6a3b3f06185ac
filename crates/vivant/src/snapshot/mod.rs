//! Images of a system: what a consistent cut contains, as data, and a system made of it.
//!
//! - [`alarms`]: messages that are sent later.
//! - [`counts`]: how many actors of each type a cut has.
//! - [`ended`]: the actors that an image does not contain, and has addresses of.
//! - [`image`]: the records.
//! - [`intervals`]: what an interval of a restored system sends.
//! - [`message_record`]: a message as data.
//! - [`monitors`]: links, watches, and stops that wait.
//! - [`not_restored`]: why an image cannot be restored.
//! - [`paths`]: the paths of restored actors.
//! - [`recorder`]: a cut that is being taken.
//! - [`restored_tables`]: the tables of a restored system.
//! - [`tables`]: the tables that actors share.
//! - [`restore`]: a system from an image.

mod alarms;
#[cfg(all(test, feature = "macros"))]
mod alarms_tests;
mod counts;
mod ended;
#[cfg(all(test, feature = "macros"))]
mod ended_tests;
mod image;
mod intervals;
mod message_record;
mod monitors;
#[cfg(all(test, feature = "macros"))]
mod monitors_tests;
mod not_restored;
mod paths;
mod recorder;
mod restore;
mod restored_tables;
#[cfg(all(test, feature = "macros"))]
mod steps_tests;
mod tables;
#[cfg(all(test, feature = "macros"))]
mod tables_tests;
#[cfg(all(test, feature = "macros"))]
mod taking;
#[cfg(all(test, feature = "macros"))]
mod tests;
#[cfg(all(test, feature = "macros"))]
mod threads_tests;
