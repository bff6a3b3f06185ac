//! [`SegmentedVec`]: a segmented vector, which grows segment by segment and is indexed.

use std::ops::{Index, IndexMut};

/// Elements of a segment. Few under an interpreter and in tests, which have to cover more than one.
const SEGMENT: usize = if cfg!(any(test, miri)) { 8 } else { 1024 };

/// A segmented vector. Growth moves no element except those of the first segment; a plain vector of
/// a million elements is moved as a whole. All segments but the last are full, and none is empty.
/// The field that is read most is at the beginning.
#[repr(C)]
pub(crate) struct SegmentedVec<T> {
    len: usize,
    segments: Vec<Vec<T>>,
}

impl<T> Default for SegmentedVec<T> {
    fn default() -> SegmentedVec<T> {
        SegmentedVec {
            len: 0,
            segments: Vec::new(),
        }
    }
}

impl<T> SegmentedVec<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        self.segments.get(place / SEGMENT)?.get(place % SEGMENT)
    }

    pub(crate) fn push(&mut self, one: T) {
        if self.len.is_multiple_of(SEGMENT) {
            // The first segment grows as needed: most lists are short.
            let room = if self.len == 0 { 0 } else { SEGMENT };
            self.segments.push(Vec::with_capacity(room));
        }
        self.len += 1;
        self.segments[(self.len - 1) / SEGMENT].push(one);
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        let last = self.segments.last_mut()?;
        let one = last.pop();
        self.len -= 1;
        if last.is_empty() {
            self.segments.pop();
        }
        one
    }

    /// Removes and returns an element; the last element takes its place.
    ///
    /// # Panics
    ///
    /// There is no such index.
    pub(crate) fn swap_remove(&mut self, place: usize) -> T {
        match self.pop() {
            Some(last) if place == self.len => last,
            Some(last) => std::mem::replace(&mut self[place], last),
            None => panic!("place {place} of none"),
        }
    }

    /// Keeps the elements for which `keep` returns true, in their order. `keep` may change them.
    pub(crate) fn retain_mut(&mut self, keep: impl FnMut(&mut T) -> bool) {
        let mut all: Vec<T> = std::mem::take(&mut self.segments)
            .into_iter()
            .flatten()
            .collect();
        self.len = 0;
        all.retain_mut(keep);
        all.into_iter().for_each(|one| self.push(one));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.segments.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.segments.iter_mut().flatten()
    }
}

impl<T> Index<usize> for SegmentedVec<T> {
    type Output = T;
    #[inline]
    fn index(&self, place: usize) -> &T {
        &self.segments[place / SEGMENT][place % SEGMENT]
    }
}

impl<T> IndexMut<usize> for SegmentedVec<T> {
    #[inline]
    fn index_mut(&mut self, place: usize) -> &mut T {
        &mut self.segments[place / SEGMENT][place % SEGMENT]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It behaves as a vector after all operations.
    #[test]
    fn it_is_a_vector() {
        let (mut segments, mut vector) = (SegmentedVec::default(), Vec::new());
        for number in 0..5 * SEGMENT {
            segments.push(number);
            vector.push(number);
        }
        for round in 0..4 * SEGMENT {
            let place = round * 7 % vector.len();
            assert_eq!(segments.swap_remove(place), vector.swap_remove(place));
            assert!(segments.iter().eq(&vector) && segments.len() == vector.len());
        }
        segments.iter_mut().for_each(|one| *one *= 3);
        vector.iter_mut().for_each(|one| *one *= 3);
        segments.retain_mut(|one| *one % 2 == 0);
        vector.retain_mut(|one| *one % 2 == 0);
        assert!(segments.iter().eq(&vector) && segments.len() == vector.len());
        assert!((0..vector.len()).all(|place| segments[place] == vector[place]));
        assert_eq!(segments.get(vector.len()), None);
        while !vector.is_empty() {
            assert_eq!(segments.swap_remove(0), vector.swap_remove(0));
        }
        assert!(segments.segments.is_empty());
    }

    #[test]
    #[should_panic(expected = "place 3 of none")]
    fn nothing_is_removed_from_an_empty_vector() {
        SegmentedVec::<u8>::default().swap_remove(3);
    }
}
