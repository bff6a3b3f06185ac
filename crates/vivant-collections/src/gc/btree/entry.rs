//! The entries of an ordered map, by their places.

use super::map::BTreeMap;
use super::node::Node;
use crate::gc::entry::entry;
use std::fmt;
use vivant_heap::{Mutator, Object};

entry!("BTreeMap"; Ord);

/// An entry that is in a map.
pub struct OccupiedEntry<'a, 'gc, K: Object<'gc>, V: Object<'gc>> {
    pub(super) map: &'a mut BTreeMap<'gc, K, V>,
    pub(super) m: &'a Mutator<'gc>,
    /// Its place in the map, which is borrowed meanwhile.
    pub(super) node: Node<'gc, K, V>,
    pub(super) slot: usize,
    pub(super) key: K,
}

/// The place of an entry that is not in a map.
pub struct VacantEntry<'a, 'gc, K: Object<'gc>, V: Object<'gc>> {
    pub(super) map: &'a mut BTreeMap<'gc, K, V>,
    pub(super) m: &'a Mutator<'gc>,
    /// The leaf and the slot for the key; `None` if there is no root.
    pub(super) gap: Option<(Node<'gc, K, V>, usize)>,
    pub(super) key: K,
}

impl<'a, 'gc, K: Object<'gc> + Ord, V: Object<'gc>> OccupiedEntry<'a, 'gc, K, V> {
    /// The key in the map.
    pub fn key(&self) -> &K {
        self.map.at(self.node, self.slot).0
    }

    /// The value.
    pub fn get(&self) -> &V {
        self.map.at(self.node, self.slot).1
    }

    /// The value, for writing.
    #[inline]
    pub fn get_mut(&mut self) -> &mut V {
        self.map.value_mut(self.m, self.node, self.slot)
    }

    /// The value, for writing for as long as the map is borrowed.
    #[inline]
    pub fn into_mut(self) -> &'a mut V {
        self.map.value_mut(self.m, self.node, self.slot)
    }

    /// Sets the value and returns the old one.
    pub fn insert(&mut self, value: V) -> V {
        std::mem::replace(self.get_mut(), value)
    }

    /// Removes the entry and returns its value.
    ///
    /// # Panics
    ///
    /// `Ord` contradicts itself, and the entry is not found again.
    pub fn remove(self) -> V {
        self.remove_entry().1
    }

    /// Removes the entry and returns it.
    ///
    /// # Panics
    ///
    /// `Ord` contradicts itself, and the entry is not found again.
    pub fn remove_entry(self) -> (K, V) {
        match self.map.remove_entry(self.m, &self.key) {
            Some(entry) => entry,
            None => panic!("the order of the keys contradicts itself"),
        }
    }
}

impl<'a, 'gc, K: Object<'gc> + Ord, V: Object<'gc>> VacantEntry<'a, 'gc, K, V> {
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
        let (node, slot) = self.map.tree.put(self.m, self.gap, (self.key, value));
        self.map.value_mut(self.m, node, slot)
    }
}
