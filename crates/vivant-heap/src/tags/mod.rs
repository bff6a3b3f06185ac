//! Tags: opaque, comparable references to private objects, for other heaps. [README.md](README.md)
//! has the protocol.

#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
mod tag;
mod tag_entry;
mod tag_table;

pub use tag::{ForeignTag, Tag, TagId};
pub(crate) use tag_entry::TagEntry;
pub(crate) use tag_table::TagTable;
