//! The common part of both maps, by their entries: the hash map and the ordered map.

/// Emits a map's views and impls. A hash map names the type parameter of its hasher too.
macro_rules! entries {
    ($name:ident $(, $hasher:ident: $hashes:ident)?; $($order:tt)+) => {
        impl<'gc, K: Object<'gc>, V: Object<'gc> $(, $hasher)?> $name<'gc, K, V $(, $hasher)?> {
            /// The keys, in the order of the entries.
            #[must_use]
            pub fn keys(&self) -> Keys<'_, 'gc, K, V> {
                Keys(self.iter())
            }

            /// The values, in the order of the entries.
            #[must_use]
            pub fn values(&self) -> Values<'_, 'gc, K, V> {
                Values(self.iter())
            }

            /// The values, in the order of the entries, for writing. Each chunk passes the write
            /// barrier when the iterator reaches it.
            pub fn values_mut<'a>(&'a mut self, m: &'a Mutator<'gc>) -> ValuesMut<'a, 'gc, K, V> {
                ValuesMut(self.iter_mut(m))
            }
        }

        impl<'gc, K, V $(, $hasher)?> $name<'gc, K, V $(, $hasher)?>
        where
            K: Object<'gc> + $($order)+,
            V: Object<'gc>,
            $($hasher: $hashes,)?
        {
            /// Collects the entries of an iterator; of entries with equal keys, the last one stays.
            ///
            /// # Panics
            ///
            /// There is no memory.
            pub fn from_iter(m: &Mutator<'gc>, entries: impl IntoIterator<Item = (K, V)>) -> Self
            where
                $($hasher: Default)?
            {
                let mut map = Self::default();
                map.extend(m, entries);
                map
            }

            /// Inserts entries. The iterator may allocate too.
            ///
            /// # Panics
            ///
            /// There is no memory: the entries that came before are in the map.
            pub fn extend(&mut self, m: &Mutator<'gc>, entries: impl IntoIterator<Item = (K, V)>) {
                for (key, value) in entries {
                    self.insert(m, key, value);
                }
            }

            /// Removes the entry of a key and returns its value.
            #[inline]
            pub fn remove<Q: ?Sized + $($order)+>(&mut self, m: &Mutator<'gc>, key: &Q) -> Option<V>
            where
                K: Borrow<Q>,
            {
                self.remove_entry(m, key).map(|(_, value)| value)
            }
        }

        impl<'gc, K, V $(, $hasher)?, Q> Index<&Q> for $name<'gc, K, V $(, $hasher)?>
        where
            K: Object<'gc> + $($order)+ + Borrow<Q>,
            V: Object<'gc>,
            $($hasher: $hashes,)?
            Q: ?Sized + $($order)+,
        {
            type Output = V;
            #[track_caller]
            fn index(&self, key: &Q) -> &V {
                match self.get(key) {
                    Some(value) => value,
                    None => panic!("there is no entry for this key"),
                }
            }
        }

        impl<'a, 'gc, K: Object<'gc>, V: Object<'gc> $(, $hasher)?> IntoIterator
            for &'a $name<'gc, K, V $(, $hasher)?>
        {
            type Item = (&'a K, &'a V);
            type IntoIter = Iter<'a, 'gc, K, V>;
            fn into_iter(self) -> Iter<'a, 'gc, K, V> {
                self.iter()
            }
        }

        impl<'gc, K, V $(, $hasher)?> fmt::Debug for $name<'gc, K, V $(, $hasher)?>
        where
            K: Object<'gc> + fmt::Debug,
            V: Object<'gc> + fmt::Debug,
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_map().entries(self).finish()
            }
        }
    };
}
pub(super) use entries;

/// Emits an iterator over the keys, or the values, from an iterator over entries.
macro_rules! half {
    ($(#[$doc:meta])* $name:ident, $iter:ident, $half:tt, $item:ty) => {
        $(#[$doc])*
        pub struct $name<'a, 'gc, K: Object<'gc>, V: Object<'gc>>(pub(super) $iter<'a, 'gc, K, V>);

        impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iterator for $name<'a, 'gc, K, V> {
            type Item = $item;
            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0.next().map(|entry| entry.$half)
            }
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<'gc, K: Object<'gc>, V: Object<'gc>> ExactSizeIterator for $name<'_, 'gc, K, V> {}
        impl<'gc, K: Object<'gc>, V: Object<'gc>> FusedIterator for $name<'_, 'gc, K, V> {}
    };
}
pub(super) use half;
