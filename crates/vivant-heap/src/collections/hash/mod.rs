//! Hash maps and sets: a trie of segments, by the bits of hashes.

mod group;
pub(crate) mod hasher;
pub(crate) mod iter;
pub mod map;
mod segment;
pub mod set;
mod trie;
