//! [`HashMap`]: a hash map in chunks.

use super::hasher::FixedState;
pub use super::iter::{Iter, IterMut, Keys, Values, ValuesMut};
use super::segment::Segment;
use super::trie::{Found, Trie, Walk};
use crate::collections::entries::entries;
use crate::collector::{Relocator, Tracer};
use crate::mutator::Mutator;
use crate::types::Object;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Index;
use std::ptr::NonNull;

/// A hash map in the heap: segments of at most 2 KiB below a trie of the highest bits of hashes
/// (H11).
///
/// A segment that is full is split in two, and nothing else is: no operation touches more than a
/// few chunks, however large the map is. It does not shrink, but by [`HashMap::clear`]. The order
/// of its entries is that of their hashes, and within a segment one that depends on what was done:
/// the same in each run (R5), with [`FixedState`].
///
/// A key must not change its hash or what it equals while it is in a map. If it does, or if `Hash`
/// and `Eq` contradict each other, entries may not be found.
///
/// ```
/// use vivant_heap::{Mutator, gc};
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
    trie: Trie<'gc, K, V>,
    len: usize,
    hasher: S,
}

impl<K, V> HashMap<'_, K, V> {
    /// An empty one. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        HashMap::with_hasher(FixedState)
    }
}

impl<K, V, S> HashMap<'_, K, V, S> {
    /// An empty one with this way to hash. Allocates nothing.
    ///
    /// A `BuildHasher` with a random seed gives the map another order in each run (R5).
    #[must_use]
    pub const fn with_hasher(hasher: S) -> Self {
        HashMap {
            trie: Trie::new(),
            len: 0,
            hasher,
        }
    }

    /// How many entries there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How it hashes.
    #[must_use]
    pub fn hasher(&self) -> &S {
        &self.hasher
    }

    /// Removes everything, at once: destructors of keys and values run when the collector meets the
    /// dead chunks (H10).
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

    /// The entries, with the values to be changed. Each chunk passes the barrier as it comes.
    pub fn iter_mut<'a>(&'a mut self, m: &'a Mutator<'gc>) -> IterMut<'a, 'gc, K, V> {
        IterMut::new(&mut self.trie, m, self.len)
    }

    /// Keeps those entries that `keep` says; the others end here. If it panics, those that it has
    /// not seen are there still.
    pub fn retain(&mut self, m: &Mutator<'gc>, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let mut walk = Walk::new();
        while let Some(segment) = walk.step(&self.trie) {
            segment.touch(m);
            // From the end, because the last one gets the place of what is taken out.
            for slot in (0..segment.to()).rev() {
                // SAFETY: there is an entry: those behind it were seen. The map is borrowed
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
    /// Keeps those entries of one place that `keep` says, as `retain`: a segment, with its chain if
    /// it has one. The place is the beginning of the hashes that lie there; the first one is 0. How
    /// many there were, and which place is next: of a map that has grown meanwhile it is one still.
    /// What loses none is not written.
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
                // SAFETY: there is an entry: those behind it were seen. The map is borrowed
                // exclusively.
                let (key, value) = unsafe { segment.entry(slot).as_ref() };
                if !keep(key, value) {
                    let entry = segment.take(m, slot);
                    self.len -= 1;
                    drop(entry);
                }
            }
            if walk.is_at_an_end() {
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
            Found::Entry(segment, slot) => Some((segment, slot)),
            Found::Not(_) => None,
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
        // SAFETY: an entry of a map that is borrowed for so long.
        let (key, value) = unsafe { segment.entry(slot).as_ref() };
        Some((key, value))
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

    /// The value for a key, to be changed.
    #[inline]
    #[must_use]
    pub fn get_mut<Q: ?Sized + Hash + Eq>(&mut self, m: &Mutator<'gc>, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (segment, slot) = self.find(key)?;
        segment.touch_slot(m, slot);
        // SAFETY: as above, borrowed exclusively; its chunk has passed the barrier.
        Some(unsafe { &mut segment.entry(slot).as_mut().1 })
    }

    /// Puts a value there for a key. The one that was there comes back, and the key that was there
    /// stays.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are what they were.
    #[inline]
    pub fn insert(&mut self, m: &Mutator<'gc>, key: K, value: V) -> Option<V> {
        let hash = self.hasher.hash_one(&key);
        match self.trie.find(hash, |other| key == *other) {
            Found::Entry(segment, slot) => {
                segment.touch_slot(m, slot);
                // SAFETY: as above.
                let there = unsafe { &mut segment.entry(slot).as_mut().1 };
                Some(std::mem::replace(there, value))
            }
            Found::Not(first) => {
                self.push(m, first, hash, (key, value));
                None
            }
        }
    }

    #[inline]
    fn push(
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

    /// The value for a key, to be changed; `make` makes it if there is none.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are what they were.
    #[inline]
    pub fn get_or_insert_with(
        &mut self,
        m: &Mutator<'gc>,
        key: K,
        make: impl FnOnce(&Mutator<'gc>) -> V,
    ) -> &mut V {
        let hash = self.hasher.hash_one(&key);
        let mut entry = match self.trie.find(hash, |other| key == *other) {
            Found::Entry(segment, slot) => {
                segment.touch_slot(m, slot);
                segment.entry(slot)
            }
            Found::Not(first) => {
                let value = make(m);
                self.push(m, first, hash, (key, value))
            }
        };
        // SAFETY: as above.
        unsafe { &mut entry.as_mut().1 }
    }

    /// Takes the entry for a key out.
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
        let entry = segment.take(m, slot);
        self.len -= 1;
        Some(entry)
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

// SAFETY: the trie is all of it: what hashes is `'static`, so no brand is in it.
unsafe impl<'gc, K: Object<'gc>, V: Object<'gc>, S: Send + 'static> Object<'gc>
    for HashMap<'gc, K, V, S>
{
    type Static = HashMap<'static, K::Static, V::Static, S>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.trie.trace(tracer);
    }
    fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        self.trie.relocate(relocator);
    }
}
