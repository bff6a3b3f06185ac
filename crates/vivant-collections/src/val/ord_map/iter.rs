//! [`Iter`]: the iterator over the entries of a version, or of a range of it.

use super::node::Node;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

/// The entries of an [`OrdMap`](super::OrdMap), or of a range of it, in their order. It looks up
/// one leaf at a time.
pub struct Iter<'gc, K, V> {
    root: Option<Node<'gc, K, V>>,
    /// The ranks of the entries in leaves not yet visited.
    ranks: Range<usize>,
    front: slice::Iter<'gc, (K, V)>,
    back: slice::Iter<'gc, (K, V)>,
}

impl<'gc, K, V> Iter<'gc, K, V> {
    pub(super) fn new(root: Option<Node<'gc, K, V>>, ranks: Range<usize>) -> Self {
        Iter {
            root,
            ranks,
            front: [].iter(),
            back: [].iter(),
        }
    }

    /// The leaf that contains the entry of this rank, and the entry's index in it.
    fn leaf(&self, rank: usize) -> Option<(&'gc [(K, V)], usize)> {
        self.root?.leaf_at(rank)
    }
}

impl<'gc, K, V> Iterator for Iter<'gc, K, V> {
    type Item = (&'gc K, &'gc V);

    fn next(&mut self) -> Option<Self::Item> {
        if self.front.len() == 0 && !self.ranks.is_empty() {
            let (leaf, at) = self.leaf(self.ranks.start)?;
            let own = (leaf.len() - at).min(self.ranks.len());
            self.front = leaf[at..at + own].iter();
            self.ranks.start += own;
        }
        let (key, value) = self.front.next().or_else(|| self.back.next())?;
        Some((key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.front.len() + self.ranks.len() + self.back.len();
        (left, Some(left))
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.back.len() == 0 && !self.ranks.is_empty() {
            let (leaf, at) = self.leaf(self.ranks.end - 1)?;
            let own = (at + 1).min(self.ranks.len());
            self.back = leaf[at + 1 - own..=at].iter();
            self.ranks.end -= own;
        }
        let (key, value) = self.back.next_back().or_else(|| self.front.next_back())?;
        Some((key, value))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}
impl<K, V> FusedIterator for Iter<'_, K, V> {}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter {
            root: self.root,
            ranks: self.ranks.clone(),
            front: self.front.clone(),
            back: self.back.clone(),
        }
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Iter<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}
