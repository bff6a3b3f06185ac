//! [`Tree`]: the full leaves of a vector, and the nodes above them.

use crate::val::checks::Checks;
use crate::val::copy::{self, BITS, WIDTH};
use vivant_heap::{Fault, Frozen, Mutator, Object, Val};

/// A leaf: exactly this number of elements.
pub(crate) type Leaf<'gc, T> = Val<'gc, [T; WIDTH]>;

/// A node and all below it. All paths from it down to leaves are equally long. That length is its
/// height, which the number of leaves determines ([`height`]).
#[derive(Object)]
pub(crate) enum Tree<'gc, T> {
    /// A node above leaves: of height zero.
    Low(Val<'gc, [Leaf<'gc, T>]>),
    /// A node above nodes.
    High(Val<'gc, [Tree<'gc, T>]>),
}

impl<T> Clone for Tree<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Tree<'_, T> {}

/// The height of a tree of this number of leaves: the least possible (J1).
#[inline]
pub(super) fn height(leaves: usize) -> u32 {
    (leaves.saturating_sub(1) | 1).ilog2() / BITS
}

/// The slot of a node of this height that leads to a leaf.
#[inline]
pub(super) fn slot(leaf: usize, height: u32) -> usize {
    (leaf >> (BITS * height)) % WIDTH
}

impl<'gc, T> Tree<'gc, T> {
    /// The elements of an existing leaf.
    #[inline]
    pub(super) fn leaf(self, number: usize, height: u32) -> &'gc [T] {
        let (mut tree, mut height) = (self, height);
        loop {
            match tree {
                Tree::Low(leaves) => return &Val::as_ref(leaves[slot(number, 0)])[..],
                Tree::High(trees) => {
                    tree = trees[slot(number, height)];
                    height -= 1;
                }
            }
        }
    }

    pub(super) fn ptr_eq(self, other: Self) -> bool {
        match (self, other) {
            (Tree::Low(one), Tree::Low(other)) => Val::ptr_eq(one, other),
            (Tree::High(one), Tree::High(other)) => Val::ptr_eq(one, other),
            _ => false,
        }
    }

    /// Checks that it is the tree of this number of leaves (J1).
    pub(super) fn check(self, leaves: usize, checks: Checks<'_>) -> Result<(), Fault> {
        self.check_at(leaves, height(leaves), checks).map(drop)
    }

    fn check_at(self, leaves: usize, height: u32, checks: Checks<'_>) -> Result<usize, Fault> {
        let place = [height.into(), leaves as u64, 0];
        checks.of(self.address(), place, || {
            self.examine(leaves, height, checks)?;
            Ok(leaves)
        })
    }

    fn address(self) -> usize {
        match self {
            Tree::Low(leaves) => leaves.as_ptr().addr(),
            Tree::High(trees) => trees.as_ptr().addr(),
        }
    }

    fn examine(self, leaves: usize, height: u32, checks: Checks<'_>) -> Result<(), Fault> {
        let fault = |what| Fault::new("J1", what, self.address());
        let each = 1 << (BITS * height);
        let slots = match self {
            Tree::Low(leaves) => leaves.len(),
            Tree::High(trees) => trees.len(),
        };
        if slots != leaves.div_ceil(each) {
            return Err(fault("a node has more or fewer slots than its leaves need"));
        }
        match (self, height) {
            (Tree::Low(_), 0) => Ok(()),
            (Tree::High(trees), 1..) => trees.iter().enumerate().try_for_each(|(at, tree)| {
                let below = (leaves - at * each).min(each);
                tree.check_at(below, height - 1, checks).map(drop)
            }),
            _ => Err(fault("a way to a leaf has another length")),
        }
    }
}

impl<'gc, T: Frozen<'gc> + Clone> Tree<'gc, T> {
    /// Replaces an element: copies its leaf, and the nodes on the path to it.
    pub(super) fn set(self, m: &Mutator<'gc>, index: usize, height: u32, value: T) -> Self {
        let leaf = index / WIDTH;
        match self {
            Tree::Low(leaves) => {
                let at = slot(leaf, 0);
                let mut elements = (*leaves[at]).clone();
                elements[index % WIDTH] = value;
                Tree::Low(m.val_slice(copy::replaced(&leaves, at, m.val(elements))))
            }
            Tree::High(trees) => {
                let at = slot(leaf, height);
                let below = trees[at].set(m, index, height - 1, value);
                Tree::High(m.val_slice(copy::replaced(&trees, at, below)))
            }
        }
    }
}
