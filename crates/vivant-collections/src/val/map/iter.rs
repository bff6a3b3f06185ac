//! [`Iter`]: the iterator over the entries of a version.

use super::node::{DIGITS, Node, Slot};
use std::fmt;
use std::iter::FusedIterator;
use std::slice;

/// The entries of a [`Map`](super::Map), in the order of their keys' hashes.
pub struct Iter<'gc, K, V> {
    /// The remaining slots of each node on the path from the root to the current position.
    nodes: [slice::Iter<'gc, Slot<'gc, K, V>>; DIGITS as usize + 1],
    depth: usize,
    left: usize,
}

impl<'gc, K, V> Iter<'gc, K, V> {
    pub(super) fn new(root: Option<Node<'gc, K, V>>, len: usize) -> Self {
        let mut nodes = [const { [].as_slice() }; DIGITS as usize + 1].map(<[_]>::iter);
        nodes[0] = root.map_or(&[][..], Node::slots).iter();
        Iter {
            nodes,
            depth: 0,
            left: len,
        }
    }
}

impl<'gc, K, V> Iterator for Iter<'gc, K, V> {
    type Item = (&'gc K, &'gc V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.nodes[self.depth].next() {
                Some(Slot::Entry(key, value)) => {
                    self.left -= 1;
                    return Some((key, value));
                }
                Some(Slot::Node(node)) => {
                    self.depth += 1;
                    self.nodes[self.depth] = node.slots().iter();
                }
                None => self.depth = self.depth.checked_sub(1)?,
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}
impl<K, V> FusedIterator for Iter<'_, K, V> {}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter {
            nodes: self.nodes.clone(),
            depth: self.depth,
            left: self.left,
        }
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Iter<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}
