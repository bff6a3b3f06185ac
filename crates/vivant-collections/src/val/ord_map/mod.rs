//! [`OrdMap`]: a persistent ordered map.

mod iter;
mod merge;
mod node;
mod remove;

pub use iter::Iter;

use super::version::map;
use crate::val::checks::Checks;
pub(super) use node::{Node, Subtree};
use std::borrow::Borrow;
use std::fmt;
use std::ops::{Bound, Index, RangeBounds};
use vivant_heap::{Fault, Frozen, Mutator, Object};

/// An ordered map that never changes: a tree of nodes of up to 32 slots, with all entries in its
/// leaves. Four words, `Copy`.
///
/// | operation | costs | allocates |
/// |---|---|---|
/// | [`get`](OrdMap::get), [`rank`](OrdMap::rank), [`at`](OrdMap::at) | `O(log n)` | nothing |
/// | [`insert`](OrdMap::insert), [`remove`](OrdMap::remove) | copies a path | a node for each level, four or five in a million entries, or two where nodes are split or joined |
/// | [`from_iter`](OrdMap::from_iter) | `O(n)`, if keys come in their order; else sorts them | each node once |
/// | [`extend`](OrdMap::extend) by `k` | sorts, then as `k` insertions, or less | each new node once |
/// | [`iter`](OrdMap::iter), [`range`](OrdMap::range) | `O(log n)` for each leaf | nothing |
///
/// Keys and values are cloned into copies of nodes, and the least key of each node into the node
/// above it: refer to large values by [`Val`](vivant_heap::Val).
///
/// If `Ord` of the keys contradicts itself, a map may miss a key or hold it twice, its order is
/// any, and an operation may panic. Each operation ends, other versions stay as they are, and
/// nothing is undefined behaviour.
///
/// ```
/// use vivant_collections::val;
/// use vivant_heap::Mutator;
///
/// fn roots<'gc>(m: &Mutator<'gc>) -> val::OrdMap<'gc, u64, u64> {
///     let roots = val::OrdMap::from_iter(m, (0..100).map(|root| (root * root, root)));
///     let (square, root) = roots.range(..=50).next_back().unwrap();
///     assert_eq!((*square, *root), (49, 7));
///     let fewer = roots.remove(m, &49);
///     assert_eq!(fewer.range(..=50).next_back(), Some((&36, &6)));
///     assert_eq!(roots.len(), 100);
///     roots
/// }
/// ```
#[derive(Object)]
pub struct OrdMap<'gc, K, V> {
    pub(super) root: Option<Node<'gc, K, V>>,
    pub(super) len: usize,
}

impl<'gc, K, V> OrdMap<'gc, K, V> {
    /// An empty map. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        OrdMap { root: None, len: 0 }
    }

    /// The entry of this rank: the number of entries before it.
    #[must_use]
    pub fn at(self, rank: usize) -> Option<(&'gc K, &'gc V)> {
        let (leaf, at) = self.root?.leaf_at(rank)?;
        leaf.get(at).map(|(key, value)| (key, value))
    }

    /// The least entry.
    #[must_use]
    pub fn first(self) -> Option<(&'gc K, &'gc V)> {
        self.at(0)
    }

    /// The greatest entry.
    #[must_use]
    pub fn last(self) -> Option<(&'gc K, &'gc V)> {
        self.at(self.len.checked_sub(1)?)
    }

    /// The entries in their order, from either end.
    #[must_use]
    pub fn iter(self) -> Iter<'gc, K, V> {
        Iter::new(self.root, 0..self.len)
    }

    /// The keys in their order.
    pub fn keys(self) -> impl ExactSizeIterator<Item = &'gc K> + DoubleEndedIterator {
        self.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(self) -> impl ExactSizeIterator<Item = &'gc V> + DoubleEndedIterator {
        self.iter().map(|(_, value)| value)
    }

    /// Whether both are one version, or empty. Entries are not compared.
    #[must_use]
    pub fn ptr_eq(self, other: Self) -> bool {
        match (self.root, other.root) {
            (Some(one), Some(other)) => one.address() == other.address(),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl<'gc, K: Ord, V> OrdMap<'gc, K, V> {
    /// The value of a key.
    #[inline]
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(self, key: &Q) -> Option<&'gc V>
    where
        K: Borrow<Q>,
    {
        let (_, value) = self.root?.get(key)?;
        Some(value)
    }

    /// The number of keys less than this one.
    #[must_use]
    pub fn rank<Q: Ord + ?Sized>(self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.root.map_or(0, |root| root.before(|there| there < key))
    }

    /// The entries with keys in a range, from either end. Empty if the range ends before it begins.
    #[must_use]
    pub fn range<Q: Ord + ?Sized>(self, range: impl RangeBounds<Q>) -> Iter<'gc, K, V>
    where
        K: Borrow<Q>,
    {
        let to_and_with = |key: &Q| {
            self.root
                .map_or(0, |root| root.before(|there: &Q| there <= key))
        };
        let from = match range.start_bound() {
            Bound::Included(key) => self.rank(key),
            Bound::Excluded(key) => to_and_with(key),
            Bound::Unbounded => 0,
        };
        let to = match range.end_bound() {
            Bound::Included(key) => to_and_with(key),
            Bound::Excluded(key) => self.rank(key),
            Bound::Unbounded => self.len,
        };
        Iter::new(self.root, from..to.max(from))
    }

    /// Checks the shape of every node.
    ///
    /// # Errors
    ///
    /// A rule is violated: a defect of this crate, or keys with an `Ord` that has changed since
    /// they were inserted.
    pub fn verify(self) -> Result<(), Fault> {
        self.check(Checks::All)
    }

    pub(super) fn check(self, checks: Checks<'_>) -> Result<(), Fault> {
        let entries = match self.root {
            Some(root) => root.check(checks)?,
            None => 0,
        };
        match entries == self.len {
            true => Ok(()),
            false => Err(Fault::new(
                "J5",
                "the map says another number of entries than its leaves have",
                self.root.map_or(0, Node::address),
            )),
        }
    }
}

impl<'gc, K, V> OrdMap<'gc, K, V>
where
    K: Ord + Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    /// Returns a version with an entry, which replaces the entry with the same key if there is one.
    #[must_use]
    pub fn insert(self, m: &Mutator<'gc>, key: K, value: V) -> Self {
        self.merged(m, vec![(key, value)])
    }

    /// Returns a version with more entries, which replace entries with the same keys. Of equal keys
    /// the last one stays. The iterator may allocate.
    #[must_use]
    pub fn extend(self, m: &Mutator<'gc>, entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut batch = Vec::from_iter(entries);
        if !batch.is_sorted_by(|(one, _), (next, _)| one < next) {
            batch = merge::distinct(batch);
        }
        match batch.is_empty() {
            true => self,
            false => self.merged(m, batch),
        }
    }

    fn merged(self, m: &Mutator<'gc>, batch: Vec<(K, V)>) -> Self {
        let (root, added) = merge::merged(m, self.root, batch);
        OrdMap {
            root: Some(root),
            len: self.len + added,
        }
    }

    /// Returns a version without this key: the same version if the key is not there.
    #[must_use]
    pub fn remove<Q: Ord + ?Sized>(self, m: &Mutator<'gc>, key: &Q) -> Self
    where
        K: Borrow<Q>,
    {
        match self.root {
            Some(root) if root.get(key).is_some() => OrdMap {
                root: root.without(m, key),
                len: self.len - 1,
            },
            _ => self,
        }
    }
}

map!(OrdMap, Ord);

impl<K: PartialEq, V: PartialEq> PartialEq for OrdMap<'_, K, V> {
    /// Takes constant time if both are the same version.
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(*other) || (self.len == other.len && self.iter().eq(other.iter()))
    }
}

impl<K: Eq, V: Eq> Eq for OrdMap<'_, K, V> {}
