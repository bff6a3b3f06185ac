//! [`HashMap`]: a hash map in chunks.

pub use super::entry::{Entry, OccupiedEntry, VacantEntry};
pub use super::iter::{Iter, IterMut, Keys, Values, ValuesMut};
use super::segment::Segment;
use super::trie::{Lookup, Trie, Walk};
use crate::gc::entries::entries;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Index;
use std::ptr::NonNull;
use vivant_heap::{Evacuator, FixedState, Mutator, Object, Tracer};

/// A hash map in the heap: segments of at most 2 KiB below a trie of the highest bits of hashes.
///
/// A full segment is split in two, and nothing else is: no operation touches more than a few
/// chunks, however large the map is. It does not shrink, except by [`HashMap::clear`]. Its entries
/// are ordered by their hashes, and within a segment by an order that depends on the past
/// operations: the same in each run, with [`FixedState`].
///
/// A key must not change its hash or its equality while it is in a map. If it does, or if `Hash`
/// and `Eq` contradict each other, entries may not be found.
///
/// ```
/// use vivant_collections::gc;
/// use vivant_heap::Mutator;
///
/// fn count<'gc>(m: &Mutator<'gc>, words: &[&str]) -> gc::HashMap<'gc, String, u64> {
///     let mut counts = gc::HashMap::new();
///     for word in words {
///         *counts.get_or_insert_with(m, word.to_string(), |_| 0) += 1;
///     }
///     counts
/// }
/// ```
pub struct HashMap<'gc, K, V, S = FixedState> {
    pub(crate) trie: Trie<'gc, K, V>,
    pub(crate) len: usize,
    pub(crate) hasher: S,
}

impl<K, V> HashMap<'_, K, V> {
    /// An empty map. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        HashMap::with_hasher(FixedState)
    }
}

impl<K, V, S> HashMap<'_, K, V, S> {
    /// An empty map with this hasher. Allocates nothing.
    ///
    /// A `BuildHasher` with a random seed gives the map another order in each run.
    #[must_use]
    pub const fn with_hasher(hasher: S) -> Self {
        HashMap {
            trie: Trie::new(),
            len: 0,
            hasher,
        }
    }

    /// The number of entries.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its hasher.
    #[must_use]
    pub fn hasher(&self) -> &S {
        &self.hasher
    }

    /// Removes all entries in constant time: destructors of keys and values run when the collector
    /// finds the chunks dead.
    pub fn clear(&mut self) {
        self.trie = Trie::new();
        self.len = 0;
    }
}

impl<'gc, K: Object<'gc>, V: Object<'gc>, S> HashMap<'gc, K, V, S> {
    /// The entries.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, 'gc, K, V> {
        Iter::new(&self.trie, self.len)
    }

    /// The entries, with the values for writing. Each chunk passes the write barrier when the
    /// iterator reaches it.
    pub fn iter_mut<'a>(&'a mut self, m: &'a Mutator<'gc>) -> IterMut<'a, 'gc, K, V> {
        IterMut::new(&mut self.trie, m, self.len)
    }

    /// Keeps the entries for which `keep` returns true; the others are dropped here. If `keep`
    /// panics, the entries that it has not seen are still there.
    pub fn retain(&mut self, m: &Mutator<'gc>, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let mut walk = Walk::new();
        while let Some(segment) = walk.step(&self.trie) {
            segment.touch(m);
            // From the end, because the last entry takes the slot of a removed one.
            for slot in (0..segment.to()).rev() {
                // SAFETY: there is an entry: those behind it were visited. The map is borrowed
                // exclusively, and the chunk has passed the barrier.
                let (key, value) = unsafe { segment.entry(slot).as_mut() };
                if !keep(key, value) {
                    let entry = segment.take(m, slot);
                    self.len -= 1;
                    drop(entry);
                }
            }
        }
    }
}

impl<'gc, K: Object<'gc>, V: Object<'gc>, S> HashMap<'gc, K, V, S> {
    /// As `retain`, for the entries at one place: a segment, with its chain if it has one. The
    /// place is the beginning of the hashes in it; the first one is 0. Returns the number of
    /// entries visited, and the next place, which remains a place if the map grows meanwhile. A
    /// segment that loses no entry is not written.
    pub(super) fn retain_some(
        &mut self,
        m: &Mutator<'gc>,
        from: u64,
        mut keep: impl FnMut(&K, &V) -> bool,
    ) -> (usize, Option<u64>) {
        let (mut walk, mut looked) = (Walk::from(from), 0);
        while let Some(segment) = walk.step(&self.trie) {
            looked += segment.to();
            for slot in (0..segment.to()).rev() {
                // SAFETY: there is an entry: those behind it were visited. The map is borrowed
                // exclusively.
                let (key, value) = unsafe { segment.entry(slot).as_ref() };
                if !keep(key, value) {
                    let entry = segment.take(m, slot);
                    self.len -= 1;
                    drop(entry);
                }
            }
            if walk.is_at_chain_end() {
                break;
            }
        }
        (looked, walk.next())
    }
}

impl<'gc, K: Object<'gc> + Hash + Eq, V: Object<'gc>, S: BuildHasher> HashMap<'gc, K, V, S> {
    #[inline]
    fn find<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> Option<(Segment<'gc, K, V>, usize)>
    where
        K: Borrow<Q>,
    {
        let hash = self.hasher.hash_one(key);
        match self.trie.find(hash, |other| key == other.borrow()) {
            Lookup::Entry(segment, slot) => Some((segment, slot)),
            Lookup::Vacant(_) => None,
        }
    }

    /// The value for a key.
    #[inline]
    #[must_use]
    pub fn get<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.get_key_value(key).map(|(_, value)| value)
    }

    /// The entry for a key.
    #[inline]
    #[must_use]
    pub fn get_key_value<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let (segment, slot) = self.find(key)?;
        Some(self.at(segment, slot))
    }

    /// An entry of this map.
    #[inline]
    pub(super) fn at(&self, segment: Segment<'gc, K, V>, slot: usize) -> (&K, &V) {
        // SAFETY: an entry of a map that is borrowed for as long as the result.
        let (key, value) = unsafe { segment.entry(slot).as_ref() };
        (key, value)
    }

    /// The value of an entry of this map, in a chunk that has passed the barrier.
    #[inline]
    pub(super) fn value_mut(&mut self, mut entry: NonNull<(K, V)>) -> &mut V {
        // SAFETY: an entry of a map that is borrowed exclusively for as long as the result; its
        // chunk has passed the barrier.
        unsafe { &mut entry.as_mut().1 }
    }

    /// Removes an entry of this map and returns it.
    #[inline]
    pub(super) fn take(
        &mut self,
        m: &Mutator<'gc>,
        segment: Segment<'gc, K, V>,
        slot: usize,
    ) -> (K, V) {
        let entry = segment.take(m, slot);
        self.len -= 1;
        entry
    }

    /// Whether there is a value for this key.
    #[inline]
    #[must_use]
    pub fn contains_key<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_some()
    }

    /// The value for a key, for writing.
    #[inline]
    #[must_use]
    pub fn get_mut<Q: ?Sized + Hash + Eq>(&mut self, m: &Mutator<'gc>, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (segment, slot) = self.find(key)?;
        segment.touch_slot(m, slot);
        Some(self.value_mut(segment.entry(slot)))
    }

    /// The place for the entry of a key, in the map or not: to look the key up once and then read,
    /// write, insert or remove.
    ///
    /// ```
    /// use vivant_collections::gc::{self, hash_map::Entry};
    /// use vivant_heap::Mutator;
    ///
    /// /// Counts a word. Returns how often it was counted before.
    /// fn count<'gc>(m: &Mutator<'gc>, counts: &mut gc::HashMap<'gc, String, u64>, word: &str) -> u64 {
    ///     let count = counts.entry(m, word.to_owned()).or_default();
    ///     *count += 1;
    ///     *count - 1
    /// }
    ///
    /// /// Takes a word back.
    /// fn forget<'gc>(m: &Mutator<'gc>, counts: &mut gc::HashMap<'gc, String, u64>, word: &str) {
    ///     match counts.entry(m, word.to_owned()) {
    ///         Entry::Occupied(entry) if *entry.get() == 1 => drop(entry.remove()),
    ///         entry => { entry.and_modify(|count| *count -= 1); }
    ///     }
    /// }
    /// ```
    #[inline]
    pub fn entry<'a>(&'a mut self, m: &'a Mutator<'gc>, key: K) -> Entry<'a, 'gc, K, V, S> {
        let hash = self.hasher.hash_one(&key);
        match self.trie.find(hash, |other| key == *other) {
            Lookup::Entry(segment, slot) => Entry::Occupied(OccupiedEntry {
                map: self,
                m,
                segment,
                slot,
            }),
            Lookup::Vacant(first) => Entry::Vacant(VacantEntry {
                map: self,
                m,
                first,
                hash,
                key,
            }),
        }
    }

    /// Inserts all entries again, because their hashes lead elsewhere now.
    pub(crate) fn insert_anew(&mut self, m: &Mutator<'gc>) {
        let before = std::mem::take(&mut self.trie);
        self.len = 0;
        let mut walk = Walk::new();
        while let Some(segment) = walk.step(&before) {
            while segment.to() > 0 {
                let (key, value) = segment.take(m, segment.to() - 1);
                self.insert(m, key, value);
            }
        }
    }

    /// Sets the value of a key. Returns the old value; an old key stays.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are unchanged.
    #[inline]
    pub fn insert(&mut self, m: &Mutator<'gc>, key: K, value: V) -> Option<V> {
        let hash = self.hasher.hash_one(&key);
        match self.trie.find(hash, |other| key == *other) {
            Lookup::Entry(segment, slot) => {
                segment.touch_slot(m, slot);
                let there = self.value_mut(segment.entry(slot));
                Some(std::mem::replace(there, value))
            }
            Lookup::Vacant(first) => {
                self.push(m, first, hash, (key, value));
                None
            }
        }
    }

    #[inline]
    pub(super) fn push(
        &mut self,
        m: &Mutator<'gc>,
        first: Option<Segment<'gc, K, V>>,
        hash: u64,
        entry: (K, V),
    ) -> NonNull<(K, V)> {
        let hasher = &self.hasher;
        let hashes = |key: &K| hasher.hash_one(key);
        let entry = self.trie.push(m, first, hash, entry, hashes);
        self.len += 1;
        entry
    }

    /// The value for a key, for writing; `make` creates it if there is none.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are unchanged.
    #[inline]
    pub fn get_or_insert_with(
        &mut self,
        m: &Mutator<'gc>,
        key: K,
        make: impl FnOnce(&Mutator<'gc>) -> V,
    ) -> &mut V {
        let hash = self.hasher.hash_one(&key);
        let entry = match self.trie.find(hash, |other| key == *other) {
            Lookup::Entry(segment, slot) => {
                segment.touch_slot(m, slot);
                segment.entry(slot)
            }
            Lookup::Vacant(first) => {
                let value = make(m);
                self.push(m, first, hash, (key, value))
            }
        };
        self.value_mut(entry)
    }

    /// Removes the entry for a key and returns it.
    #[inline]
    pub fn remove_entry<Q: ?Sized + Hash + Eq>(
        &mut self,
        m: &Mutator<'gc>,
        key: &Q,
    ) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        let (segment, slot) = self.find(key)?;
        Some(self.take(m, segment, slot))
    }
}

impl<K, V, S: Default> Default for HashMap<'_, K, V, S> {
    fn default() -> Self {
        HashMap::with_hasher(S::default())
    }
}

entries!(HashMap, S: BuildHasher; Hash + Eq);

impl<'gc, K, V, S> PartialEq for HashMap<'gc, K, V, S>
where
    K: Object<'gc> + Hash + Eq,
    V: Object<'gc> + PartialEq,
    S: BuildHasher,
{
    fn eq(&self, other: &Self) -> bool {
        let has = |(key, value)| other.get(key).is_some_and(|there| there == value);
        self.len == other.len && self.iter().all(has)
    }
}

impl<'gc, K, V, S> Eq for HashMap<'gc, K, V, S>
where
    K: Object<'gc> + Hash + Eq,
    V: Object<'gc> + Eq,
    S: BuildHasher,
{
}

// SAFETY: it consists of the trie: the hasher is `'static`, so it has no brand.
unsafe impl<'gc, K: Object<'gc>, V: Object<'gc>, S: Send + 'static> Object<'gc>
    for HashMap<'gc, K, V, S>
{
    type Static = HashMap<'static, K::Static, V::Static, S>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.trie.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.trie.evacuate(evacuator);
    }
}
