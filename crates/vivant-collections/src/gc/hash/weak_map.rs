//! [`WeakMap`]: a hash map with weak values.

use super::map::HashMap;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use vivant_heap::{Collected, Evacuator, FixedState, Gc, Mutator, Object, Tracer, Weak};

/// The number of entries that each insertion checks for dead values.
const CHECKS_PER_INSERT: usize = 2;

/// Entries are checked in batches of this size: a segment of the map.
const CHECK_BATCH: usize = 64;

/// A hash map in the heap with weak values: a table of objects that other references keep alive, to
/// find them by key. An object that the collector has found dead is no longer in the map.
///
/// The map owns its keys, and keeps a key until its entry is removed: by a removal, by an insertion
/// that replaces it, or gradually after the value is dead. Each new entry checks two
/// others, so the cost is in no pause of the collector, and small in each turn. A map without
/// insertions keeps its dead entries until [`WeakMap::purge`].
///
/// Each entry costs a [`Weak`], which is an object of its own.
///
/// ```
/// use vivant_collections::gc;
/// use vivant_heap::{Gc, Heap, Object, Pacing, Root, PageSource};
///
/// #[derive(Object)]
/// struct Interned<'gc> {
///     by_name: gc::WeakMap<'gc, String, str>,
///     used: Option<Gc<'gc, str>>,
/// }
///
/// struct State;
/// impl Root for State {
///     type Of<'gc> = Interned<'gc>;
/// }
///
/// let source = std::sync::Arc::new(PageSource::new());
/// let mut heap = Heap::<State>::new(&source, Pacing::default(), |_| Interned {
///     by_name: gc::WeakMap::new(),
///     used: None,
/// });
/// heap.turn(|m, state| {
///     for name in ["rain", "snow"] {
///         let one = m.alloc_str(name);
///         state.by_name.insert(m, name.to_owned(), one);
///         state.used = Some(one);
///     }
/// });
/// heap.collect();
/// heap.turn(|m, state| {
///     assert!(state.by_name.get(m, "rain").is_none());
///     assert_eq!(state.by_name.get(m, "snow").as_deref(), Some("snow"));
/// });
/// ```
pub struct WeakMap<'gc, K, V: ?Sized, S = FixedState> {
    pub(crate) map: HashMap<'gc, K, Weak<'gc, V>, S>,
    /// Where entries are checked next, as the beginning of hashes; and the number of entries that
    /// are due for a check.
    pub(crate) from: u64,
    pub(crate) due: usize,
}

impl<'gc, K, V: ?Sized + 'gc> WeakMap<'gc, K, V> {
    /// An empty map. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        WeakMap::with_hasher(FixedState)
    }
}

impl<'gc, K, V: ?Sized + 'gc, S> WeakMap<'gc, K, V, S> {
    /// An empty map with this hasher. Allocates nothing.
    #[must_use]
    pub const fn with_hasher(hasher: S) -> Self {
        WeakMap {
            map: HashMap::with_hasher(hasher),
            from: 0,
            due: 0,
        }
    }

    /// The number of entries, including those with dead values that are not removed yet.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.map.len()
    }

    /// Removes all entries in constant time: destructors of keys run when the collector finds the
    /// chunks dead.
    pub fn clear(&mut self) {
        self.map.clear();
    }
}

impl<'gc, K: Object<'gc>, V: ?Sized + Collected<'gc>, S> WeakMap<'gc, K, V, S> {
    /// All entries with live values, in the order of hashes. Each value that it returns is
    /// resurrected if a mark runs: to iterate over a whole map then keeps all of its values live.
    pub fn iter<'a>(
        &'a self,
        m: &'a Mutator<'gc>,
    ) -> impl Iterator<Item = (&'a K, Gc<'gc, V>)> + 'a {
        let entries = self.map.iter();
        entries.filter_map(|(key, value)| Some((key, value.upgrade(m)?)))
    }

    /// Removes all entries with values that the collector has found dead. Costs a check of each
    /// entry.
    pub fn purge(&mut self, m: &Mutator<'gc>) {
        self.due = self.entries();
        self.from = 0;
        while self.due != 0 && self.check_some(m) != 0 {}
        self.due = 0;
    }

    /// Checks some entries, and removes those with dead values. Returns where to continue; 0 at the
    /// end.
    fn check_some(&mut self, m: &Mutator<'gc>) -> u64 {
        // Not `upgrade`: a check must not resurrect the value.
        let is_live = |_: &K, value: &Weak<'gc, V>| !value.is_cleared();
        let (checked, next) = self.map.retain_some(m, self.from, is_live);
        self.due = self.due.saturating_sub(checked.max(1));
        self.from = next.unwrap_or(0);
        self.from
    }
}

impl<'gc, K, V, S> WeakMap<'gc, K, V, S>
where
    K: Object<'gc> + Hash + Eq,
    V: ?Sized + Collected<'gc>,
    S: BuildHasher,
{
    /// The value for a key, if it is still live. A running mark resurrects it, as by
    /// [`Weak::upgrade`].
    #[must_use]
    pub fn get<Q: ?Sized + Hash + Eq>(&self, m: &Mutator<'gc>, key: &Q) -> Option<Gc<'gc, V>>
    where
        K: Borrow<Q>,
    {
        self.map.get(key)?.upgrade(m)
    }

    /// Sets the value of a key, which other references keep alive. Returns the old value if it is
    /// still live; an old key stays.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are unchanged.
    pub fn insert(&mut self, m: &Mutator<'gc>, key: K, value: Gc<'gc, V>) -> Option<Gc<'gc, V>> {
        let before = self.map.insert(m, key, Weak::new(m, value));
        if before.is_none() {
            self.due += CHECKS_PER_INSERT;
            if self.due >= CHECK_BATCH {
                self.check_some(m);
            }
        }
        before?.upgrade(m)
    }

    /// The value for a key; `make` creates it if there is no live one.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are unchanged.
    pub fn get_or_insert_with(
        &mut self,
        m: &Mutator<'gc>,
        key: K,
        make: impl FnOnce(&Mutator<'gc>) -> Gc<'gc, V>,
    ) -> Gc<'gc, V> {
        if let Some(value) = self.get(m, &key) {
            return value;
        }
        let value = make(m);
        self.insert(m, key, value);
        value
    }

    /// Removes the entry for a key. Returns its value if it is still live.
    pub fn remove<Q: ?Sized + Hash + Eq>(&mut self, m: &Mutator<'gc>, key: &Q) -> Option<Gc<'gc, V>>
    where
        K: Borrow<Q>,
    {
        self.map.remove(m, key)?.upgrade(m)
    }
}

impl<'gc, K, V: ?Sized + 'gc, S: Default> Default for WeakMap<'gc, K, V, S> {
    fn default() -> Self {
        WeakMap::with_hasher(S::default())
    }
}

impl<'gc, K: Object<'gc> + fmt::Debug, V: ?Sized + Collected<'gc>, S> fmt::Debug
    for WeakMap<'gc, K, V, S>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(&self.map).finish()
    }
}

// SAFETY: it consists of the map.
unsafe impl<'gc, K: Object<'gc>, V: ?Sized + Collected<'gc>, S: Send + 'static> Object<'gc>
    for WeakMap<'gc, K, V, S>
{
    type Static = WeakMap<'static, K::Static, V::Static, S>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.map.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.map.evacuate(evacuator);
    }
}
