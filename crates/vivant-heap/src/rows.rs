//! [`Rows`]: a segmented vector, which grows segment by segment and is indexed.

use std::ops::{Index, IndexMut};

/// Elements of a segment. Few under an interpreter and in tests, which have to cover more than one.
const ROW: usize = if cfg!(any(test, miri)) { 8 } else { 1024 };

/// A segmented vector. Growth moves no element except those of the first segment; a plain vector of
/// a million elements is moved as a whole. All segments but the last are full, and none is empty.
/// The field that is read most is at the beginning.
#[repr(C)]
pub(crate) struct Rows<T> {
    len: usize,
    rows: Vec<Vec<T>>,
}

impl<T> Default for Rows<T> {
    fn default() -> Rows<T> {
        Rows {
            len: 0,
            rows: Vec::new(),
        }
    }
}

impl<T> Rows<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        self.rows.get(place / ROW)?.get(place % ROW)
    }

    pub(crate) fn push(&mut self, one: T) {
        if self.len.is_multiple_of(ROW) {
            // The first segment grows as needed: most lists are short.
            let room = if self.len == 0 { 0 } else { ROW };
            self.rows.push(Vec::with_capacity(room));
        }
        self.len += 1;
        self.rows[(self.len - 1) / ROW].push(one);
    }

    fn pop(&mut self) -> Option<T> {
        let last = self.rows.last_mut()?;
        let one = last.pop();
        self.len -= 1;
        if last.is_empty() {
            self.rows.pop();
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
        let mut all: Vec<T> = std::mem::take(&mut self.rows)
            .into_iter()
            .flatten()
            .collect();
        self.len = 0;
        all.retain_mut(keep);
        all.into_iter().for_each(|one| self.push(one));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.rows.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.rows.iter_mut().flatten()
    }
}

impl<T> Index<usize> for Rows<T> {
    type Output = T;
    #[inline]
    fn index(&self, place: usize) -> &T {
        &self.rows[place / ROW][place % ROW]
    }
}

impl<T> IndexMut<usize> for Rows<T> {
    #[inline]
    fn index_mut(&mut self, place: usize) -> &mut T {
        &mut self.rows[place / ROW][place % ROW]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It behaves as a vector after all operations.
    #[test]
    fn it_is_a_vector() {
        let (mut rows, mut vector) = (Rows::default(), Vec::new());
        for number in 0..5 * ROW {
            rows.push(number);
            vector.push(number);
        }
        for round in 0..4 * ROW {
            let place = round * 7 % vector.len();
            assert_eq!(rows.swap_remove(place), vector.swap_remove(place));
            assert!(rows.iter().eq(&vector) && rows.len() == vector.len());
        }
        rows.iter_mut().for_each(|one| *one *= 3);
        vector.iter_mut().for_each(|one| *one *= 3);
        rows.retain_mut(|one| *one % 2 == 0);
        vector.retain_mut(|one| *one % 2 == 0);
        assert!(rows.iter().eq(&vector) && rows.len() == vector.len());
        assert!((0..vector.len()).all(|place| rows[place] == vector[place]));
        assert_eq!(rows.get(vector.len()), None);
        while !vector.is_empty() {
            assert_eq!(rows.swap_remove(0), vector.swap_remove(0));
        }
        assert!(rows.rows.is_empty());
    }

    #[test]
    #[should_panic(expected = "place 3 of none")]
    fn nothing_is_taken_out_of_none() {
        Rows::<u8>::default().swap_remove(3);
    }
}
