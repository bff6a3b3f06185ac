//! Tags: opaque, comparable references to private objects, for other heaps. [README.md](README.md)
//! has the protocol.

#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
mod stub;
mod table;
mod tag;

pub(crate) use stub::Stub;
pub(crate) use table::Tags;
pub use tag::{ForeignTag, Tag, TagId};
