//! The expected live objects: objects are numbers, and refer to numbers.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use vivant_heap::Leaf;

/// The number of drops of each object, by its number.
type Ended = Arc<Mutex<Vec<u32>>>;

/// The number of an object, which counts its drop.
pub(crate) struct Noted {
    pub(crate) number: usize,
    ended: Ended,
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.ended.lock().unwrap()[self.number] += 1;
    }
}

/// All objects ever allocated.
#[derive(Default)]
pub(crate) struct Model {
    /// By number: the references of each object.
    edges: Vec<Vec<usize>>,
    ended: Ended,
}

impl Model {
    /// Adds an object that refers to these.
    pub(crate) fn adds(&mut self, edges: Vec<usize>) -> Leaf<Noted> {
        let number = self.edges.len();
        self.edges.push(edges);
        let ended = self.ended.clone();
        ended.lock().unwrap().push(0);
        Leaf(Noted { number, ended })
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
