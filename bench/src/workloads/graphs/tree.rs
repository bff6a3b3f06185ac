//! Binary trees without content, as the Benchmarks Game has them.

use vivant::Gc;
use vivant::heap::{Mutator, Object};

/// A node.
#[derive(Object)]
#[object(crate = vivant::heap)]
pub(in crate::workloads) struct Tree<'gc> {
    left: Option<Gc<'gc, Tree<'gc>>>,
    right: Option<Gc<'gc, Tree<'gc>>>,
}

/// A tree of this depth: a single node has depth 0. The mutator comes by value, so that it is in a register all the way down.
pub(in crate::workloads) fn build<'gc>(m: Mutator<'gc>, depth: u64) -> Gc<'gc, Tree<'gc>> {
    let (mut left, mut right) = (None, None);
    if depth > 0 {
        left = Some(build(m, depth - 1));
        right = Some(build(m, depth - 1));
    }
    m.alloc(Tree { left, right })
}

impl Tree<'_> {
    /// Its nodes, counted one by one.
    pub(in crate::workloads) fn count(&self) -> u64 {
        match (&self.left, &self.right) {
            (Some(left), Some(right)) => 1 + left.count() + right.count(),
            _ => 1,
        }
    }
}

/// How many nodes it has.
pub(in crate::workloads) fn nodes(depth: u64) -> u64 {
    (1 << (depth + 1)) - 1
}
