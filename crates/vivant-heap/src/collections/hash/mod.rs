//! Hash maps and sets: a trie of segments, by the bits of hashes. A weak map is one of them.

mod group;
pub(crate) mod hasher;
pub(crate) mod iter;
pub mod map;
mod segment;
pub mod set;
mod trie;
pub(crate) mod weak_map;
