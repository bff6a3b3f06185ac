//! [`Ice`]: a frozen value that was private once.

use super::freeze::{Freeze, FreezeOf};
use super::val::Val;
use crate::object::erased::Erased;
use crate::object::evacuator::Evacuator;
use crate::object::frozen::FrozenParts;
use crate::object::object_trait::Object;
use crate::object::tracer::Tracer;
use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;
use std::ptr::NonNull;

/// A `T` of a graph that was frozen ([`Iso::freeze`](crate::Iso::freeze)), in place. [`Ice::read`]
/// reads it, and nothing changes it any more.
///
/// There is no constructor: a `Gc<'gc, T>` becomes a `Val<'gc, Ice<T>>`. The methods of `T` are not
/// available, because they could write a [`Mut`](crate::Mut) or a cell in it. The type that
/// `#[derive(Freeze)]` emits, `FrozenNode` for `Node`, may have methods of its own.
#[repr(transparent)]
pub struct Ice<T>(T);

// SAFETY: a shared reference gives access only to `Freeze::view`, which is for many threads by its
// contract, and to keys of maps, which `Freeze` requires to be `Sync`.
unsafe impl<T> Sync for Ice<T> {}

impl<T> Ice<T> {
    /// A frozen value as what it is. For [`Freeze::view`] of types that are read in place.
    ///
    /// # Safety
    ///
    /// The value is part of a frozen object.
    #[inline]
    pub unsafe fn of(value: &T) -> &Ice<T> {
        // SAFETY: the layout is the same; the caller guarantees the rest.
        unsafe { NonNull::from(value).cast().as_ref() }
    }

    /// Reads the value: see [`Freeze`] for what each type is read as. Costs what reading the fields
    /// costs.
    #[inline]
    pub fn read<'a, 'gc: 'a>(&'a self) -> T::View<'a>
    where
        T: Freeze<'gc>,
    {
        // SAFETY: an `Ice` exists in frozen objects only.
        unsafe { self.0.view() }
    }
}

impl<'a, T> Val<'a, Ice<T>> {
    /// As [`Ice::read`], for as long as the turn.
    ///
    /// ```
    /// use vivant_heap::{Freeze, Gc, Ice, Mut, Object, Val};
    ///
    /// #[derive(Object, Freeze)]
    /// struct Tree<'gc> {
    ///     value: u64,
    ///     children: Vec<Gc<'gc, Mut<Tree<'gc>>>>,
    /// }
    ///
    /// fn sum(tree: Val<'_, Ice<Mut<Tree<'_>>>>) -> u64 {
    ///     let tree = tree.read();
    ///     tree.value + tree.children.iter().map(|child| sum(*child)).sum::<u64>()
    /// }
    /// ```
    #[inline]
    #[must_use]
    pub fn read<'gc: 'a>(self) -> T::View<'a>
    where
        T: Freeze<'gc>,
    {
        Val::as_ref(self).read()
    }
}

// SAFETY: it is laid out as its value, and reports what the value reports. These functions are not
// called: an object is traced as the type that it was allocated with.
unsafe impl<'gc, T: Object<'gc>> Object<'gc> for Ice<T> {
    type Static = Ice<T::Static>;
    const NEEDS_TRACE: bool = T::NEEDS_TRACE;
    const MUTABLE: bool = T::MUTABLE;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.0.evacuate(evacuator);
    }
}
// SAFETY: its references are to frozen objects, and nothing in it changes.
unsafe impl<'gc, T: Freeze<'gc>> FrozenParts<'gc> for Ice<T> {}
// SAFETY: by the contract of its value.
unsafe impl<T: Erased> Erased for Ice<T> {
    type Of<'gc> = Ice<T::Of<'gc>>;
    type Static = Ice<T::Static>;
}

/// A container that is read in place when it is frozen: an [`Ice`] of it derefs to its reader,
/// which has the functions that read. For authors of containers ([`raw`](crate::raw)).
///
/// # Safety
///
/// The reader reads only what does not change in a frozen value, and gives elements in their frozen
/// form: several threads may read at once.
pub unsafe trait ReadInPlace: Sized {
    /// The type with the functions that read.
    type Reader;

    /// The same address, as a reader.
    ///
    /// # Safety
    ///
    /// The value is part of a frozen object.
    unsafe fn reader(value: &Self) -> &Self::Reader;
}

impl<T: ReadInPlace> Deref for Ice<T> {
    type Target = T::Reader;
    #[inline]
    fn deref(&self) -> &T::Reader {
        // SAFETY: an `Ice` exists in frozen objects only.
        unsafe { T::reader(&self.0) }
    }
}

impl<T: ReadInPlace<Reader: fmt::Display>> fmt::Display for Ice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Maps, which are read in place.
macro_rules! map {
    ($([$($parameter:ident),*] $whole:ty, [$($bound:tt)*];)*) => {$(
        impl<K, V, $($parameter)*> Ice<$whole> {
            /// The number of entries.
            #[must_use]
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether there are no entries.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }

            /// The value of a key.
            pub fn get<'a, 'gc: 'a, Q: ?Sized + $($bound)*>(&'a self, key: &Q) -> Option<&'a V::Frozen>
            where
                K: Borrow<Q> + $($bound)*,
                V: Freeze<'gc>,
                $($parameter: BuildHasher,)*
            {
                self.0.get(key).map(frozen)
            }

            /// All keys and values, in the map's order.
            pub fn iter<'a, 'gc: 'a>(&'a self) -> impl Iterator<Item = (&'a K, &'a V::Frozen)>
            where
                V: Freeze<'gc> + 'a,
            {
                self.0.iter().map(|(key, value)| (key, frozen(value)))
            }
        }
    )*};
}

map! {
    [S] HashMap<K, V, S>, [Eq + Hash];
    [] BTreeMap<K, V>, [Ord];
}

/// A value in a frozen map.
fn frozen<'a, 'gc: 'a, V: Freeze<'gc>>(value: &'a V) -> &'a V::Frozen {
    // SAFETY: the layout is the same; the map is frozen, so its value is.
    unsafe { <V as FreezeOf<'gc>>::frozen(NonNull::from(value)).as_ref() }
}

impl<T> fmt::Debug for Ice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ice").finish_non_exhaustive()
    }
}
