//! Ordered maps: a B-tree of chunks.

mod cursor;
mod entry;
mod iter;
pub mod map;
pub(crate) mod node;
mod tree;
