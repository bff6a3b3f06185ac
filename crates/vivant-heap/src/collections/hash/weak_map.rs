//! [`WeakMap`]: a hash map whose values keep nothing alive.

use super::hasher::FixedState;
use super::map::HashMap;
use crate::collector::{Relocator, Tracer};
use crate::mutator::Mutator;
use crate::types::{Collected, Gc, Object, Weak};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// Entries that are looked at for each one that comes.
const LOOKS: usize = 2;

/// So many are looked at together: a segment of the map.
const TOGETHER: usize = 64;

/// A hash map in the heap whose values keep nothing alive: a table of what others have, to find it
/// by its name. What the collector has found dead is not there any more (H10).
///
/// Keys are the map's own, and are kept until the entry goes. That is when somebody removes it, or
/// puts something else there; and entries of the dead go by and by: each new entry looks at two
/// others, so no pause of the collector has anything to do with them, and no turn has much. A map
/// into which nothing comes keeps what it has, until [`WeakMap::purge`].
///
/// Each entry costs a [`Weak`], which is an object of its own.
///
/// ```
/// use vivant_heap::{Gc, Heap, Object, Pacing, Root, Source, gc};
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
/// let source = std::sync::Arc::new(Source::new());
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
    map: HashMap<'gc, K, Weak<'gc, V>, S>,
    /// Where entries are looked at next, as the beginning of hashes; and how many are due.
    from: u64,
    due: usize,
}

impl<'gc, K, V: ?Sized + 'gc> WeakMap<'gc, K, V> {
    /// An empty one. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        WeakMap::with_hasher(FixedState)
    }
}

impl<'gc, K, V: ?Sized + 'gc, S> WeakMap<'gc, K, V, S> {
    /// An empty one with this way to hash. Allocates nothing.
    #[must_use]
    pub const fn with_hasher(hasher: S) -> Self {
        WeakMap {
            map: HashMap::with_hasher(hasher),
            from: 0,
            due: 0,
        }
    }

    /// How many entries there are, those of the dead included that nobody has come by yet.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.map.len()
    }

    /// Removes everything, at once: destructors of keys run when the collector meets the dead
    /// chunks (H10).
    pub fn clear(&mut self) {
        self.map.clear();
    }
}

impl<'gc, K: Object<'gc>, V: ?Sized + Collected<'gc>, S> WeakMap<'gc, K, V, S> {
    /// All that is there, in the order of hashes. What it gives is alive from here on: whoever goes
    /// through all of a map while a mark runs has all of it marked.
    pub fn iter<'a>(
        &'a self,
        m: &'a Mutator<'gc>,
    ) -> impl Iterator<Item = (&'a K, Gc<'gc, V>)> + 'a {
        let entries = self.map.iter();
        entries.filter_map(|(key, value)| Some((key, value.upgrade(m)?)))
    }

    /// Removes the entries of all that the collector has found dead. Costs a look at each entry.
    pub fn purge(&mut self, m: &Mutator<'gc>) {
        self.due = self.entries();
        self.from = 0;
        while self.due != 0 && self.look(m) != 0 {}
        self.due = 0;
    }

    /// Looks at some entries, and removes those of the dead. Where to go on; 0 at the end.
    fn look(&mut self, m: &Mutator<'gc>) -> u64 {
        // To ask whether it is dead must not bring it back.
        let lives = |_: &K, value: &Weak<'gc, V>| !value.is_empty();
        let (looked, next) = self.map.retain_some(m, self.from, lives);
        self.due = self.due.saturating_sub(looked.max(1));
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
    /// The value for a key, if it is alive still. A mark that runs hears of it, as by
    /// [`Weak::upgrade`].
    #[must_use]
    pub fn get<Q: ?Sized + Hash + Eq>(&self, m: &Mutator<'gc>, key: &Q) -> Option<Gc<'gc, V>>
    where
        K: Borrow<Q>,
    {
        self.map.get(key)?.upgrade(m)
    }

    /// Puts a value there for a key, which somebody else keeps alive. The one that was there comes
    /// back, if it is alive still; the key that was there stays.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are what they were.
    pub fn insert(&mut self, m: &Mutator<'gc>, key: K, value: Gc<'gc, V>) -> Option<Gc<'gc, V>> {
        let before = self.map.insert(m, key, Weak::new(m, value));
        if before.is_none() {
            self.due += LOOKS;
            if self.due >= TOGETHER {
                self.look(m);
            }
        }
        before?.upgrade(m)
    }

    /// The value for a key; `make` makes it if there is none alive.
    ///
    /// # Panics
    ///
    /// There is no memory: the entries are what they were.
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

    /// Takes the entry for a key out. Its value, if it is alive still.
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

// SAFETY: the map is all of it.
unsafe impl<'gc, K: Object<'gc>, V: ?Sized + Collected<'gc>, S: Send + 'static> Object<'gc>
    for WeakMap<'gc, K, V, S>
{
    type Static = WeakMap<'static, K::Static, V::Static, S>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.map.trace(tracer);
    }
    fn relocate(&mut self, relocator: &mut Relocator<'_>) {
        self.map.relocate(relocator);
    }
}
