//! Ordered maps: a B-tree of chunks.

mod cursor;
mod entry;
mod iter;
pub mod map;
mod node;
mod tree;
