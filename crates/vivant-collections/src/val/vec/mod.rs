//! [`Vec`]: a persistent vector.

mod iter;
mod spine;
mod tree;
mod update;

pub use iter::Iter;

use super::copy::WIDTH;
use super::version::version;
use crate::val::checks::Checks;
use std::fmt;
use std::ops::Index;
use tree::height;
pub(super) use tree::{Leaf, Tree};
use vivant_heap::{Fault, Object, Val};

/// A persistent vector: a radix tree of leaves of 32 elements, and a tail of the elements that do
/// not fill a leaf. Six words, `Copy`.
///
/// | operation | costs | allocates |
/// |---|---|---|
/// | [`get`](Vec::get), [`iter`](Vec::iter) for each leaf | `O(log₃₂ n)` | nothing |
/// | [`push`](Vec::push), [`pop`](Vec::pop) | copies the tail; each 32nd time a path | the tail; a path |
/// | [`set`](Vec::set), [`truncate`](Vec::truncate) | copies a path | a node for each level: four in a million elements |
/// | [`from_iter`](Vec::from_iter), [`extend`](Vec::extend) by `k` | `O(k + log n)` | each new leaf and node once |
///
/// Elements are cloned into copies of leaves: refer to large values by [`Val`].
///
/// ```
/// use vivant_collections::val;
/// use vivant_heap::Mutator;
///
/// fn squares<'gc>(m: &Mutator<'gc>) -> val::Vec<'gc, u64> {
///     let squares = val::Vec::from_iter(m, (0..1000).map(|number| number * number));
///     let other = squares.set(m, 3, 0).push(m, 1);
///     assert_eq!((squares[3], squares.len()), (9, 1000));
///     assert_eq!((other[3], other.len()), (0, 1001));
///     squares
/// }
/// ```
#[derive(Object)]
pub struct Vec<'gc, T> {
    pub(super) len: usize,
    /// All full leaves.
    pub(super) tree: Option<Tree<'gc, T>>,
    /// The tail: fewer elements than a leaf has.
    pub(super) tail: Option<Val<'gc, [T]>>,
}

impl<'gc, T> Vec<'gc, T> {
    /// An empty vector. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Vec {
            len: 0,
            tree: None,
            tail: None,
        }
    }

    /// The number of leaves of the tree.
    fn leaves(self) -> usize {
        self.len / WIDTH
    }

    fn tail(self) -> &'gc [T] {
        self.tail.map_or(&[], Val::as_ref)
    }

    /// The elements of a leaf, or of the tail, which is behind the last leaf.
    #[inline]
    fn leaf(self, number: usize) -> &'gc [T] {
        let leaves = self.leaves();
        match self.tree {
            Some(tree) if number < leaves => tree.leaf(number, height(leaves)),
            _ => self.tail(),
        }
    }

    /// An element.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<&'gc T> {
        if index >= self.len {
            return None;
        }
        self.leaf(index / WIDTH).get(index % WIDTH)
    }

    /// The first element.
    #[must_use]
    pub fn first(self) -> Option<&'gc T> {
        self.get(0)
    }

    /// The last element.
    #[must_use]
    pub fn last(self) -> Option<&'gc T> {
        self.get(self.len.checked_sub(1)?)
    }

    /// The elements in their order, from either end.
    #[must_use]
    pub fn iter(self) -> Iter<'gc, T> {
        Iter::new(self)
    }

    /// Whether both are one version, or empty. Elements are not compared.
    #[must_use]
    pub fn ptr_eq(self, other: Self) -> bool {
        let tails = match (self.tail, other.tail) {
            (Some(one), Some(other)) => Val::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let trees = match (self.tree, other.tree) {
            (Some(one), Some(other)) => one.ptr_eq(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.len == other.len && tails && trees
    }

    /// Checks the shape of every node.
    ///
    /// # Errors
    ///
    /// A rule is violated, which is a defect of this crate.
    pub fn verify(self) -> Result<(), Fault> {
        self.check(Checks::All)
    }

    pub(super) fn check(self, checks: Checks<'_>) -> Result<(), Fault> {
        if self.tail().len() != self.len % WIDTH {
            return Err(Fault::new(
                "J1",
                "the tail has another length than the vector says",
                self.tail().as_ptr().addr(),
            ));
        }
        match self.tree {
            Some(tree) => tree.check(self.leaves(), checks),
            None if self.leaves() == 0 => Ok(()),
            None => Err(Fault::new("J1", "there are no leaves", 0)),
        }
    }
}

version!([T] Vec, "elements");

impl<T> Index<usize> for Vec<'_, T> {
    type Output = T;
    #[track_caller]
    #[inline]
    fn index(&self, index: usize) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => panic!("index {index}, of {} elements", self.len),
        }
    }
}

impl<'gc, T> IntoIterator for Vec<'gc, T> {
    type Item = &'gc T;
    type IntoIter = Iter<'gc, T>;
    fn into_iter(self) -> Iter<'gc, T> {
        self.iter()
    }
}

impl<T: PartialEq> PartialEq for Vec<'_, T> {
    /// Takes constant time if both are the same version.
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(*other) || (self.len == other.len && self.iter().eq(other.iter()))
    }
}

impl<T: Eq> Eq for Vec<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Vec<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
