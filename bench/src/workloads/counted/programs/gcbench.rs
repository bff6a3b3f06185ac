//! Trees that live long and trees that do not: allocation and deallocation, and little else.
//!
//! Protocol: GCBench of J. Ellis, P. Kovac and H. Boehm, with its own sizes. A tree of depth 18 is
//! made and dropped; a tree of depth 16 and an array of 500,000 numbers stay. Then, for each of the
//! depths 4, 6 … 16, as many trees that all depths make about as many nodes: half of them from the
//! top down, half from the bottom up. Memory is freed by counts, not by a collector.

use super::Ptr;
use crate::run::Run;
use crate::workloads::gcbench::{array, rounds};

#[derive(Default)]
struct Node {
    left: Option<Ptr<Node>>,
    right: Option<Ptr<Node>>,
    /// Two numbers of every node, which are never set.
    i: i32,
    j: i32,
}

/// From the top down: a node is there before its children.
fn populate(depth: u64, node: &mut Ptr<Node>) {
    if depth > 0 {
        let node = Ptr::get_mut(node).expect("the node is not shared yet");
        let left = node.left.insert(Ptr::new(Node::default()));
        let right = node.right.insert(Ptr::new(Node::default()));
        populate(depth - 1, left);
        populate(depth - 1, right);
    }
}

/// From the bottom up.
fn make(depth: u64) -> Ptr<Node> {
    let mut node = Node::default();
    if depth > 0 {
        node.left = Some(make(depth - 1));
        node.right = Some(make(depth - 1));
    }
    Ptr::new(node)
}

/// How far it is to the end, always to the left.
fn depth(tree: &Node) -> u64 {
    let left = tree.left.as_deref();
    left.map_or(0, |left| 1 + depth(left))
}

fn nodes(tree: &Node) -> u64 {
    let children = [&tree.left, &tree.right];
    let own = 1 + (tree.i + tree.j) as u64;
    own + children
        .into_iter()
        .flatten()
        .map(|it| nodes(it))
        .sum::<u64>()
}

/// The number of lasting nodes, and the depths of all temporary trees.
pub(super) fn run(run: &Run) -> u64 {
    let stretch = run.count("depth");
    let long_lived = stretch - 2;
    let mut sum = depth(&make(stretch));
    let mut stays = Ptr::new(Node::default());
    populate(long_lived, &mut stays);
    let array = array();
    for (goal, trees) in rounds(stretch) {
        for _ in 0..trees {
            let mut tree = Ptr::new(Node::default());
            populate(goal, &mut tree);
            sum += depth(&tree);
        }
        for _ in 0..trees {
            sum += depth(&make(goal));
        }
    }
    assert!(
        (array[1_000] - 0.001_f64).abs() < 1e-12,
        "the array stayed as it was"
    );
    sum + nodes(&stays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_make_the_same_tree() {
        let mut tree = Ptr::new(Node::default());
        populate(5, &mut tree);
        assert_eq!((nodes(&tree), depth(&tree)), (63, 5));
        assert_eq!((nodes(&make(5)), depth(&make(5))), (63, 5));
    }
}
