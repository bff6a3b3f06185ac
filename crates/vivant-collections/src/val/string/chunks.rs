//! [`Chunks`]: the iterator over the chunks of a version.

use super::node::Node;
use std::iter::FusedIterator;
use std::ops::Range;

/// The chunks of a [`String`](super::String) in their order; each is looked up from the root.
#[derive(Clone)]
pub struct Chunks<'gc> {
    root: Option<Node<'gc>>,
    /// The byte range of the chunks not yet returned: whole chunks.
    bytes: Range<usize>,
}

impl<'gc> Chunks<'gc> {
    pub(super) fn new(root: Option<Node<'gc>>, len: usize) -> Self {
        Chunks {
            root,
            bytes: 0..len,
        }
    }
}

impl<'gc> Iterator for Chunks<'gc> {
    type Item = &'gc str;

    fn next(&mut self) -> Option<&'gc str> {
        let root = self.root.filter(|_| !self.bytes.is_empty())?;
        let (chunk, _) = root.chunk_at(self.bytes.start)?;
        self.bytes.start += chunk.len();
        Some(chunk)
    }
}

impl DoubleEndedIterator for Chunks<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let root = self.root.filter(|_| !self.bytes.is_empty())?;
        let (chunk, _) = root.chunk_at(self.bytes.end - 1)?;
        self.bytes.end -= chunk.len();
        Some(chunk)
    }
}

impl FusedIterator for Chunks<'_> {}

impl std::fmt::Debug for Chunks<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
