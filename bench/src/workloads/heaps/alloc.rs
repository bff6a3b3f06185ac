//! Objects of two words that are read once and dropped.
//!
//! The heap makes 5,000 in a turn: they fit into the nursery, which is warm; what is due is
//! collected after each turn. `Box` makes and drops one after the other.
//!
//! Timed: everything. An operation is an object.

use super::sides::{self, BOX, BOX_MIMALLOC, HEAP, Outcome, ROUNDS, SIDE, Work};
use crate::prelude::*;
use std::hint::black_box;
use vivant_heap::{Heap, Pacing, PageSource};

pub(in crate::workloads) const HEAP_ALLOC: Bench = Bench::new(
    Group::Heaps,
    "heap_alloc",
    "objects of two words, made and dropped, in a heap and with `Box`",
    &[
        Param::count("objects", 100_000_000, 10_000, "objects").at_least(TURN),
        ROUNDS,
        SIDE,
    ],
    |run| {
        let objects = run.count("objects") / TURN * TURN;
        let sum = objects / TURN * (TURN * (TURN - 1) / 2);
        sides::compare(
            run,
            &HEAP_ALLOC,
            WORKS,
            ("sum over the objects", sum),
            objects,
        )
    },
)
.child(|run| sides::print(run, WORKS));

const WORKS: &[(&str, Work)] = &[(HEAP, heap), (BOX, boxed), (BOX_MIMALLOC, boxed)];

/// Objects of a turn.
const TURN: u64 = 5_000;

// Nothing stays.
root!(Nothing = ());

fn heap(run: &Run) -> Outcome {
    let turns = run.count("objects") / TURN;
    sides::timed(|pauses| {
        let mut heap = Heap::<Nothing>::new(&PageSource::new().into(), Pacing::default(), |_| ());
        let mut sum = 0;
        for _ in 0..turns {
            sum += heap.turn(|m, ()| {
                let objects = 0..TURN;
                objects.fold(0, |sum, value| sum + black_box(m.alloc((value, value))).0)
            });
            pauses.pace(&mut heap);
        }
        sum
    })
}

fn boxed(run: &Run) -> Outcome {
    let turns = run.count("objects") / TURN;
    sides::timed(|_| {
        let mut sum = 0;
        for _ in 0..turns {
            let objects = 0..TURN;
            sum += objects.fold(0, |sum, value| sum + black_box(Box::new((value, value))).0);
        }
        sum
    })
}
