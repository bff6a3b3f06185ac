//! [`BTreeMap`]: an ordered map in chunks.

use super::cursor::{Cursor, Side};
pub use super::entry::{Entry, OccupiedEntry, VacantEntry};
pub use super::iter::{Iter, IterMut, Keys, Range, RangeMut, Values, ValuesMut};
use super::node::Node;
use super::tree::{SearchResult, Tree};
use crate::gc::entries::entries;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Bound, Index, RangeBounds};
use vivant_heap::{Evacuator, Mutator, Object, Tracer};

/// An ordered map in the heap: a B-tree with chunks of up to 42 entries as nodes.
///
/// A full node is split in two, and a node that is a quarter full is merged with a neighbour: an
/// operation touches a few chunks on each level.
///
/// A key must not change its order while it is in a map. If it does, or if `Ord` contradicts
/// itself, entries may not be found.
///
/// ```
/// use vivant_collections::gc;
/// use vivant_heap::Mutator;
///
/// fn due<'gc>(m: &Mutator<'gc>) -> Vec<u64> {
///     let mut timers = gc::BTreeMap::new();
///     for time in [30, 10, 20] {
///         timers.insert(m, time, "ring".to_owned());
///     }
///     timers.range(..=20).map(|(&time, _)| time).collect()
/// }
/// ```
pub struct BTreeMap<'gc, K, V> {
    pub(crate) tree: Tree<'gc, K, V>,
}

impl<K, V> BTreeMap<'_, K, V> {
    /// An empty map. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        BTreeMap { tree: Tree::new() }
    }

    /// The number of entries.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.len
    }

    /// Whether it is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tree.len == 0
    }

    /// Removes all entries in constant time: destructors of keys and values run when the collector
    /// finds the chunks dead.
    pub fn clear(&mut self) {
        self.tree = Tree::new();
    }
}

impl<'gc, K: Object<'gc>, V: Object<'gc>> BTreeMap<'gc, K, V> {
    /// The entries in the order of their keys.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, 'gc, K, V> {
        Iter::new(&self.tree)
    }

    /// The entries in the order of their keys, with the values for writing. Each chunk passes the
    /// write barrier when the iterator reaches it.
    pub fn iter_mut<'a>(&'a mut self, m: &'a Mutator<'gc>) -> IterMut<'a, 'gc, K, V> {
        IterMut::new(&mut self.tree, m)
    }

    /// The entry with the least key.
    #[must_use]
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        let (node, slot, _) = Cursor::edge(&self.tree, Side::Before).entry()?;
        // SAFETY: an entry of a map that is borrowed for as long as the result.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_ref()) })
    }

    /// The entry with the greatest key.
    #[must_use]
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        let (node, slot) = Cursor::edge(&self.tree, Side::Behind).next_back()?;
        // SAFETY: an entry of a map that is borrowed for as long as the result.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_ref()) })
    }

    /// Removes the entry with the least key and returns it.
    pub fn pop_first(&mut self, m: &Mutator<'gc>) -> Option<(K, V)> {
        self.take(m, Cursor::edge(&self.tree, Side::Before))
    }

    /// Removes the entry with the greatest key and returns it.
    pub fn pop_last(&mut self, m: &Mutator<'gc>) -> Option<(K, V)> {
        let mut cursor = Cursor::edge(&self.tree, Side::Behind);
        cursor.next_back()?;
        self.take(m, cursor)
    }

    /// Removes the entry behind a cursor and returns it.
    fn take(&mut self, m: &Mutator<'gc>, cursor: Cursor<'gc, K, V>) -> Option<(K, V)> {
        let (_, _, steps) = cursor.entry()?;
        let mut path = cursor.path;
        path.truncate(steps + 1);
        self.tree.take(m, path)
    }
}

impl<'gc, K: Object<'gc> + Ord, V: Object<'gc>> BTreeMap<'gc, K, V> {
    /// The value for a key.
    #[inline]
    #[must_use]
    pub fn get<Q: ?Sized + Ord>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.tree.find(key) {
            SearchResult::Entry(node, slot, _) => Some(self.at(node, slot).1),
            SearchResult::Gap(_) => None,
        }
    }

    /// An entry of this map.
    #[inline]
    pub(super) fn at(&self, node: Node<'gc, K, V>, slot: usize) -> (&K, &V) {
        // SAFETY: an entry of a map that is borrowed for as long as the result.
        unsafe { (node.key(slot).as_ref(), node.value(slot).as_ref()) }
    }

    /// The value of an entry of this map, for writing.
    #[inline]
    pub(super) fn value_mut(
        &mut self,
        m: &Mutator<'gc>,
        node: Node<'gc, K, V>,
        slot: usize,
    ) -> &mut V {
        node.touch(m);
        // SAFETY: an entry of a map that is borrowed exclusively for as long as the result; its
        // chunk has passed the barrier.
        unsafe { node.value(slot).as_mut() }
    }

    /// The entry for a key.
    #[must_use]
    pub fn get_key_value<Q: ?Sized + Ord>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        match self.tree.find(key) {
            SearchResult::Entry(node, slot, _) => Some(self.at(node, slot)),
            SearchResult::Gap(_) => None,
        }
    }

    /// Whether there is a value for this key.
    #[must_use]
    pub fn contains_key<Q: ?Sized + Ord>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// The value for a key, for writing.
    #[inline]
    #[must_use]
    pub fn get_mut<Q: ?Sized + Ord>(&mut self, m: &Mutator<'gc>, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        match self.tree.find(key) {
            SearchResult::Entry(node, slot, _) => Some(self.value_mut(m, node, slot)),
            SearchResult::Gap(_) => None,
        }
    }

    /// The place for the entry of a key, in the map or not: to look the key up once and then read,
    /// write or insert. Removing it looks it up again.
    ///
    /// ```
    /// use vivant_collections::gc;
    /// use vivant_heap::Mutator;
    ///
    /// fn book<'gc>(m: &Mutator<'gc>, seats: &mut gc::BTreeMap<'gc, u32, Vec<String>>, row: u32) -> usize {
    ///     let row = seats.entry(m, row).or_default();
    ///     row.push("Ada".to_owned());
    ///     row.len()
    /// }
    /// ```
    #[inline]
    pub fn entry<'a>(&'a mut self, m: &'a Mutator<'gc>, key: K) -> Entry<'a, 'gc, K, V> {
        match self.tree.find(&key) {
            SearchResult::Entry(node, slot, _) => Entry::Occupied(OccupiedEntry {
                map: self,
                m,
                node,
                slot,
                key,
            }),
            SearchResult::Gap(gap) => Entry::Vacant(VacantEntry {
                map: self,
                m,
                gap,
                key,
            }),
        }
    }

    /// Sets the value of a key. Returns the old value; an old key stays.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are unchanged.
    #[inline]
    pub fn insert(&mut self, m: &Mutator<'gc>, key: K, value: V) -> Option<V> {
        match self.tree.find(&key) {
            SearchResult::Entry(node, slot, _) => {
                let there = self.value_mut(m, node, slot);
                Some(std::mem::replace(there, value))
            }
            SearchResult::Gap(gap) => {
                self.tree.put(m, gap, (key, value));
                None
            }
        }
    }

    /// The value for a key, for writing; `make` creates it if there is none.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are unchanged.
    pub fn get_or_insert_with(
        &mut self,
        m: &Mutator<'gc>,
        key: K,
        make: impl FnOnce(&Mutator<'gc>) -> V,
    ) -> &mut V {
        let (node, slot) = match self.tree.find(&key) {
            SearchResult::Entry(node, slot, _) => (node, slot),
            SearchResult::Gap(gap) => {
                let value = make(m);
                self.tree.put(m, gap, (key, value))
            }
        };
        self.value_mut(m, node, slot)
    }

    /// Removes the entry for a key and returns it.
    pub fn remove_entry<Q: ?Sized + Ord>(&mut self, m: &Mutator<'gc>, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let SearchResult::Entry(node, slot, height) = self.tree.find(key) else {
            return None;
        };
        if height == 0 && node.to() > Node::<K, V>::LEAST {
            // Nothing else changes.
            return self.tree.take_from_leaf(m, node, slot);
        }
        let cursor = Cursor::beside(&self.tree, key, Side::Before);
        self.take(m, cursor)
    }

    /// The entries with keys in a range, in the order of their keys.
    ///
    /// # Panics
    ///
    /// The range begins behind its end, or both of its ends exclude the same key.
    #[must_use]
    #[track_caller]
    pub fn range<Q: ?Sized + Ord>(&self, range: impl RangeBounds<Q>) -> Range<'_, 'gc, K, V>
    where
        K: Borrow<Q>,
    {
        Range::new(&self.tree, self.ends(range))
    }

    /// The entries with keys in a range, in the order of their keys, with the values for writing.
    /// Each chunk passes the write barrier when the iterator reaches it.
    ///
    /// # Panics
    ///
    /// As [`BTreeMap::range`].
    #[track_caller]
    pub fn range_mut<'a, Q: ?Sized + Ord>(
        &'a mut self,
        m: &'a Mutator<'gc>,
        range: impl RangeBounds<Q>,
    ) -> RangeMut<'a, 'gc, K, V>
    where
        K: Borrow<Q>,
    {
        let ends = self.ends(range);
        RangeMut::new(&mut self.tree, m, ends)
    }

    #[track_caller]
    fn ends<Q: ?Sized + Ord>(
        &self,
        range: impl RangeBounds<Q>,
    ) -> (Cursor<'gc, K, V>, Cursor<'gc, K, V>)
    where
        K: Borrow<Q>,
    {
        use Bound::{Excluded, Included, Unbounded};
        let (start, end) = (range.start_bound(), range.end_bound());
        if let (Included(first) | Excluded(first), Included(last) | Excluded(last)) = (start, end) {
            let neither = matches!((start, end), (Excluded(_), Excluded(_)));
            match first.cmp(last) {
                Ordering::Greater => panic!("a range that begins behind its end"),
                Ordering::Equal if neither => panic!("a range with one key, which is not in it"),
                _ => {}
            }
        }
        let front = match start {
            Included(key) => Cursor::beside(&self.tree, key, Side::Before),
            Excluded(key) => Cursor::beside(&self.tree, key, Side::Behind),
            Unbounded => Cursor::edge(&self.tree, Side::Before),
        };
        let back = match end {
            Included(key) => Cursor::beside(&self.tree, key, Side::Behind),
            Excluded(key) => Cursor::beside(&self.tree, key, Side::Before),
            Unbounded => Cursor::edge(&self.tree, Side::Behind),
        };
        (front, back)
    }

    /// Keeps the entries for which `keep` returns true; the others are dropped here. If `keep`
    /// panics, the entries that it has not seen are still there.
    pub fn retain(&mut self, m: &Mutator<'gc>, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let mut cursor = Cursor::edge(&self.tree, Side::Before);
        // Counted, because an inconsistent order could lead back.
        for _ in 0..self.len() {
            let Some((node, slot, _)) = cursor.entry() else {
                return;
            };
            node.touch(m);
            // SAFETY: an entry of a map that is borrowed exclusively; its chunk has passed the
            // barrier.
            if unsafe { keep(node.key(slot).as_ref(), node.value(slot).as_mut()) } {
                cursor.next();
                continue;
            }
            let Some(entry) = self.take(m, cursor) else {
                return;
            };
            cursor = Cursor::beside(&self.tree, &entry.0, Side::Before);
            drop(entry);
        }
    }
}

impl<K, V> Default for BTreeMap<'_, K, V> {
    fn default() -> Self {
        BTreeMap::new()
    }
}

entries!(BTreeMap; Ord);

impl<'gc, K: Object<'gc> + PartialEq, V: Object<'gc> + PartialEq> PartialEq
    for BTreeMap<'gc, K, V>
{
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<'gc, K: Object<'gc> + Eq, V: Object<'gc> + Eq> Eq for BTreeMap<'gc, K, V> {}

// SAFETY: it consists of the tree.
unsafe impl<'gc, K: Object<'gc>, V: Object<'gc>> Object<'gc> for BTreeMap<'gc, K, V> {
    type Static = BTreeMap<'static, K::Static, V::Static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        if let Some(root) = &self.tree.root {
            root.trace(tracer);
        }
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        if let Some(root) = &mut self.tree.root {
            root.evacuate(evacuator);
        }
    }
}
