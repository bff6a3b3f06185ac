//! [`Vec`]: a vector in chunks.

use super::iter::{Chunks, ChunksMut, Iter, IterMut};
use super::radix::Radix;
use std::fmt;
use std::ops::Index;
use vivant_heap::{Evacuator, Mutator, Object, Tracer};

/// A vector in the heap: a radix tree of chunks, of at most 128 elements that can have references.
///
/// An access costs one load for each level: none up to one chunk, one up to 128 chunks, two up to
/// 16,384. The first chunk grows as it is filled; after that growth moves no element. Removed
/// elements are returned or dropped; elements in dead chunks are dropped by the collector.
///
/// ```
/// use vivant_collections::gc;
/// use vivant_heap::Mutator;
///
/// fn squares<'gc>(m: &Mutator<'gc>) -> gc::Vec<'gc, u64> {
///     let mut squares = gc::Vec::new();
///     for number in 0..1000 {
///         squares.push(m, number * number);
///     }
///     assert_eq!(squares[3], 9);
///     squares
/// }
/// ```
pub struct Vec<'gc, T> {
    pub(super) tree: Radix<'gc, T>,
}

impl<'gc, T: Object<'gc>> Vec<'gc, T> {
    /// Appends an element.
    ///
    /// # Panics
    ///
    /// There is no memory: the vector is unchanged.
    #[inline]
    pub fn push(&mut self, m: &Mutator<'gc>, value: T) {
        self.tree.push_back(m, value);
    }

    /// Removes the last element and returns it.
    #[inline]
    pub fn pop(&mut self, m: &Mutator<'gc>) -> Option<T> {
        self.tree.pop_back(m)
    }

    /// Inserts an element before another, or at the end: `O(n)`, and writes all chunks behind it.
    ///
    /// # Panics
    ///
    /// `index` is greater than the length; or there is no memory.
    #[track_caller]
    pub fn insert(&mut self, m: &Mutator<'gc>, index: usize, value: T) {
        let len = self.len();
        assert!(index <= len, "insert at {index}, behind the end at {len}");
        self.push(m, value);
        for place in (index..len).rev() {
            self.tree.swap(m, place, place + 1);
        }
    }

    /// Removes an element and returns it: `O(n)`, and writes all chunks behind it.
    /// [`Vec::swap_remove`] costs less.
    pub fn remove(&mut self, m: &Mutator<'gc>, index: usize) -> Option<T> {
        if index >= self.len() {
            return None;
        }
        for place in index + 1..self.len() {
            self.tree.swap(m, place - 1, place);
        }
        self.pop(m)
    }

    /// Removes an element and returns it; the last one takes its place.
    pub fn swap_remove(&mut self, m: &Mutator<'gc>, index: usize) -> Option<T> {
        let last = self.len().checked_sub(1)?;
        self.tree.swap(m, index, last)?;
        self.pop(m)
    }
}

/// The common part of the vector and the queue.
macro_rules! sequence {
    ($name:ident) => {
        impl<T> $name<'_, T> {
            /// An empty collection. Allocates nothing.
            #[must_use]
            pub const fn new() -> Self {
                $name { tree: Radix::new() }
            }

            /// The number of elements.
            #[inline]
            #[must_use]
            pub fn len(&self) -> usize {
                self.tree.len()
            }

            /// Whether it is empty.
            #[inline]
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Removes all elements in constant time: their destructors run when the collector
            /// finds the chunks dead.
            pub fn clear(&mut self) {
                self.tree.clear();
            }
        }

        impl<'gc, T: Object<'gc>> $name<'gc, T> {
            /// Collects the items of an iterator, in their order.
            ///
            /// # Panics
            ///
            /// There is no memory.
            pub fn from_iter(m: &Mutator<'gc>, values: impl IntoIterator<Item = T>) -> Self {
                let mut new = $name::new();
                new.extend(m, values);
                new
            }

            /// Appends elements. The iterator may allocate too.
            ///
            /// # Panics
            ///
            /// There is no memory: the elements that came before were appended.
            pub fn extend(&mut self, m: &Mutator<'gc>, values: impl IntoIterator<Item = T>) {
                let each = |value| self.tree.push_back(m, value);
                values.into_iter().for_each(each);
            }

            /// Shortens it to the first `len` elements; the others are dropped here.
            pub fn truncate(&mut self, m: &Mutator<'gc>, len: usize) {
                while self.len() > len {
                    self.tree.pop_back(m);
                }
            }

            /// An element.
            #[inline]
            #[must_use]
            pub fn get(&self, index: usize) -> Option<&T> {
                let element = self.tree.get(index)?;
                // SAFETY: an element of a collection that is borrowed for as long as the result.
                Some(unsafe { element.as_ref() })
            }

            /// An element, for writing.
            #[inline]
            #[must_use]
            pub fn get_mut(&mut self, m: &Mutator<'gc>, index: usize) -> Option<&mut T> {
                let mut element = self.tree.get_mut(m, index)?;
                // SAFETY: an element of a collection that is borrowed exclusively for as long as
                // the result; its chunk has passed the barrier.
                Some(unsafe { element.as_mut() })
            }

            /// The first element.
            #[must_use]
            pub fn first(&self) -> Option<&T> {
                self.get(0)
            }

            /// The last element.
            #[must_use]
            pub fn last(&self) -> Option<&T> {
                self.get(self.len().checked_sub(1)?)
            }

            /// Replaces an element, and returns the old one; returns `value` if there is no element
            /// at `index`.
            ///
            /// # Errors
            ///
            /// `index` is not less than the length.
            pub fn replace(&mut self, m: &Mutator<'gc>, index: usize, value: T) -> Result<T, T> {
                match self.get_mut(m, index) {
                    Some(element) => Ok(std::mem::replace(element, value)),
                    None => Err(value),
                }
            }

            /// Exchanges two elements.
            ///
            /// # Panics
            ///
            /// One of the two indices is not less than the length.
            #[track_caller]
            pub fn swap(&mut self, m: &Mutator<'gc>, one: usize, other: usize) {
                let len = self.len();
                let swapped = self.tree.swap(m, one, other);
                assert!(
                    swapped.is_some(),
                    "swap of {one} and {other}, of {len} elements"
                );
            }

            /// The elements in their order.
            #[must_use]
            pub fn iter(&self) -> Iter<'_, 'gc, T> {
                Iter::new(&self.tree)
            }

            /// The elements in their order, for writing. Each chunk passes the write barrier when
            /// the iterator reaches it.
            pub fn iter_mut<'a>(&'a mut self, m: &'a Mutator<'gc>) -> IterMut<'a, 'gc, T> {
                IterMut::new(&mut self.tree, m)
            }

            /// The elements in their order, one slice for each chunk.
            #[must_use]
            pub fn chunks(&self) -> Chunks<'_, 'gc, T> {
                Chunks::new(&self.tree)
            }

            /// The elements in their order, one slice for each chunk, for writing.
            pub fn chunks_mut<'a>(&'a mut self, m: &'a Mutator<'gc>) -> ChunksMut<'a, 'gc, T> {
                ChunksMut::new(&mut self.tree, m)
            }

            /// Whether one of the elements equals this.
            #[must_use]
            pub fn contains(&self, value: &T) -> bool
            where
                T: PartialEq,
            {
                self.iter().any(|element| element == value)
            }

            /// Keeps the elements for which `keep` returns true, in their order; the others are
            /// dropped here. If `keep` panics, all elements are still there, in another order.
            pub fn retain(&mut self, m: &Mutator<'gc>, mut keep: impl FnMut(&mut T) -> bool) {
                let mut kept = 0;
                for index in 0..self.len() {
                    let Some(element) = self.get_mut(m, index) else {
                        break;
                    };
                    if keep(element) {
                        if kept != index {
                            self.tree.swap(m, kept, index);
                        }
                        kept += 1;
                    }
                }
                self.truncate(m, kept);
            }
        }

        impl<T> Default for $name<'_, T> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<'gc, T: Object<'gc>> Index<usize> for $name<'gc, T> {
            type Output = T;
            #[track_caller]
            #[inline]
            fn index(&self, index: usize) -> &T {
                match self.get(index) {
                    Some(element) => element,
                    None => crate::gc::vec::missing(index, self.len()),
                }
            }
        }

        impl<'a, 'gc, T: Object<'gc>> IntoIterator for &'a $name<'gc, T> {
            type Item = &'a T;
            type IntoIter = Iter<'a, 'gc, T>;
            fn into_iter(self) -> Iter<'a, 'gc, T> {
                self.iter()
            }
        }

        impl<'gc, T: Object<'gc> + fmt::Debug> fmt::Debug for $name<'gc, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self).finish()
            }
        }

        impl<'gc, T: Object<'gc> + PartialEq> PartialEq for $name<'gc, T> {
            fn eq(&self, other: &Self) -> bool {
                self.len() == other.len() && self.iter().eq(other)
            }
        }

        impl<'gc, T: Object<'gc> + Eq> Eq for $name<'gc, T> {}

        // SAFETY: it consists of the tree.
        unsafe impl<'gc, T: Object<'gc>> Object<'gc> for $name<'gc, T> {
            type Static = $name<'static, T::Static>;
            const NEEDS_TRACE: bool = true;
            fn trace(&self, tracer: &mut Tracer<'_>) {
                self.tree.trace(tracer);
            }
            fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
                self.tree.evacuate(evacuator);
            }
        }
    };
}

pub(super) use sequence;

sequence!(Vec);

#[cold]
#[track_caller]
pub(super) fn missing(index: usize, len: usize) -> ! {
    panic!("there is no element {index}: there are {len}")
}
