//! [`Iter`]: the iterator over the elements of a version.

use super::Vec;
use crate::val::copy::WIDTH;
use std::fmt;
use std::iter::FusedIterator;
use std::slice;

/// The elements of a [`Vec`](super::Vec) in their order. It looks up one leaf at a time.
pub struct Iter<'gc, T> {
    vec: Vec<'gc, T>,
    /// The leaves not yet visited, including the tail.
    leaves: std::ops::Range<usize>,
    front: slice::Iter<'gc, T>,
    back: slice::Iter<'gc, T>,
}

impl<'gc, T> Iter<'gc, T> {
    pub(super) fn new(vec: Vec<'gc, T>) -> Self {
        Iter {
            vec,
            leaves: 0..vec.len().div_ceil(WIDTH),
            front: [].iter(),
            back: [].iter(),
        }
    }
}

impl<'gc, T> Iterator for Iter<'gc, T> {
    type Item = &'gc T;

    #[inline]
    fn next(&mut self) -> Option<&'gc T> {
        loop {
            if let Some(element) = self.front.next() {
                return Some(element);
            }
            match self.leaves.next() {
                Some(leaf) => self.front = self.vec.leaf(leaf).iter(),
                None => return self.back.next(),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let between = self.leaves.len() * WIDTH;
        // The last leaf of the vector may be the tail.
        let missing = match self.leaves.is_empty() || self.leaves.end * WIDTH <= self.vec.len() {
            true => 0,
            false => self.leaves.end * WIDTH - self.vec.len(),
        };
        let left = self.front.len() + between - missing + self.back.len();
        (left, Some(left))
    }
}

impl<'gc, T> DoubleEndedIterator for Iter<'gc, T> {
    #[inline]
    fn next_back(&mut self) -> Option<&'gc T> {
        loop {
            if let Some(element) = self.back.next_back() {
                return Some(element);
            }
            match self.leaves.next_back() {
                Some(leaf) => self.back = self.vec.leaf(leaf).iter(),
                None => return self.front.next_back(),
            }
        }
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> FusedIterator for Iter<'_, T> {}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter {
            vec: self.vec,
            leaves: self.leaves.clone(),
            front: self.front.clone(),
            back: self.back.clone(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
