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

/// A tree of this depth: a single node has depth 0. The mutator comes by value, so that it is in a
/// register all the way down.
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

/// The number of its nodes.
pub(in crate::workloads) fn nodes(depth: u64) -> u64 {
    (1 << (depth + 1)) - 1
}

/// The smallest of the trees that do not stay.
pub(super) const LEAST_DEPTH: u64 = 4;

/// The number of trees of a depth.
pub(super) fn trees(depth: u64, deepest: u64) -> u64 {
    1 << (deepest - depth + LEAST_DEPTH)
}

/// Depths, and the number of trees of each.
pub(in crate::workloads) fn rounds(deepest: u64) -> impl Iterator<Item = (u64, u64)> {
    let depths = (LEAST_DEPTH..=deepest).step_by(2);
    depths.map(move |depth| (depth, trees(depth, deepest)))
}

/// The number of nodes of all trees, including the first tree and the lasting one.
pub(in crate::workloads) fn all_nodes(deepest: u64) -> u64 {
    let short_lived = rounds(deepest).map(|(depth, trees)| trees * nodes(depth));
    nodes(deepest + 1) + nodes(deepest) + short_lived.sum::<u64>()
}
