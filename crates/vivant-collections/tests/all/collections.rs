//! The heap's collections compared with those of `std`: random operations, under stress, with
//! elements of many kinds.

mod kinds;
mod maps;
mod ordered;
mod panics;
mod sequences;
mod text;
mod weak_map;

use crate::random_programs::{pacing, unless_refused, with_seeds};
use fastrand::Rng;
use kinds::assert_all_ended;
use std::sync::Arc;
use vivant_heap::{Heap, Mutator, PageSource, Root};

/// A collection of the heap and one of `std`, side by side.
trait Pair {
    type State: Root;
    /// Applies a random operation to both.
    fn operate<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        state: &mut <Self::State as Root>::Of<'gc>,
        random: &mut Rng,
    );
    /// Panics if they differ.
    fn compare<'gc>(&self, state: &<Self::State as Root>::Of<'gc>);
}

/// The number of turns, and the number of operations in each.
struct Effort {
    turns: usize,
    operations: usize,
}

const EFFORT: Effort = match cfg!(miri) {
    true => Effort {
        turns: 5,
        operations: 6,
    },
    false => Effort {
        turns: 80,
        operations: 30,
    },
};

/// Runs one pair under stress. An operation that fails for lack of memory has changed nothing.
fn run<P: Pair>(
    mut pair: P,
    seed: u64,
    new: impl for<'gc> FnOnce(&Mutator<'gc>) -> <P::State as Root>::Of<'gc>,
) {
    let mut random = Rng::with_seed(seed);
    let source = Arc::new(PageSource::new());
    let pacing = pacing(&mut random, seed);
    let mut heap = Heap::<P::State>::new(&source, pacing, new);
    for _ in 0..EFFORT.turns {
        heap.turn(|m, state| {
            for _ in 0..random.usize(..EFFORT.operations) {
                unless_refused(|| pair.operate(m, state, &mut random));
            }
            pair.compare(state);
        });
        match random.usize(..10) {
            0 => heap.collect(),
            1 => heap.sweep(),
            2 | 3 => heap.collect_young(),
            4 => heap.return_nursery(),
            _ => heap.pace(),
        }
        heap.turn(|_, state| pair.compare(state));
    }
    heap.collect();
    heap.sweep();
    heap.turn(|_, state| pair.compare(state));
    drop(heap);
    assert_eq!(source.stats().pages, 0);
    assert_all_ended();
}
