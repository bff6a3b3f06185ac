//! [`CheckedNodes`]: the nodes of persistent collections that a restore has checked.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

/// What checks have found of the nodes of persistent collections: a context of one restore.
/// Versions share nodes, so a node is loaded once, and would be checked with each version that has
/// it.
pub struct CheckedNodes(RefCell<HashMap<(usize, NodePlace), usize>>);

/// What is known of a node where a reference to it lies. A check that it passes with this may fail
/// with other numbers.
type NodePlace = [u64; 3];

impl CheckedNodes {
    pub(super) fn new() -> CheckedNodes {
        CheckedNodes(RefCell::default())
    }

    /// What the check of a node has found, if it was checked in this place.
    #[must_use]
    pub fn get(&self, node: usize, place: NodePlace) -> Option<usize> {
        self.0.borrow().get(&(node, place)).copied()
    }

    /// The check of a node has found this.
    pub fn insert(&self, node: usize, place: NodePlace, found: usize) {
        self.0.borrow_mut().insert((node, place), found);
    }
}

impl fmt::Debug for CheckedNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} nodes", self.0.borrow().len())
    }
}
