//! [`Map`]: a persistent hash map.

mod batch;
mod insert;
mod iter;
mod node;
mod remove;

pub use iter::Iter;

use super::version::map;
use crate::val::checks::Checks;
use insert::Insertion;
pub(super) use node::{Node, Slot};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Index;
use vivant_heap::{Fault, FixedState, Frozen, Mutator, Object, Val};

/// A hash map that never changes: a trie of nodes of up to 32 slots, entries and nodes mixed.
/// Four words, `Copy`.
///
/// | operation | costs | allocates |
/// |---|---|---|
/// | [`get`](Map::get) | `O(log₃₂ n)` loads: four to five in a million entries | nothing |
/// | [`insert`](Map::insert), [`remove`](Map::remove) | copies a path | a node for each level |
/// | [`from_iter`](Map::from_iter) | sorts by hash, `O(n log n)` | each node once |
/// | [`extend`](Map::extend) by `k` | as `k` insertions, or less | each new node once |
/// | [`iter`](Map::iter) | `O(n)` | nothing |
///
/// Keys and values are cloned into copies of nodes: refer to large values by [`Val`]. Iteration is
/// in the order of hashes, which are the same in each process
/// ([`FixedState`](crate::gc::FixedState)); keys that collide are in the order in which they
/// were inserted. A map of colliding keys is slow, not wrong.
///
/// If `Hash` and `Eq` of the keys contradict each other, or themselves, a map may miss a key or
/// hold it twice, and an operation may panic. Each operation ends, other versions stay as they are,
/// and nothing is undefined behaviour.
///
/// ```
/// use vivant_collections::val;
/// use vivant_heap::Mutator;
///
/// fn ages<'gc>(m: &Mutator<'gc>) -> val::Map<'gc, String, u32> {
///     let ages = val::Map::new().insert(m, "Ada".to_owned(), 36);
///     let later = ages.insert(m, "Ada".to_owned(), 37).insert(m, "Bob".to_owned(), 7);
///     assert_eq!(ages.get("Ada"), Some(&36));
///     assert_eq!(later.get("Ada"), Some(&37));
///     assert_eq!(later.remove(m, "Bob").len(), 1);
///     ages
/// }
/// ```
#[derive(Object)]
pub struct Map<'gc, K, V> {
    pub(super) root: Option<Node<'gc, K, V>>,
    pub(super) len: usize,
}

#[inline]
fn hash_of<Q: Hash + ?Sized>(key: &Q) -> u64 {
    FixedState.hash_one(key)
}

impl<'gc, K, V> Map<'gc, K, V> {
    /// An empty map. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Map { root: None, len: 0 }
    }

    /// The entries, in the order of their keys' hashes.
    #[must_use]
    pub fn iter(self) -> Iter<'gc, K, V> {
        Iter::new(self.root, self.len)
    }

    /// The keys, in the order of their hashes.
    pub fn keys(self) -> impl ExactSizeIterator<Item = &'gc K> {
        self.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys' hashes.
    pub fn values(self) -> impl ExactSizeIterator<Item = &'gc V> {
        self.iter().map(|(_, value)| value)
    }

    /// Whether both are one version, or empty. Entries are not compared.
    #[must_use]
    pub fn ptr_eq(self, other: Self) -> bool {
        match (self.root, other.root) {
            (Some(one), Some(other)) => Val::ptr_eq(one.slots, other.slots),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl<'gc, K: Hash + Eq, V> Map<'gc, K, V> {
    /// The value of a key.
    #[inline]
    #[must_use]
    pub fn get<Q: Hash + Eq + ?Sized>(self, key: &Q) -> Option<&'gc V>
    where
        K: Borrow<Q>,
    {
        let (_, value) = self.root?.get(hash_of(key), key)?;
        Some(value)
    }

    /// The key that equals this one, and its value.
    #[must_use]
    pub fn get_key_value<Q: Hash + Eq + ?Sized>(self, key: &Q) -> Option<(&'gc K, &'gc V)>
    where
        K: Borrow<Q>,
    {
        self.root?.get(hash_of(key), key)
    }

    /// Checks the shape of every node.
    ///
    /// # Errors
    ///
    /// A rule is violated: a defect of this crate, or keys with a `Hash` or `Eq` that has changed
    /// since they were inserted.
    pub fn verify(self) -> Result<(), Fault> {
        self.check(Checks::All)
    }

    pub(super) fn check(self, checks: Checks<'_>) -> Result<(), Fault> {
        let entries = match self.root {
            Some(root) => root.check(0, 0, checks)?,
            None => 0,
        };
        match entries == self.len {
            true => Ok(()),
            false => Err(Fault::new(
                "J4",
                "the map says another number of entries than its nodes have",
                self.root.map_or(0, Node::address),
            )),
        }
    }
}

impl<'gc, K, V> Map<'gc, K, V>
where
    K: Hash + Eq + Frozen<'gc> + Clone,
    V: Frozen<'gc> + Clone,
{
    /// Returns a version with an entry, which replaces the entry with the same key if there is one.
    #[must_use]
    pub fn insert(self, m: &Mutator<'gc>, key: K, value: V) -> Self {
        let hash = hash_of(&key);
        let (root, put) = match self.root {
            Some(root) => root.insert(m, hash, 0, (key, value)),
            None => (Node::single(m, hash, (key, value)), Insertion::Added),
        };
        Map {
            root: Some(root),
            len: self.len + usize::from(put == Insertion::Added),
        }
    }

    /// Returns a version with more entries, which replace entries with the same keys. Of equal keys
    /// the last one stays. The iterator may allocate.
    #[must_use]
    pub fn extend(self, m: &Mutator<'gc>, entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let (root, added) = batch::merged(m, self.root, entries);
        Map {
            root,
            len: self.len + added,
        }
    }

    /// Returns a version without this key: the same version if the key is not there.
    #[must_use]
    pub fn remove<Q: Hash + Eq + ?Sized>(self, m: &Mutator<'gc>, key: &Q) -> Self
    where
        K: Borrow<Q>,
    {
        let left = self.root.and_then(|root| root.without(m, key));
        match left {
            Some(root) => Map {
                root,
                len: self.len - 1,
            },
            None => self,
        }
    }
}

map!(Map, Hash + Eq);

impl<K: Hash + Eq, V: PartialEq> PartialEq for Map<'_, K, V> {
    /// Takes constant time if both are the same version.
    fn eq(&self, other: &Self) -> bool {
        let has = |(key, value)| other.get(key) == Some(value);
        self.ptr_eq(*other) || (self.len == other.len && self.iter().all(has))
    }
}

impl<K: Hash + Eq, V: Eq> Eq for Map<'_, K, V> {}
