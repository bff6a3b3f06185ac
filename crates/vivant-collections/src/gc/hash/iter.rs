//! Iterators over maps and sets.

use super::trie::{Trie, Walk};
use crate::gc::entries::half;
use std::fmt;
use std::iter::FusedIterator;
use std::slice;
use vivant_heap::{Mutator, Object};

/// The entries of a map.
pub struct Iter<'a, 'gc, K: Object<'gc>, V: Object<'gc>> {
    trie: &'a Trie<'gc, K, V>,
    walk: Walk<'gc, K, V>,
    here: slice::Iter<'a, (K, V)>,
    left: usize,
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iter<'a, 'gc, K, V> {
    pub(super) fn new(trie: &'a Trie<'gc, K, V>, left: usize) -> Self {
        Iter {
            trie,
            walk: Walk::new(),
            here: [].iter(),
            left,
        }
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iterator for Iter<'a, 'gc, K, V> {
    type Item = (&'a K, &'a V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        loop {
            if let Some((key, value)) = self.here.next() {
                self.left -= 1;
                return Some((key, value));
            }
            let segment = self.walk.step(self.trie)?;
            // SAFETY: entries of a map that is borrowed for `'a`.
            self.here = unsafe { segment.entries().as_ref() }.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

/// The entries of a map, with the values for writing. Each chunk passes the write barrier when the
/// iterator reaches it.
pub struct IterMut<'a, 'gc, K: Object<'gc>, V: Object<'gc>> {
    trie: &'a mut Trie<'gc, K, V>,
    mutator: &'a Mutator<'gc>,
    walk: Walk<'gc, K, V>,
    here: slice::IterMut<'a, (K, V)>,
    left: usize,
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> IterMut<'a, 'gc, K, V> {
    pub(super) fn new(
        trie: &'a mut Trie<'gc, K, V>,
        mutator: &'a Mutator<'gc>,
        left: usize,
    ) -> Self {
        IterMut {
            trie,
            mutator,
            walk: Walk::new(),
            here: [].iter_mut(),
            left,
        }
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iterator for IterMut<'a, 'gc, K, V> {
    type Item = (&'a K, &'a mut V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a mut V)> {
        loop {
            if let Some((key, value)) = self.here.next() {
                self.left -= 1;
                return Some((key, value));
            }
            let segment = self.walk.step(self.trie)?;
            segment.touch(self.mutator);
            // SAFETY: entries of a map that is borrowed exclusively for `'a`, each lent once; the
            // chunk has passed the barrier.
            self.here = unsafe { segment.entries().as_mut() }.iter_mut();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

macro_rules! edges {
    ($name:ident, |$this:ident| $left:expr) => {
        impl<'gc, K: Object<'gc>, V: Object<'gc>> fmt::Debug for $name<'_, 'gc, K, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $this = self;
                f.debug_struct(stringify!($name))
                    .field("left", $left)
                    .finish_non_exhaustive()
            }
        }
    };
}

edges!(Iter, |this| &this.left);
edges!(IterMut, |this| &this.left);
edges!(Keys, |this| &this.0.left);
edges!(Values, |this| &this.0.left);
edges!(ValuesMut, |this| &this.0.left);
impl<'gc, K: Object<'gc>, V: Object<'gc>> ExactSizeIterator for Iter<'_, 'gc, K, V> {}
impl<'gc, K: Object<'gc>, V: Object<'gc>> FusedIterator for Iter<'_, 'gc, K, V> {}
impl<'gc, K: Object<'gc>, V: Object<'gc>> ExactSizeIterator for IterMut<'_, 'gc, K, V> {}
impl<'gc, K: Object<'gc>, V: Object<'gc>> FusedIterator for IterMut<'_, 'gc, K, V> {}
half!(
    /// The keys of a map.
    Keys, Iter, 0, &'a K
);
half!(
    /// The values of a map.
    Values, Iter, 1, &'a V
);
half!(
    /// The values of a map, for writing.
    ValuesMut, IterMut, 1, &'a mut V
);
