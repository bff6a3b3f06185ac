//! Frozen collections: read in place, with their elements in frozen form (Y6).

use super::{BTreeMap, HashMap, HashSet, String, Vec, VecDeque};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::RangeBounds;
use std::ptr::NonNull;
use vivant_heap::{Freeze, FreezeOf, Ice, Object, ReadInPlace};

/// A frozen collection as its readers see it: an [`Ice`] of the collection derefs to this.
#[repr(transparent)]
pub struct InPlace<C>(C);

impl<C> fmt::Debug for InPlace<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InPlace").finish_non_exhaustive()
    }
}

/// Collections with elements that are frozen with them. Keys have no brand, because they are hashed
/// and compared by code of their own.
macro_rules! collections {
    ($([$($parameters:tt)*] $whole:ty;)*) => {$(
        // SAFETY: reading a collection writes nothing in it. Keys and hashers have no brand and are
        // `Sync`; `InPlace` gives elements and values as their frozen types.
        unsafe impl<'gc, $($parameters)*> Freeze<'gc> for $whole {
            type Frozen = Ice<Self>;
            type View<'a> = &'a Ice<Self> where Self: 'a, 'gc: 'a;
            #[inline]
            unsafe fn view<'a>(&'a self) -> &'a Ice<Self>
            where
                'gc: 'a,
            {
                // SAFETY: guaranteed by the caller.
                unsafe { Ice::of(self) }
            }
        }

        // SAFETY: as for `Freeze`: the functions of `InPlace` write nothing in the collection, and
        // give elements and values as their frozen types.
        unsafe impl<'gc, $($parameters)*> ReadInPlace for $whole {
            type Reader = InPlace<Self>;
            #[inline]
            unsafe fn reader(value: &Self) -> &InPlace<Self> {
                // SAFETY: the layout is the same.
                unsafe { NonNull::from(value).cast().as_ref() }
            }
        }

        impl<'gc, $($parameters)*> InPlace<$whole> {
            /// The number of elements or entries; of a text, of bytes.
            #[must_use]
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether it is empty.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
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
        impl<'gc, T: Freeze<'gc>> InPlace<$name<'gc, T>> {
            /// An element.
            #[must_use]
            pub fn get(&self, index: usize) -> Option<&T::Frozen> {
                self.0.get(index).map(frozen)
            }

            /// The elements in their order.
            pub fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T::Frozen>
            where
                'gc: 'a,
            {
                self.0.iter().map(frozen)
            }
        }
    };
}

sequence!(Vec);
sequence!(VecDeque);

impl<'gc, K, V, S> InPlace<HashMap<'gc, K, V, S>>
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
        self.0.get(key).map(frozen)
    }

    /// The entries, in the map's order.
    pub fn iter<'a>(&'a self) -> impl Iterator<Item = (&'a K, &'a V::Frozen)>
    where
        'gc: 'a,
    {
        self.0.iter().map(|(key, value)| (key, frozen(value)))
    }
}

impl<'gc, T, S> InPlace<HashSet<'gc, T, S>>
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
        self.0.contains(element)
    }

    /// The elements, in the set's order.
    pub fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T>
    where
        'gc: 'a,
    {
        self.0.iter()
    }
}

impl<'gc, K, V> InPlace<BTreeMap<'gc, K, V>>
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
        self.0.get(key).map(frozen)
    }

    /// The entries in the order of their keys.
    pub fn iter<'a>(&'a self) -> impl DoubleEndedIterator<Item = (&'a K, &'a V::Frozen)>
    where
        'gc: 'a,
    {
        self.0.iter().map(|(key, value)| (key, frozen(value)))
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
        let range = self.0.range(range);
        range.map(|(key, value)| (key, frozen(value)))
    }
}

impl InPlace<String<'_>> {
    /// The text, one string slice of each chunk.
    pub fn chunks(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.chunks()
    }

    /// The characters.
    pub fn chars(&self) -> impl DoubleEndedIterator<Item = char> {
        self.0.chars()
    }
}

impl fmt::Display for InPlace<String<'_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
