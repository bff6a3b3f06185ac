//! The common part of the entries of both maps: of the hash map and of the ordered map.

/// Emits a map's `Entry`, over its `OccupiedEntry` and `VacantEntry`. A hash map names the type
/// parameter of its hasher too.
macro_rules! entry {
    ($map:literal $(, $hasher:ident: $hashes:ident)?; $($order:tt)+) => {
        /// A place for an entry in a map, from
        #[doc = concat!("[`", $map, "::entry`](crate::gc::", $map, "::entry).")]
        pub enum Entry<'a, 'gc, K: Object<'gc>, V: Object<'gc> $(, $hasher)?> {
            /// There is an entry for the key.
            Occupied(OccupiedEntry<'a, 'gc, K, V $(, $hasher)?>),
            /// There is none.
            Vacant(VacantEntry<'a, 'gc, K, V $(, $hasher)?>),
        }

        impl<'a, 'gc, K, V $(, $hasher)?> Entry<'a, 'gc, K, V $(, $hasher)?>
        where
            K: Object<'gc> + $($order)+,
            V: Object<'gc>,
            $($hasher: $hashes,)?
        {
            /// The key.
            pub fn key(&self) -> &K {
                match self {
                    Entry::Occupied(entry) => entry.key(),
                    Entry::Vacant(entry) => entry.key(),
                }
            }

            /// The value, for writing; `value` if there is none.
            ///
            /// # Panics
            ///
            /// There is no memory: the map is unchanged.
            #[inline]
            pub fn or_insert(self, value: V) -> &'a mut V {
                self.or_insert_with(|| value)
            }

            /// The value, for writing; `make` creates it if there is none. It may allocate.
            ///
            /// # Panics
            ///
            /// There is no memory: the map is unchanged.
            #[inline]
            pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
                match self {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => entry.insert(make()),
                }
            }

            /// As [`or_insert_with`](Entry::or_insert_with), from the key.
            ///
            /// # Panics
            ///
            /// There is no memory: the map is unchanged.
            #[inline]
            pub fn or_insert_with_key(self, make: impl FnOnce(&K) -> V) -> &'a mut V {
                match self {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let value = make(entry.key());
                        entry.insert(value)
                    }
                }
            }

            /// The value, for writing; the default if there is none.
            ///
            /// # Panics
            ///
            /// There is no memory: the map is unchanged.
            #[inline]
            pub fn or_default(self) -> &'a mut V
            where
                V: Default,
            {
                self.or_insert_with(V::default)
            }

            /// Changes the value, if there is one.
            #[inline]
            pub fn and_modify(mut self, change: impl FnOnce(&mut V)) -> Self {
                if let Entry::Occupied(entry) = &mut self {
                    change(entry.get_mut());
                }
                self
            }
        }

        impl<'gc, K, V $(, $hasher)?> fmt::Debug for Entry<'_, 'gc, K, V $(, $hasher)?>
        where
            K: Object<'gc> + fmt::Debug + $($order)+,
            V: Object<'gc> + fmt::Debug,
            $($hasher: $hashes,)?
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Entry::Occupied(entry) => entry.fmt(f),
                    Entry::Vacant(entry) => entry.fmt(f),
                }
            }
        }

        impl<'gc, K, V $(, $hasher)?> fmt::Debug for OccupiedEntry<'_, 'gc, K, V $(, $hasher)?>
        where
            K: Object<'gc> + fmt::Debug + $($order)+,
            V: Object<'gc> + fmt::Debug,
            $($hasher: $hashes,)?
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "Occupied({:?}: {:?})", self.key(), self.get())
            }
        }

        impl<'gc, K, V $(, $hasher)?> fmt::Debug for VacantEntry<'_, 'gc, K, V $(, $hasher)?>
        where
            K: Object<'gc> + fmt::Debug + $($order)+,
            V: Object<'gc>,
            $($hasher: $hashes,)?
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "Vacant({:?})", self.key())
            }
        }
    };
}
pub(super) use entry;
