//! Iterators over [`Vec`](super::vec::Vec) and [`VecDeque`](super::deque::VecDeque).

use super::radix::Radix;
use std::fmt;
use std::iter::{Flatten, FusedIterator};
use std::ops::Range;
use vivant_heap::{Mutator, Object};

/// The elements, one slice for each chunk.
pub struct Chunks<'a, 'gc, T: Object<'gc>> {
    tree: &'a Radix<'gc, T>,
    left: Range<usize>,
}

impl<'a, 'gc, T: Object<'gc>> Chunks<'a, 'gc, T> {
    pub(super) fn new(tree: &'a Radix<'gc, T>) -> Self {
        Chunks {
            tree,
            left: 0..tree.len(),
        }
    }
}

impl<'a, 'gc, T: Object<'gc>> Iterator for Chunks<'a, 'gc, T> {
    type Item = &'a [T];

    fn next(&mut self) -> Option<&'a [T]> {
        if self.left.is_empty() {
            return None;
        }
        let (_, run) = self.tree.run(self.left.clone());
        self.left.start += run.len();
        // SAFETY: elements of a collection that is borrowed for `'a`.
        Some(unsafe { run.as_ref() })
    }
}

impl<'a, 'gc, T: Object<'gc>> DoubleEndedIterator for Chunks<'a, 'gc, T> {
    fn next_back(&mut self) -> Option<&'a [T]> {
        if self.left.is_empty() {
            return None;
        }
        let (_, run) = self.tree.run_back(self.left.clone());
        self.left.end -= run.len();
        // SAFETY: elements of a collection that is borrowed for `'a`.
        Some(unsafe { run.as_ref() })
    }
}

impl<'gc, T: Object<'gc>> FusedIterator for Chunks<'_, 'gc, T> {}

/// The elements, one slice for each chunk, for writing. Each chunk passes the write barrier when
/// the iterator reaches it.
pub struct ChunksMut<'a, 'gc, T: Object<'gc>> {
    tree: &'a mut Radix<'gc, T>,
    mutator: &'a Mutator<'gc>,
    left: Range<usize>,
}

impl<'a, 'gc, T: Object<'gc>> ChunksMut<'a, 'gc, T> {
    pub(super) fn new(tree: &'a mut Radix<'gc, T>, mutator: &'a Mutator<'gc>) -> Self {
        let left = 0..tree.len();
        ChunksMut {
            tree,
            mutator,
            left,
        }
    }
}

impl<'a, 'gc, T: Object<'gc>> Iterator for ChunksMut<'a, 'gc, T> {
    type Item = &'a mut [T];

    fn next(&mut self) -> Option<&'a mut [T]> {
        if self.left.is_empty() {
            return None;
        }
        let (chunk, mut run) = self.tree.run(self.left.clone());
        chunk.touch(self.mutator);
        self.left.start += run.len();
        // SAFETY: elements of a collection that is borrowed exclusively for `'a`, each lent once;
        // the chunk has passed the barrier.
        Some(unsafe { run.as_mut() })
    }
}

impl<'a, 'gc, T: Object<'gc>> DoubleEndedIterator for ChunksMut<'a, 'gc, T> {
    fn next_back(&mut self) -> Option<&'a mut [T]> {
        if self.left.is_empty() {
            return None;
        }
        let (chunk, mut run) = self.tree.run_back(self.left.clone());
        chunk.touch(self.mutator);
        self.left.end -= run.len();
        // SAFETY: elements of a collection that is borrowed exclusively for `'a`, each lent once;
        // the chunk has passed the barrier.
        Some(unsafe { run.as_mut() })
    }
}

impl<'gc, T: Object<'gc>> FusedIterator for ChunksMut<'_, 'gc, T> {}

/// The elements.
pub struct Iter<'a, 'gc, T: Object<'gc>> {
    flat: Flatten<Chunks<'a, 'gc, T>>,
    left: usize,
}

/// The elements, for writing.
pub struct IterMut<'a, 'gc, T: Object<'gc>> {
    flat: Flatten<ChunksMut<'a, 'gc, T>>,
    left: usize,
}

impl<'a, 'gc, T: Object<'gc>> Iter<'a, 'gc, T> {
    pub(super) fn new(tree: &'a Radix<'gc, T>) -> Self {
        Iter {
            flat: Chunks::new(tree).flatten(),
            left: tree.len(),
        }
    }
}

impl<'a, 'gc, T: Object<'gc>> IterMut<'a, 'gc, T> {
    pub(super) fn new(tree: &'a mut Radix<'gc, T>, mutator: &'a Mutator<'gc>) -> Self {
        let left = tree.len();
        IterMut {
            flat: ChunksMut::new(tree, mutator).flatten(),
            left,
        }
    }
}

/// The common part of both: they differ in their items only.
macro_rules! counted {
    ($iter:ident, $chunks:ident, $item:ty) => {
        impl<'a, 'gc, T: Object<'gc>> Iterator for $iter<'a, 'gc, T> {
            type Item = $item;
            #[inline]
            fn next(&mut self) -> Option<$item> {
                let next = self.flat.next()?;
                self.left -= 1;
                Some(next)
            }
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.left, Some(self.left))
            }
            fn fold<B, F: FnMut(B, $item) -> B>(self, first: B, each: F) -> B {
                self.flat.fold(first, each)
            }
        }

        impl<'a, 'gc, T: Object<'gc>> DoubleEndedIterator for $iter<'a, 'gc, T> {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                let next = self.flat.next_back()?;
                self.left -= 1;
                Some(next)
            }
        }

        impl<'gc, T: Object<'gc>> ExactSizeIterator for $iter<'_, 'gc, T> {}
        impl<'gc, T: Object<'gc>> FusedIterator for $iter<'_, 'gc, T> {}

        impl<'gc, T: Object<'gc>> fmt::Debug for $iter<'_, 'gc, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($iter))
                    .field("left", &self.left)
                    .finish_non_exhaustive()
            }
        }

        impl<'gc, T: Object<'gc>> fmt::Debug for $chunks<'_, 'gc, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($chunks))
                    .field("left", &self.left)
                    .finish_non_exhaustive()
            }
        }
    };
}

counted!(Iter, Chunks, &'a T);
counted!(IterMut, ChunksMut, &'a mut T);
