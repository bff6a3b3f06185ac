//! The common part of the versions of all collections, and that of both maps.

/// Emits the public interface of a version: a `Copy` handle with a length.
macro_rules! version {
    ([$($parameter:ident),*] $name:ident, $of:literal) => {
        impl<$($parameter),*> Clone for $name<'_, $($parameter),*> {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($parameter),*> Copy for $name<'_, $($parameter),*> {}

        impl<$($parameter),*> $name<'_, $($parameter),*> {
            #[doc = concat!("How many ", $of, " there are.")]
            #[inline]
            #[must_use]
            pub fn len(self) -> usize {
                self.len
            }

            /// Whether it is empty.
            #[inline]
            #[must_use]
            pub fn is_empty(self) -> bool {
                self.len == 0
            }
        }

        impl<$($parameter),*> Default for $name<'_, $($parameter),*> {
            fn default() -> Self {
                $name::new()
            }
        }
    };
}
pub(super) use version;

/// Emits the functions of a map by its keys, which have these bounds, and by its entries.
macro_rules! map {
    ($name:ident, $($order:tt)+) => {
        crate::val::version::version!([K, V] $name, "entries");

        impl<K: $($order)+, V> $name<'_, K, V> {
            /// Whether there is an entry for this key.
            #[must_use]
            pub fn contains_key<Q: $($order)+ + ?Sized>(self, key: &Q) -> bool
            where
                K: Borrow<Q>,
            {
                self.get(key).is_some()
            }
        }

        impl<'gc, K, V> $name<'gc, K, V>
        where
            K: $($order)+ + Frozen<'gc> + Clone,
            V: Frozen<'gc> + Clone,
        {
            /// Collects the entries of an iterator, which may allocate too. Of equal keys the last
            /// one stays.
            ///
            /// # Panics
            ///
            /// There is no memory. The same holds for all functions that update.
            #[must_use]
            pub fn from_iter(m: &Mutator<'gc>, entries: impl IntoIterator<Item = (K, V)>) -> Self {
                $name::new().extend(m, entries)
            }
        }

        impl<K: $($order)+ + Borrow<Q>, V, Q: $($order)+ + ?Sized> Index<&Q> for $name<'_, K, V> {
            type Output = V;
            #[track_caller]
            fn index(&self, key: &Q) -> &V {
                match self.get(key) {
                    Some(value) => value,
                    None => panic!("no such key in the map"),
                }
            }
        }

        impl<'gc, K, V> IntoIterator for $name<'gc, K, V> {
            type Item = (&'gc K, &'gc V);
            type IntoIter = Iter<'gc, K, V>;
            fn into_iter(self) -> Iter<'gc, K, V> {
                self.iter()
            }
        }

        impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for $name<'_, K, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_map().entries(self.iter()).finish()
            }
        }
    };
}
pub(super) use map;
