//! The entries of a hash map, by their places.

use super::map::HashMap;
use super::segment::Segment;
use crate::gc::entry::entry;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use vivant_heap::{Mutator, Object};

entry!("HashMap", S: BuildHasher; Hash + Eq);

/// An entry that is in a map.
pub struct OccupiedEntry<'a, 'gc, K: Object<'gc>, V: Object<'gc>, S> {
    pub(super) map: &'a mut HashMap<'gc, K, V, S>,
    pub(super) m: &'a Mutator<'gc>,
    /// Its place in the map, which is borrowed meanwhile.
    pub(super) segment: Segment<'gc, K, V>,
    pub(super) slot: usize,
}

/// The place of an entry that is not in a map.
pub struct VacantEntry<'a, 'gc, K: Object<'gc>, V: Object<'gc>, S> {
    pub(super) map: &'a mut HashMap<'gc, K, V, S>,
    pub(super) m: &'a Mutator<'gc>,
    /// The segment in which the key was searched.
    pub(super) first: Option<Segment<'gc, K, V>>,
    pub(super) hash: u64,
    pub(super) key: K,
}

impl<'a, 'gc, K, V, S> OccupiedEntry<'a, 'gc, K, V, S>
where
    K: Object<'gc> + Hash + Eq,
    V: Object<'gc>,
    S: BuildHasher,
{
    /// The key in the map.
    pub fn key(&self) -> &K {
        self.map.at(self.segment, self.slot).0
    }

    /// The value.
    pub fn get(&self) -> &V {
        self.map.at(self.segment, self.slot).1
    }

    /// The value, for writing.
    #[inline]
    pub fn get_mut(&mut self) -> &mut V {
        self.segment.touch_slot(self.m, self.slot);
        self.map.value_mut(self.segment.entry(self.slot))
    }

    /// The value, for writing for as long as the map is borrowed.
    #[inline]
    pub fn into_mut(self) -> &'a mut V {
        self.segment.touch_slot(self.m, self.slot);
        self.map.value_mut(self.segment.entry(self.slot))
    }

    /// Sets the value and returns the old one.
    pub fn insert(&mut self, value: V) -> V {
        std::mem::replace(self.get_mut(), value)
    }

    /// Removes the entry and returns its value.
    pub fn remove(self) -> V {
        self.remove_entry().1
    }

    /// Removes the entry and returns it.
    pub fn remove_entry(self) -> (K, V) {
        self.map.take(self.m, self.segment, self.slot)
    }
}

impl<'a, 'gc, K, V, S> VacantEntry<'a, 'gc, K, V, S>
where
    K: Object<'gc> + Hash + Eq,
    V: Object<'gc>,
    S: BuildHasher,
{
    /// The key.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// The key, by value.
    pub fn into_key(self) -> K {
        self.key
    }

    /// Inserts a value, and returns it for writing.
    ///
    /// # Panics
    ///
    /// There is no memory: the map is unchanged.
    #[inline]
    pub fn insert(self, value: V) -> &'a mut V {
        let entry = (self.key, value);
        let entry = self.map.push(self.m, self.first, self.hash, entry);
        self.map.value_mut(entry)
    }
}
