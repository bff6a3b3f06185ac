//! Trees without anything in them.

use vivant_heap::{Gc, Heap, Mutator, Object, Pacing, Root, Source};

/// Nodes of a tree.
pub(super) fn size(depth: u64) -> u64 {
    (1 << (depth + 1)) - 1
}

/// A node in a heap.
#[derive(Object)]
pub(super) struct Tree<'gc> {
    left: Option<Gc<'gc, Tree<'gc>>>,
    right: Option<Gc<'gc, Tree<'gc>>>,
}

impl<'gc> Tree<'gc> {
    /// From the bottom up.
    pub(super) fn make(m: &Mutator<'gc>, depth: u64) -> Gc<'gc, Tree<'gc>> {
        let mut tree = Tree {
            left: None,
            right: None,
        };
        if depth > 0 {
            tree.left = Some(Tree::make(m, depth - 1));
            tree.right = Some(Tree::make(m, depth - 1));
        }
        m.alloc(tree)
    }

    pub(super) fn nodes(&self) -> u64 {
        match (&self.left, &self.right) {
            (Some(left), Some(right)) => 1 + left.nodes() + right.nodes(),
            _ => 1,
        }
    }
}

/// A heap with a tree, or none yet.
pub(super) struct Forest;

impl Root for Forest {
    type Of<'gc> = Option<Gc<'gc, Tree<'gc>>>;
}

pub(super) fn forest() -> Heap<Forest> {
    Heap::new(&Source::new().into(), Pacing::default(), |_| None)
}

/// A node in a `Box`.
pub(super) struct Boxed {
    left: Option<Box<Boxed>>,
    right: Option<Box<Boxed>>,
}

impl Boxed {
    pub(super) fn make(depth: u64) -> Box<Boxed> {
        let mut tree = Boxed {
            left: None,
            right: None,
        };
        if depth > 0 {
            tree.left = Some(Boxed::make(depth - 1));
            tree.right = Some(Boxed::make(depth - 1));
        }
        Box::new(tree)
    }

    pub(super) fn nodes(&self) -> u64 {
        match (&self.left, &self.right) {
            (Some(left), Some(right)) => 1 + left.nodes() + right.nodes(),
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_all_their_nodes() {
        for depth in [0, 1, 5] {
            let nodes = forest().turn(|m, _| Tree::make(m, depth).nodes());
            assert_eq!(
                (nodes, Boxed::make(depth).nodes()),
                (size(depth), size(depth))
            );
        }
    }
}
