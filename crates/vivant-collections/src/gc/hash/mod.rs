//! Hash maps and sets: a trie of segments, indexed by the bits of hashes; and weak maps, built on
//! them.

mod entry;
mod group;
pub(crate) mod iter;
pub mod map;
pub(crate) mod node;
pub(crate) mod segment;
pub mod set;
pub(crate) mod trie;
pub(crate) mod weak_map;
