//! Hash maps and sets: a trie of segments, indexed by the bits of hashes; and weak maps, built on
//! them.

mod entry;
mod group;
pub(crate) mod iter;
pub mod map;
mod segment;
pub mod set;
mod trie;
pub(crate) mod weak_map;
