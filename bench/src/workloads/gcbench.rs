//! GCBench of J. Ellis, P. Kovac and H. Boehm: the numbers and depths of its trees, and the trees
//! in a collected heap.

use super::graphs;
use vivant_heap::{Gc, Mut, Mutator, Object};

/// The smallest of the trees that do not stay.
pub(super) const LEAST_DEPTH: u64 = 4;

/// Length of the array, of which the first half is filled.
const ARRAY: usize = 500_000;

/// Nodes of a tree.
pub(super) fn size(depth: u64) -> u64 {
    graphs::nodes(depth)
}

/// The number of trees of a depth, of each kind.
pub(super) fn iterations(stretch: u64, depth: u64) -> u64 {
    2 * size(stretch) / size(depth)
}

/// Depths, and the number of trees of each, of either kind.
pub(super) fn rounds(stretch: u64) -> impl Iterator<Item = (u64, u64)> {
    let goals = (LEAST_DEPTH..=stretch - 2).step_by(2);
    goals.map(move |goal| (goal, iterations(stretch, goal)))
}

/// The depths of all temporary trees and the nodes of the lasting one; and the nodes of the former.
pub(super) fn expected(stretch: u64) -> (u64, u64) {
    let (mut sum, mut made) = (stretch + size(stretch - 2), size(stretch));
    for (goal, trees) in rounds(stretch) {
        sum += 2 * trees * goal;
        made += 2 * trees * size(goal);
    }
    (sum, made)
}

pub(super) fn array() -> Vec<f64> {
    let mut array = vec![0.0; ARRAY];
    for (at, place) in array.iter_mut().enumerate().take(ARRAY / 2).skip(1) {
        *place = 1.0 / at as f64;
    }
    array
}

/// A node in a heap; as from the top down it is there before its children.
#[derive(Object, Default)]
pub(super) struct Node<'gc> {
    left: Option<Tree<'gc>>,
    right: Option<Tree<'gc>>,
    /// Two numbers of every node, which are never set.
    i: i32,
    j: i32,
}

pub(super) type Tree<'gc> = Gc<'gc, Mut<Node<'gc>>>;

pub(super) fn leaf<'gc>(m: &Mutator<'gc>) -> Tree<'gc> {
    m.alloc(Mut::new(Node::default()))
}

/// From the top down.
pub(super) fn populate<'gc>(m: &Mutator<'gc>, depth: u64, tree: Tree<'gc>) {
    if depth > 0 {
        let (left, right) = (leaf(m), leaf(m));
        let mut node = tree.borrow_mut(m);
        (node.left, node.right) = (Some(left), Some(right));
        drop(node);
        populate(m, depth - 1, left);
        populate(m, depth - 1, right);
    }
}

/// From the bottom up.
pub(super) fn make<'gc>(m: &Mutator<'gc>, depth: u64) -> Tree<'gc> {
    let mut node = Node::default();
    if depth > 0 {
        node.left = Some(make(m, depth - 1));
        node.right = Some(make(m, depth - 1));
    }
    m.alloc(Mut::new(node))
}

/// How far it is to the end, always to the left.
pub(super) fn depth(tree: Tree<'_>) -> u64 {
    tree.borrow().left.map_or(0, |left| 1 + depth(left))
}

pub(super) fn nodes(tree: Tree<'_>) -> u64 {
    let node = tree.borrow();
    let children = [node.left, node.right];
    1 + (node.i + node.j) as u64 + children.into_iter().flatten().map(nodes).sum::<u64>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn iterations_are_those_of_the_original() {
        let counts: Vec<_> = super::rounds(18).map(|(_, trees)| trees).collect();
        assert_eq!(counts, [33_824, 8_256, 2_052, 512, 128, 32, 8]);
    }
}
