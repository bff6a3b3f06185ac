//! [`VecDeque`]: a queue in chunks.

use super::iter::{Chunks, ChunksMut, Iter, IterMut};
use super::radix::Radix;
use super::vec::sequence;
use std::fmt;
use std::ops::Index;
use vivant_heap::{Evacuator, Mutator, Object, Tracer};

/// A double-ended queue in the heap, in chunks as those of [`Vec`](crate::gc::Vec).
///
/// Links to emptied chunks are removed at once, so a queue has only the chunks that its elements
/// need, however many have passed through it.
///
/// ```
/// use vivant_collections::gc;
/// use vivant_heap::Mutator;
///
/// fn waiting<'gc>(m: &Mutator<'gc>) -> gc::VecDeque<'gc, u64> {
///     let mut queue = gc::VecDeque::new();
///     queue.push_back(m, 2);
///     queue.push_front(m, 1);
///     assert_eq!(queue.pop_front(m), Some(1));
///     queue
/// }
/// ```
pub struct VecDeque<'gc, T> {
    pub(super) tree: Radix<'gc, T>,
}

impl<'gc, T: Object<'gc>> VecDeque<'gc, T> {
    /// Appends an element at the back.
    ///
    /// # Panics
    ///
    /// There is no memory: the queue is unchanged.
    #[inline]
    pub fn push_back(&mut self, m: &Mutator<'gc>, value: T) {
        self.tree.push_back(m, value);
    }

    /// Adds an element at the front.
    ///
    /// # Panics
    ///
    /// There is no memory: the queue is unchanged.
    #[inline]
    pub fn push_front(&mut self, m: &Mutator<'gc>, value: T) {
        self.tree.push_front(m, value);
    }

    /// Removes the last element and returns it.
    #[inline]
    pub fn pop_back(&mut self, m: &Mutator<'gc>) -> Option<T> {
        self.tree.pop_back(m)
    }

    /// Removes the first element and returns it.
    #[inline]
    pub fn pop_front(&mut self, m: &Mutator<'gc>) -> Option<T> {
        self.tree.pop_front(m)
    }

    /// The first element; as [`VecDeque::first`].
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.first()
    }

    /// The last element; as [`VecDeque::last`].
    #[must_use]
    pub fn back(&self) -> Option<&T> {
        self.last()
    }
}

sequence!(VecDeque);
