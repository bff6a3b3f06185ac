//! The expected live objects: objects are numbers, and refer to numbers.

use crate::numbered::{Drops, Numbered};
use std::collections::BTreeSet;
use vivant_heap::Leaf;

/// All objects ever allocated.
#[derive(Default)]
pub(crate) struct Model {
    /// By number: the references of each object.
    edges: Vec<Vec<usize>>,
    ended: Drops,
}

impl Model {
    /// Adds an object that refers to these.
    pub(crate) fn adds(&mut self, edges: Vec<usize>) -> Leaf<Numbered> {
        self.edges.push(edges);
        Numbered::next(&self.ended)
    }

    /// Clears the references of an object.
    pub(crate) fn cuts(&mut self, number: usize) {
        self.edges[number].clear();
    }

    /// Asserts that no object reachable from these was dropped, and none was dropped twice.
    pub(crate) fn check(&self, mut queue: Vec<usize>) {
        // A copy: a panic runs destructors, which count.
        let ended = self.ended.lock().unwrap().clone();
        let mut reached = BTreeSet::new();
        while let Some(number) = queue.pop() {
            if reached.insert(number) {
                assert_eq!(ended[number], 0, "{number} has ended, and is reached");
                queue.extend(&self.edges[number]);
            }
        }
        let twice = ended.iter().position(|&times| times > 1);
        assert_eq!(twice, None, "ended twice");
    }

    /// Asserts that each object was dropped once.
    pub(crate) fn check_end(&self) {
        let ended = self.ended.lock().unwrap().clone();
        let other = ended.iter().position(|&times| times != 1);
        assert_eq!(other, None, "has not ended once");
    }
}
