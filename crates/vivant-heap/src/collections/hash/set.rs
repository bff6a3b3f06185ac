//! [`HashSet`]: a hash set in chunks.

use super::hasher::FixedState;
use super::map::{self, HashMap};
use crate::collector::{Relocator, Tracer};
use crate::mutator::Mutator;
use crate::types::Object;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// The elements of a set.
pub type Iter<'a, 'gc, T> = map::Keys<'a, 'gc, T, ()>;

/// A hash set in the heap: a [`HashMap`] without values.
///
/// ```
/// use vivant_heap::{Mutator, gc};
///
/// fn distinct<'gc>(m: &Mutator<'gc>, numbers: &[u64]) -> usize {
///     gc::HashSet::<u64>::from_iter(m, numbers.iter().copied()).len()
/// }
/// ```
pub struct HashSet<'gc, T, S = FixedState> {
    map: HashMap<'gc, T, (), S>,
}

impl<T> HashSet<'_, T> {
    /// An empty one. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        HashSet::with_hasher(FixedState)
    }
}

impl<T, S> HashSet<'_, T, S> {
    /// An empty one with this way to hash. Allocates nothing.
    #[must_use]
    pub const fn with_hasher(hasher: S) -> Self {
        HashSet {
            map: HashMap::with_hasher(hasher),
        }
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Removes everything, at once: destructors of elements run when the collector meets the dead
    /// chunks (H10).
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

    /// Keeps those elements that `keep` says; the others end here.
    pub fn retain(&mut self, m: &Mutator<'gc>, mut keep: impl FnMut(&T) -> bool) {
        self.map.retain(m, |element, ()| keep(element));
    }
}

impl<'gc, T: Object<'gc> + Hash + Eq, S: BuildHasher> HashSet<'gc, T, S> {
    /// Of what an iterator gives.
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

    /// Whether an element equals this.
    #[must_use]
    pub fn contains<Q: ?Sized + Hash + Eq>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(element)
    }

    /// The element that equals this.
    #[must_use]
    pub fn get<Q: ?Sized + Hash + Eq>(&self, element: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.map.get_key_value(element).map(|(element, ())| element)
    }

    /// Puts an element in. Whether none was there that equals it; one that was there stays.
    ///
    /// # Panics
    ///
    /// There is no memory: the elements are what they were.
    pub fn insert(&mut self, m: &Mutator<'gc>, element: T) -> bool {
        self.map.insert(m, element, ()).is_none()
    }

    /// Removes an element. Whether it was there.
    pub fn remove<Q: ?Sized + Hash + Eq>(&mut self, m: &Mutator<'gc>, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.take(m, element).is_some()
    }

    /// Takes an element out.
    pub fn take<Q: ?Sized + Hash + Eq>(&mut self, m: &Mutator<'gc>, element: &Q) -> Option<T>
    where
        T: Borrow<Q>,
    {
        self.map
            .remove_entry(m, element)
            .map(|(element, ())| element)
    }

    /// Puts elements in. The iterator may allocate too.
    ///
    /// # Panics
    ///
    /// There is no memory: those that came before are there.
    pub fn extend(&mut self, m: &Mutator<'gc>, elements: impl IntoIterator<Item = T>) {
        for element in elements {
            self.insert(m, element);
        }
    }

    /// Whether all elements are in the other one too.
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

// SAFETY: the map is all of it.
unsafe impl<'gc, T: Object<'gc>, S: Send + 'static> Object<'gc> for HashSet<'gc, T, S> {
    type Static = HashSet<'static, T::Static, S>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.map.trace(tracer);
    }
    fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        self.map.relocate(relocator);
    }
}
