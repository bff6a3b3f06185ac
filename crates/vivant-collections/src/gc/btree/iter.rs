//! Iterators over ordered maps.

use super::cursor::{Cursor, Side};
use super::tree::Tree;
use crate::gc::entries::half;
use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use vivant_heap::{Mutator, Object};

/// The entries of a map in the order of their keys.
pub struct Iter<'a, 'gc, K: Object<'gc>, V: Object<'gc>> {
    front: Cursor<'gc, K, V>,
    back: Cursor<'gc, K, V>,
    left: usize,
    map: PhantomData<(&'a K, &'a V)>,
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iter<'a, 'gc, K, V> {
    pub(super) fn new(tree: &'a Tree<'gc, K, V>) -> Self {
        Iter {
            front: Cursor::edge(tree, Side::Before),
            back: Cursor::edge(tree, Side::Behind),
            left: tree.len,
            map: PhantomData,
        }
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iterator for Iter<'a, 'gc, K, V> {
    type Item = (&'a K, &'a V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        self.left = self.left.checked_sub(1)?;
        let (node, slot) = self.front.next()?;
        // SAFETY: an entry of a map that is borrowed for `'a`.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_ref()) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> DoubleEndedIterator for Iter<'a, 'gc, K, V> {
    fn next_back(&mut self) -> Option<(&'a K, &'a V)> {
        self.left = self.left.checked_sub(1)?;
        let (node, slot) = self.back.next_back()?;
        // SAFETY: an entry of a map that is borrowed for `'a`.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_ref()) })
    }
}

/// The entries of a map in the order of their keys, with the values for writing. Each chunk passes
/// the write barrier when the iterator reaches it.
pub struct IterMut<'a, 'gc, K: Object<'gc>, V: Object<'gc>> {
    front: Cursor<'gc, K, V>,
    back: Cursor<'gc, K, V>,
    left: usize,
    mutator: &'a Mutator<'gc>,
    map: PhantomData<(&'a K, &'a mut V)>,
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> IterMut<'a, 'gc, K, V> {
    pub(super) fn new(tree: &'a mut Tree<'gc, K, V>, mutator: &'a Mutator<'gc>) -> Self {
        IterMut {
            front: Cursor::edge(tree, Side::Before),
            back: Cursor::edge(tree, Side::Behind),
            left: tree.len,
            mutator,
            map: PhantomData,
        }
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iterator for IterMut<'a, 'gc, K, V> {
    type Item = (&'a K, &'a mut V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a mut V)> {
        self.left = self.left.checked_sub(1)?;
        let (node, slot) = self.front.next()?;
        node.touch(self.mutator);
        // SAFETY: an entry of a map that is borrowed exclusively for `'a`, lent once: both ends
        // together return as many entries as there are. The chunk has passed the barrier.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_mut()) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> DoubleEndedIterator for IterMut<'a, 'gc, K, V> {
    fn next_back(&mut self) -> Option<(&'a K, &'a mut V)> {
        self.left = self.left.checked_sub(1)?;
        let (node, slot) = self.back.next_back()?;
        node.touch(self.mutator);
        // SAFETY: an entry of a map that is borrowed exclusively for `'a`, lent once: both ends
        // together return as many entries as there are. The chunk has passed the barrier.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_mut()) })
    }
}

/// The entries of a range in the order of their keys.
pub struct Range<'a, 'gc, K: Object<'gc>, V: Object<'gc>> {
    front: Cursor<'gc, K, V>,
    back: Cursor<'gc, K, V>,
    map: PhantomData<(&'a K, &'a V)>,
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Range<'a, 'gc, K, V> {
    /// The cursors belong to the borrowed map.
    pub(super) fn new(
        _: &'a Tree<'gc, K, V>,
        (front, back): (Cursor<'gc, K, V>, Cursor<'gc, K, V>),
    ) -> Self {
        Range {
            front,
            back,
            map: PhantomData,
        }
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iterator for Range<'a, 'gc, K, V> {
    type Item = (&'a K, &'a V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        if self.front.is_at(&self.back) {
            return None;
        }
        let (node, slot) = self.front.next()?;
        // SAFETY: an entry of a map that is borrowed for `'a`.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_ref()) })
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> DoubleEndedIterator for Range<'a, 'gc, K, V> {
    fn next_back(&mut self) -> Option<(&'a K, &'a V)> {
        if self.front.is_at(&self.back) {
            return None;
        }
        let (node, slot) = self.back.next_back()?;
        // SAFETY: an entry of a map that is borrowed for `'a`.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_ref()) })
    }
}

/// The entries of a range in the order of their keys, with the values for writing. Each chunk
/// passes the write barrier when the iterator reaches it.
///
/// It iterates from the front only: with an inconsistent order of keys the ends can cross, and each
/// value must be lent for writing only once.
pub struct RangeMut<'a, 'gc, K: Object<'gc>, V: Object<'gc>> {
    front: Cursor<'gc, K, V>,
    back: Cursor<'gc, K, V>,
    mutator: &'a Mutator<'gc>,
    map: PhantomData<(&'a K, &'a mut V)>,
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> RangeMut<'a, 'gc, K, V> {
    /// The cursors belong to the borrowed map.
    pub(super) fn new(
        _: &'a mut Tree<'gc, K, V>,
        mutator: &'a Mutator<'gc>,
        (front, back): (Cursor<'gc, K, V>, Cursor<'gc, K, V>),
    ) -> Self {
        RangeMut {
            front,
            back,
            mutator,
            map: PhantomData,
        }
    }
}

impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> Iterator for RangeMut<'a, 'gc, K, V> {
    type Item = (&'a K, &'a mut V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a mut V)> {
        if self.front.is_at(&self.back) {
            return None;
        }
        let (node, slot) = self.front.next()?;
        node.touch(self.mutator);
        // SAFETY: an entry of a map that is borrowed exclusively for `'a`, lent once: the cursor
        // moves forward only. The chunk has passed the barrier.
        Some(unsafe { (node.key(slot).as_ref(), node.value(slot).as_mut()) })
    }
}

/// Iteration over keys or values from the back.
macro_rules! from_the_end {
    ($name:ident, $half:tt, $item:ty) => {
        impl<'a, 'gc, K: Object<'gc>, V: Object<'gc>> DoubleEndedIterator for $name<'a, 'gc, K, V> {
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back().map(|entry| entry.$half)
            }
        }
    };
}

macro_rules! edges {
    ($($name:ident)*) => {$(
        impl<'gc, K: Object<'gc>, V: Object<'gc>> fmt::Debug for $name<'_, 'gc, K, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

macro_rules! fused {
    ($($name:ident)*) => {$(
        impl<'gc, K: Object<'gc>, V: Object<'gc>> FusedIterator for $name<'_, 'gc, K, V> {}
    )*};
}

edges!(Iter IterMut Range RangeMut Keys Values ValuesMut);
fused!(Iter IterMut Range RangeMut);
impl<'gc, K: Object<'gc>, V: Object<'gc>> ExactSizeIterator for Iter<'_, 'gc, K, V> {}
impl<'gc, K: Object<'gc>, V: Object<'gc>> ExactSizeIterator for IterMut<'_, 'gc, K, V> {}
half!(
    /// The keys of a map in their order.
    Keys, Iter, 0, &'a K
);
half!(
    /// The values of a map in the order of their keys.
    Values, Iter, 1, &'a V
);
half!(
    /// The values of a map in the order of their keys, for writing.
    ValuesMut, IterMut, 1, &'a mut V
);
from_the_end!(Keys, 0, &'a K);
from_the_end!(Values, 1, &'a V);
from_the_end!(ValuesMut, 1, &'a mut V);
