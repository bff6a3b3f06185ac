//! The end of heaps that were made of an image and have no holder.

use crate::gc::detached_heap::DetachedHeap;

/// Marks of each heap. A chain of objects that goes to and fro between two heaps dies by a link or
/// two in a round, and a restore that fails is not to take forever.
const ROUNDS_MAX: u32 = 64;

/// Ends heaps that may count objects of each other. What is left then, others count: it stays for
/// good, and so does what is left after `ROUNDS_MAX` rounds.
pub(super) fn end_together(mut left: Vec<DetachedHeap>) {
    for _ in 0..ROUNDS_MAX {
        let before = left.len();
        let drained = left.into_iter().filter_map(DetachedHeap::drain_all);
        left = drained.collect();
        if left.len() == before && !left.iter().any(DetachedHeap::is_notified) {
            return;
        }
    }
}
