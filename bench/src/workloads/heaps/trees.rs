//! Trees that are made, traversed and dropped, beside a tree that stays.
//!
//! Protocol: binary-trees of the Computer Language Benchmarks Game, in the peers' form: one tree of
//! depth n + 1, one of depth n that stays, then for each even depth d from 4 to n as many trees
//! that they have about 2^(n+5) nodes together; all nodes are counted.
//!
//! The heap makes each tree in a turn of its own, and runs due collections between the turns.
//! `heap_one_turn` makes all in one turn, in which nothing can be collected: 24 bytes for each
//! node.
//!
//! Timed: everything. An operation is a node.

use super::sides::{self, BOX, BOX_MIMALLOC, HEAP, Outcome, ROUNDS, SIDE, Work};
use super::tree::{Boxed, forest};
use crate::prelude::*;
use crate::workloads::graphs::{all_nodes, build, rounds};

pub(in crate::workloads) const HEAP_TREES: Bench = Bench::new(
    Group::Heaps,
    "heap_trees",
    "trees that are made and dropped, in a heap and with `Box`",
    &[
        Param::count("depth", 18, 6, "depth of the tree that stays").at_least(4),
        ROUNDS,
        Param::choice(
            SIDE.name,
            &["all", HEAP, ONE_TURN, BOX, BOX_MIMALLOC],
            SIDE.meaning,
        ),
    ],
    |run| {
        let depth = run.count("depth");
        let nodes = all_nodes(depth);
        sides::compare(run, &HEAP_TREES, WORKS, ("nodes", nodes), nodes)
    },
)
.child(|run| sides::print(run, WORKS));

const ONE_TURN: &str = "heap_one_turn";

const WORKS: &[(&str, Work)] = &[
    (HEAP, turns),
    (ONE_TURN, one_turn),
    (BOX, boxed),
    (BOX_MIMALLOC, boxed),
];

/// The clock is looked at for pauses only after trees of this depth or more: for smaller ones that
/// would be part of what is measured.
const TIMED: u64 = 10;

fn turns(run: &Run) -> Outcome {
    let depth = run.count("depth");
    sides::timed(|pauses| {
        let mut heap = forest();
        let mut sum = heap.turn(|m, _| build(*m, depth + 1).count());
        pauses.pace(&mut heap);
        heap.turn(|m, stays| *stays = Some(build(*m, depth)));
        pauses.pace(&mut heap);
        for (depth, trees) in rounds(depth) {
            for _ in 0..trees {
                sum += heap.turn(|m, _| build(*m, depth).count());
                match depth < TIMED {
                    true => heap.pace(),
                    false => pauses.pace(&mut heap),
                }
            }
        }
        sum + heap.turn(|_, stays| stays.map_or(0, |tree| tree.count()))
    })
}

fn one_turn(run: &Run) -> Outcome {
    let depth = run.count("depth");
    sides::timed(|pauses| {
        let mut heap = forest();
        let sum = heap.turn(|m, _| {
            let mut sum = build(*m, depth + 1).count();
            let stays = build(*m, depth);
            for (depth, trees) in rounds(depth) {
                for _ in 0..trees {
                    sum += build(*m, depth).count();
                }
            }
            sum + stays.count()
        });
        pauses.pace(&mut heap);
        sum
    })
}

fn boxed(run: &Run) -> Outcome {
    let depth = run.count("depth");
    sides::timed(|_| {
        let mut sum = Boxed::make(depth + 1).nodes();
        let stays = Boxed::make(depth);
        for (depth, trees) in rounds(depth) {
            for _ in 0..trees {
                sum += Boxed::make(depth).nodes();
            }
        }
        sum + stays.nodes()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_depth_has_about_as_many_nodes() {
        let rounds: Vec<_> = super::rounds(18).collect();
        assert_eq!(
            (rounds.len(), rounds[0], rounds[7]),
            (8, (4, 262_144), (18, 16))
        );
    }
}
