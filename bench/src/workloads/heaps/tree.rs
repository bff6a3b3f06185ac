//! Trees without anything in them, in a heap of their own and in `Box`.

use crate::workloads::graphs::Tree;
use vivant_heap::{Gc, Heap, Pacing, PageSource};

// A heap with a tree, or none yet.
root!(pub(super) Forest = Option<Gc<'gc, Tree<'gc>>>);

pub(super) fn forest() -> Heap<Forest> {
    Heap::new(&PageSource::new().into(), Pacing::default(), |_| None)
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
    use crate::workloads::graphs::{build, nodes};

    #[test]
    fn trees_have_all_their_nodes() {
        for depth in [0, 1, 5] {
            let counted = forest().turn(|m, _| build(*m, depth).count());
            assert_eq!(
                (counted, Boxed::make(depth).nodes()),
                (nodes(depth), nodes(depth))
            );
        }
    }
}
