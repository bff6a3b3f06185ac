//! Frozen collections: read in place, with their elements in frozen form (Y6).

use super::gc::{BTreeMap, HashMap, HashSet, String, Vec, VecDeque};
use crate::types::{Freeze, FreezeOf, Ice, Object, in_place};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::RangeBounds;
use std::ptr::NonNull;

/// Collections with elements that are frozen with them. Keys have no brand, because they are hashed
/// and compared by code of their own.
macro_rules! collections {
    ($([$($parameters:tt)*] $whole:ty;)*) => {$(
        in_place!([$($parameters)*] $whole;);

        impl<'gc, $($parameters)*> Ice<$whole> {
            /// The number of elements or entries; of a text, of bytes.
            #[must_use]
            pub fn len(&self) -> usize {
                self.value().len()
            }

            /// Whether it is empty.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.value().is_empty()
            }
        }
    )*};
}

collections! {
    [T: Freeze<'gc>] Vec<'gc, T>;
    [T: Freeze<'gc>] VecDeque<'gc, T>;
    [K: Object<'gc> + Send + Sync + 'static, V: Freeze<'gc>, S: Send + Sync + 'static] HashMap<'gc, K, V, S>;
    [K: Object<'gc> + Send + Sync + 'static, S: Send + Sync + 'static] HashSet<'gc, K, S>;
    [K: Object<'gc> + Send + Sync + 'static, V: Freeze<'gc>] BTreeMap<'gc, K, V>;
    [] String<'gc>;
}

/// An element or value in a frozen collection.
fn frozen<'a, 'gc: 'a, T: Freeze<'gc>>(value: &'a T) -> &'a T::Frozen {
    // SAFETY: the layout is the same; the collection is frozen, so the value is.
    unsafe { <T as FreezeOf<'gc>>::frozen(NonNull::from(value)).as_ref() }
}

/// Elements by index.
macro_rules! sequence {
    ($name:ident) => {
        impl<'gc, T: Freeze<'gc>> Ice<$name<'gc, T>> {
            /// An element.
            #[must_use]
            pub fn get(&self, index: usize) -> Option<&T::Frozen> {
                self.value().get(index).map(frozen)
            }

            /// The elements in their order.
            pub fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T::Frozen>
            where
                'gc: 'a,
            {
                self.value().iter().map(frozen)
            }
        }
    };
}

sequence!(Vec);
sequence!(VecDeque);

impl<'gc, K, V, S> Ice<HashMap<'gc, K, V, S>>
where
    K: Object<'gc> + Send + Sync + Hash + Eq + 'static,
    V: Freeze<'gc>,
    S: BuildHasher + Send + Sync + 'static,
{
    /// The value for a key.
    #[must_use]
    pub fn get<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> Option<&V::Frozen>
    where
        K: Borrow<Q>,
    {
        self.value().get(key).map(frozen)
    }

    /// The entries, in the map's order.
    pub fn iter<'a>(&'a self) -> impl Iterator<Item = (&'a K, &'a V::Frozen)>
    where
        'gc: 'a,
    {
        self.value().iter().map(|(key, value)| (key, frozen(value)))
    }
}

impl<'gc, T, S> Ice<HashSet<'gc, T, S>>
where
    T: Object<'gc> + Send + Sync + Hash + Eq + 'static,
    S: BuildHasher + Send + Sync + 'static,
{
    /// Whether an element equals this.
    #[must_use]
    pub fn contains<Q: ?Sized + Hash + Eq>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.value().contains(element)
    }

    /// The elements, in the set's order.
    pub fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T>
    where
        'gc: 'a,
    {
        self.value().iter()
    }
}

impl<'gc, K, V> Ice<BTreeMap<'gc, K, V>>
where
    K: Object<'gc> + Send + Sync + Ord + 'static,
    V: Freeze<'gc>,
{
    /// The value for a key.
    #[must_use]
    pub fn get<Q: ?Sized + Ord>(&self, key: &Q) -> Option<&V::Frozen>
    where
        K: Borrow<Q>,
    {
        self.value().get(key).map(frozen)
    }

    /// The entries in the order of their keys.
    pub fn iter<'a>(&'a self) -> impl DoubleEndedIterator<Item = (&'a K, &'a V::Frozen)>
    where
        'gc: 'a,
    {
        self.value().iter().map(|(key, value)| (key, frozen(value)))
    }

    /// The entries with keys in a range, in the order of their keys.
    ///
    /// # Panics
    ///
    /// As [`gc::BTreeMap::range`](BTreeMap::range).
    #[track_caller]
    pub fn range<'a, Q: ?Sized + Ord>(
        &'a self,
        range: impl RangeBounds<Q>,
    ) -> impl DoubleEndedIterator<Item = (&'a K, &'a V::Frozen)>
    where
        'gc: 'a,
        K: Borrow<Q>,
    {
        let range = self.value().range(range);
        range.map(|(key, value)| (key, frozen(value)))
    }
}

impl Ice<String<'_>> {
    /// The text, one string slice of each chunk.
    pub fn chunks(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.value().chunks()
    }

    /// The characters.
    pub fn chars(&self) -> impl DoubleEndedIterator<Item = char> {
        self.value().chars()
    }
}

impl fmt::Display for Ice<String<'_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}
