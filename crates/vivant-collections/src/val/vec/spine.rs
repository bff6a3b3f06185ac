//! [`Spine`]: a tree with its right edge under construction.

use super::tree::{Leaf, Tree, height, slot};
use crate::val::copy::WIDTH;
use vivant_heap::Mutator;

/// The nodes of a tree's right edge, in plain vectors. Leaves are added to it, and each node is
/// allocated once, when it is full or the tree is closed.
pub(super) struct Spine<'gc, T> {
    /// The leaves of the last lowest node.
    low: Vec<Leaf<'gc, T>>,
    /// For each higher level, from the lowest on: the nodes to the left of the edge. At least one
    /// slot of each is free, because the edge needs it.
    high: Vec<Vec<Tree<'gc, T>>>,
}

impl<'gc, T> Spine<'gc, T> {
    pub(super) fn new() -> Self {
        Spine {
            low: Vec::new(),
            high: Vec::new(),
        }
    }

    /// Opens a tree and keeps only its first `kept` leaves.
    pub(super) fn open(tree: Option<Tree<'gc, T>>, leaves: usize, kept: usize) -> Self {
        let mut spine = Spine::new();
        let (Some(mut tree), Some(last)) = (tree, kept.checked_sub(1)) else {
            return spine;
        };
        let mut height = height(leaves);
        loop {
            match tree {
                Tree::Low(leaves) => {
                    spine.low = leaves[..=slot(last, 0)].to_vec();
                    spine.high.reverse();
                    return spine;
                }
                Tree::High(trees) => {
                    let at = slot(last, height);
                    spine.high.push(trees[..at].to_vec());
                    tree = trees[at];
                    height -= 1;
                }
            }
        }
    }
}

impl<'gc, T: vivant_heap::Object<'gc>> Spine<'gc, T> {
    pub(super) fn push(&mut self, m: &Mutator<'gc>, leaf: Leaf<'gc, T>) {
        if self.low.len() == WIDTH {
            let full = std::mem::take(&mut self.low);
            let mut tree = Tree::Low(m.val_slice(full));
            for level in &mut self.high {
                level.push(tree);
                if level.len() < WIDTH {
                    self.low.push(leaf);
                    return;
                }
                tree = Tree::High(m.val_slice(std::mem::take(level)));
            }
            self.high.push(vec![tree]);
        }
        self.low.push(leaf);
    }

    /// The whole tree, with the least possible height.
    pub(super) fn close(self, m: &Mutator<'gc>) -> Option<Tree<'gc, T>> {
        if self.low.is_empty() {
            return None;
        }
        let mut tree = Tree::Low(m.val_slice(self.low));
        let used = self.high.iter().rposition(|level| !level.is_empty());
        for mut level in self.high.into_iter().take(used.map_or(0, |top| top + 1)) {
            level.push(tree);
            tree = Tree::High(m.val_slice(level));
        }
        Some(tree)
    }
}
