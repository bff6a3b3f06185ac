//! [`HashSet`]: a hash set in chunks.

use super::map::{self, HashMap};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use vivant_heap::{Evacuator, FixedState, Mutator, Object, Tracer};

/// The elements of a set.
pub type Iter<'a, 'gc, T> = map::Keys<'a, 'gc, T, ()>;

/// A hash set in the heap: a [`HashMap`] without values.
///
/// ```
/// use vivant_collections::gc;
/// use vivant_heap::Mutator;
///
/// fn distinct<'gc>(m: &Mutator<'gc>, numbers: &[u64]) -> usize {
///     gc::HashSet::<u64>::from_iter(m, numbers.iter().copied()).len()
/// }
/// ```
pub struct HashSet<'gc, T, S = FixedState> {
    pub(crate) map: HashMap<'gc, T, (), S>,
}

impl<T> HashSet<'_, T> {
    /// An empty set. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        HashSet::with_hasher(FixedState)
    }
}

impl<T, S> HashSet<'_, T, S> {
    /// An empty set with this hasher. Allocates nothing.
    #[must_use]
    pub const fn with_hasher(hasher: S) -> Self {
        HashSet {
            map: HashMap::with_hasher(hasher),
        }
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Removes all elements in constant time: their destructors run when the collector finds the
    /// chunks dead.
    pub fn clear(&mut self) {
        self.map.clear();
    }
}

impl<'gc, T: Object<'gc>, S> HashSet<'gc, T, S> {
    /// The elements.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, 'gc, T> {
        self.map.keys()
    }

    /// Keeps the elements for which `keep` returns true; the others are dropped here.
    pub fn retain(&mut self, m: &Mutator<'gc>, mut keep: impl FnMut(&T) -> bool) {
        self.map.retain(m, |element, ()| keep(element));
    }
}

impl<'gc, T: Object<'gc> + Hash + Eq, S: BuildHasher> HashSet<'gc, T, S> {
    /// Collects the items of an iterator.
    ///
    /// # Panics
    ///
    /// There is no memory.
    pub fn from_iter(m: &Mutator<'gc>, elements: impl IntoIterator<Item = T>) -> Self
    where
        S: Default,
    {
        let mut set = HashSet::with_hasher(S::default());
        set.extend(m, elements);
        set
    }

    /// Whether an element equals this one.
    #[must_use]
    pub fn contains<Q: ?Sized + Hash + Eq>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(element)
    }

    /// The element that equals this one.
    #[must_use]
    pub fn get<Q: ?Sized + Hash + Eq>(&self, element: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.map.get_key_value(element).map(|(element, ())| element)
    }

    /// Inserts an element. Returns true if no equal element was there; an equal element that is
    /// there stays.
    ///
    /// # Panics
    ///
    /// There is no memory: the elements are unchanged.
    pub fn insert(&mut self, m: &Mutator<'gc>, element: T) -> bool {
        self.map.insert(m, element, ()).is_none()
    }

    /// Removes an element. Returns whether it was there.
    pub fn remove<Q: ?Sized + Hash + Eq>(&mut self, m: &Mutator<'gc>, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.take(m, element).is_some()
    }

    /// Removes an element and returns it.
    pub fn take<Q: ?Sized + Hash + Eq>(&mut self, m: &Mutator<'gc>, element: &Q) -> Option<T>
    where
        T: Borrow<Q>,
    {
        self.map
            .remove_entry(m, element)
            .map(|(element, ())| element)
    }

    /// Inserts elements. The iterator may allocate too.
    ///
    /// # Panics
    ///
    /// There is no memory: the elements that came before are in the set.
    pub fn extend(&mut self, m: &Mutator<'gc>, elements: impl IntoIterator<Item = T>) {
        for element in elements {
            self.insert(m, element);
        }
    }

    /// Whether all elements are in the other set too.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.len() <= other.len() && self.iter().all(|element| other.contains(element))
    }
}

impl<T, S: Default> Default for HashSet<'_, T, S> {
    fn default() -> Self {
        HashSet::with_hasher(S::default())
    }
}

impl<'a, 'gc, T: Object<'gc>, S> IntoIterator for &'a HashSet<'gc, T, S> {
    type Item = &'a T;
    type IntoIter = Iter<'a, 'gc, T>;
    fn into_iter(self) -> Iter<'a, 'gc, T> {
        self.iter()
    }
}

impl<'gc, T: Object<'gc> + Hash + Eq, S: BuildHasher> PartialEq for HashSet<'gc, T, S> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl<'gc, T: Object<'gc> + Hash + Eq, S: BuildHasher> Eq for HashSet<'gc, T, S> {}

impl<'gc, T: Object<'gc> + fmt::Debug, S> fmt::Debug for HashSet<'gc, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

// SAFETY: it consists of the map.
unsafe impl<'gc, T: Object<'gc>, S: Send + 'static> Object<'gc> for HashSet<'gc, T, S> {
    type Static = HashSet<'static, T::Static, S>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.map.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.map.evacuate(evacuator);
    }
}
