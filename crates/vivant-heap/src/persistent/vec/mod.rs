//! [`Vec`]: a sequence, of which each version stays.

mod iter;
mod spine;
mod tree;

pub use iter::Iter;

use super::copy::{self, WIDTH};
use crate::types::{Frozen, Val};
use crate::verify::Fault;
use crate::{Mutator, Object};
use spine::Spine;
use std::fmt;
use std::ops::Index;
use tree::{Leaf, Tree, height};

/// A sequence that never changes: a radix tree of leaves of 32 elements, and a tail of those that do not fill one. Six words, `Copy`.
///
/// | operation | costs | allocates |
/// |---|---|---|
/// | [`get`](Vec::get), [`iter`](Vec::iter) for each leaf | `O(log₃₂ n)` | nothing |
/// | [`push`](Vec::push), [`pop`](Vec::pop) | copies the tail; each 32nd time a path | the tail; a path |
/// | [`set`](Vec::set), [`truncate`](Vec::truncate) | copies a path | a node for each level: four in a million elements |
/// | [`from_iter`](Vec::from_iter), [`extend`](Vec::extend) by `k` | `O(k + log n)` | each new leaf and node once |
///
/// Elements are cloned into copies of leaves: refer by [`Val`] to what is large.
///
/// ```
/// use vivant_heap::{Mutator, val};
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
#[object(crate = crate)]
pub struct Vec<'gc, T> {
    len: usize,
    /// All full leaves.
    tree: Option<Tree<'gc, T>>,
    /// Fewer elements than a leaf has.
    tail: Option<Val<'gc, [T]>>,
}

impl<T> Clone for Vec<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Vec<'_, T> {}

impl<'gc, T> Vec<'gc, T> {
    /// An empty one. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Vec {
            len: 0,
            tree: None,
            tail: None,
        }
    }

    /// How many elements there are.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// How many leaves the tree has.
    fn leaves(self) -> usize {
        self.len / WIDTH
    }

    fn tail(self) -> &'gc [T] {
        self.tail.map_or(&[], Val::as_ref)
    }

    /// The elements of a leaf, or of the tail, which is behind the last one.
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

    /// Looks at every node: J1.
    ///
    /// # Errors
    ///
    /// A rule is broken: a defect of this crate.
    pub fn verify(self) -> Result<(), Fault> {
        if self.tail().len() != self.len % WIDTH {
            return Err(Fault {
                rule: "J1",
                what: "the tail has another length than the vector says",
                address: self.tail().as_ptr().addr(),
                from: None,
            });
        }
        match self.tree {
            Some(tree) => tree.verify(self.leaves()),
            None if self.leaves() == 0 => Ok(()),
            None => Err(Fault {
                rule: "J1",
                what: "there are no leaves",
                address: 0,
                from: None,
            }),
        }
    }
}

impl<'gc, T: Frozen<'gc>> Vec<'gc, T> {
    /// Of what an iterator gives, which may allocate too. Costs each leaf and node once.
    ///
    /// # Panics
    ///
    /// There is no memory; so all that update.
    #[must_use]
    pub fn from_iter(m: &Mutator<'gc>, values: impl IntoIterator<Item = T>) -> Self {
        Self::grown(m, Spine::new(), (0, std::vec::Vec::new()), values)
    }

    /// What a spine of so many elements becomes, with those that do not fill a leaf, and others.
    fn grown(
        m: &Mutator<'gc>,
        mut spine: Spine<'gc, T>,
        (mut len, mut tail): (usize, std::vec::Vec<T>),
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        tail.reserve_exact(WIDTH - tail.len());
        for value in values {
            tail.push(value);
            len += 1;
            if tail.len() == WIDTH {
                let full = std::mem::replace(&mut tail, std::vec::Vec::with_capacity(WIDTH));
                spine.push(m, leaf(m, full));
            }
        }
        Vec {
            len,
            tree: spine.close(m),
            tail: (!tail.is_empty()).then(|| m.val_slice(tail)),
        }
    }
}

/// A full leaf.
fn leaf<'gc, T: Frozen<'gc>>(m: &Mutator<'gc>, elements: std::vec::Vec<T>) -> Leaf<'gc, T> {
    match <[T; WIDTH]>::try_from(elements) {
        Ok(elements) => m.val(elements),
        Err(_) => unreachable!("a leaf is full"),
    }
}

impl<'gc, T: Frozen<'gc> + Clone> Vec<'gc, T> {
    /// With one more element at the end.
    #[must_use]
    pub fn push(self, m: &Mutator<'gc>, value: T) -> Self {
        let tail = copy::with(self.tail(), self.tail().len(), value);
        let len = self.len + 1;
        if tail.len() < WIDTH {
            let tail = Some(m.val_slice(tail));
            return Vec { len, tail, ..self };
        }
        let mut spine = Spine::open(self.tree, self.leaves(), self.leaves());
        spine.push(m, leaf(m, tail));
        Vec {
            len,
            tree: spine.close(m),
            tail: None,
        }
    }

    /// With more elements at the end, which the iterator may allocate.
    #[must_use]
    pub fn extend(self, m: &Mutator<'gc>, values: impl IntoIterator<Item = T>) -> Self {
        let spine = Spine::open(self.tree, self.leaves(), self.leaves());
        Self::grown(m, spine, (self.len, self.tail().to_vec()), values)
    }

    /// The last element, and the others.
    #[must_use]
    pub fn pop(self, m: &Mutator<'gc>) -> Option<(&'gc T, Self)> {
        let last = self.last()?;
        Some((last, self.truncate(m, self.len - 1)))
    }

    /// The first `len` elements; all, if there are no more.
    #[must_use]
    pub fn truncate(self, m: &Mutator<'gc>, len: usize) -> Self {
        if len >= self.len {
            return self;
        }
        let (leaves, rest) = (len / WIDTH, len % WIDTH);
        let tree = match leaves == self.leaves() {
            true => self.tree,
            false => Spine::open(self.tree, self.leaves(), leaves).close(m),
        };
        let rest = &self.leaf(leaves)[..rest];
        let tail = (!rest.is_empty()).then(|| m.val_slice(rest));
        Vec { len, tree, tail }
    }

    /// With another element in the place of one.
    ///
    /// # Panics
    ///
    /// There is no such place, or no memory.
    #[must_use]
    #[track_caller]
    pub fn set(self, m: &Mutator<'gc>, index: usize, value: T) -> Self {
        let len = self.len;
        assert!(index < len, "set at {index}, of {len} elements");
        let leaves = self.leaves();
        match self.tree {
            Some(tree) if index / WIDTH < leaves => Vec {
                tree: Some(tree.set(m, index, height(leaves), value)),
                ..self
            },
            _ => {
                let tail = copy::replaced(self.tail(), index % WIDTH, value);
                let tail = Some(m.val_slice(tail));
                Vec { tail, ..self }
            }
        }
    }
}

impl<T> Default for Vec<'_, T> {
    fn default() -> Self {
        Vec::new()
    }
}

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
    /// Costs nothing where both are one version.
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
