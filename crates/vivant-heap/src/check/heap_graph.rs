//! [`HeapGraph`]: what refers to each live object of a heap.

use super::object_name::ObjectName;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::iter;

/// What refers to each live object of a heap, at the moment of
/// [`Sharer::graph`](crate::Sharer::graph).
#[derive(Clone, Debug)]
pub struct HeapGraph {
    /// The objects to which the state itself refers. Some may belong to other heaps.
    roots: HashSet<ObjectName>,
    /// The shared objects of the heap that others refer to, with their counts.
    exports: HashMap<ObjectName, i64>,
    /// The objects that refer to each object. Some of the latter may belong to other heaps.
    referrers: HashMap<ObjectName, Vec<ObjectName>>,
    /// The types of all objects but tags.
    type_names: HashMap<ObjectName, &'static str>,
}

impl HeapGraph {
    pub(super) fn new(roots: impl Iterator<Item = ObjectName>) -> HeapGraph {
        HeapGraph {
            roots: roots.collect(),
            exports: HashMap::new(),
            referrers: HashMap::new(),
            type_names: HashMap::new(),
        }
    }

    pub(super) fn add(&mut self, object: ObjectName, references: impl Iterator<Item = ObjectName>) {
        for other in references {
            self.referrers.entry(other).or_default().push(object);
        }
    }

    pub(super) fn name_type(&mut self, object: ObjectName, type_name: &'static str) {
        self.type_names.insert(object, type_name);
    }

    pub(super) fn export(&mut self, exports: impl Iterator<Item = (ObjectName, i64)>) {
        self.exports.extend(exports);
    }

    /// Whether the state itself refers to the object.
    #[must_use]
    pub fn is_root(&self, object: ObjectName) -> bool {
        self.roots.contains(&object)
    }

    /// The sum of the object's weights at other heaps, plus one for each reference in a parcel or a
    /// [`Held`](crate::Held). 0 if no other heap refers to it.
    #[must_use]
    pub fn count(&self, object: ObjectName) -> i64 {
        self.exports.get(&object).copied().unwrap_or(0)
    }

    /// The objects of this heap that refer to an object, which may belong to another heap.
    #[must_use]
    pub fn referrers(&self, object: ObjectName) -> &[ObjectName] {
        self.referrers.get(&object).map_or(&[], Vec::as_slice)
    }

    /// The name of the object's type; `None` for a tag, and if it is no live object of this heap.
    #[must_use]
    pub fn type_name(&self, object: ObjectName) -> Option<&'static str> {
        self.type_names.get(&object).copied()
    }

    /// The types of the objects on a shortest path to one of these objects, with that object's, but
    /// for tags: from the state, or from an object that other heaps refer to. Empty if no path
    /// leads there.
    #[must_use]
    pub fn path_to(&self, objects: &[ObjectName]) -> Vec<&'static str> {
        // The next object on the path from each one.
        let mut next: HashMap<_, _> = objects.iter().map(|object| (*object, None)).collect();
        let mut open: VecDeque<_> = objects.iter().copied().collect();
        while let Some(object) = open.pop_front() {
            if self.is_root(object) || self.count(object) > 0 {
                let path = iter::successors(Some(object), |object| next[object]);
                return path.filter_map(|object| self.type_name(object)).collect();
            }
            for referrer in self.referrers(object) {
                if let Entry::Vacant(entry) = next.entry(*referrer) {
                    entry.insert(Some(object));
                    open.push_back(*referrer);
                }
            }
        }
        Vec::new()
    }
}
