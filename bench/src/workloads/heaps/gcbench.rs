//! Trees that live long and trees that do not: the program of `gcbench_single`, with one owner for
//! each node.
//!
//! Protocol: GCBench of J. Ellis, P. Kovac and H. Boehm. A tree of depth 18 is made and dropped;
//! a tree of depth 16 and an array of 500,000 numbers stay. Then, for the depths 4, 6 … 16, so many
//! trees that all depths make about as many nodes: half of them from the top down, half from the
//! bottom up. The heap makes each in a turn of its own.
//!
//! Timed: everything. An operation is a node that does not stay.

use super::super::gcbench::{
    Tree, array, depth as depth_of, expected, leaf, make, nodes, populate, rounds,
};
use super::sides::{self, BOX, BOX_MIMALLOC, HEAP, Outcome, Pauses, ROUNDS, SIDE, Work};
use crate::prelude::*;
use std::hint::black_box;
use vivant_heap::{Heap, Pacing, PageSource};

pub(in crate::workloads) const HEAP_GCBENCH: Bench = Bench::new(
    Group::Heaps,
    "heap_gcbench",
    "trees that live long and trees that do not, in a heap and with `Box`",
    &[
        Param::count("depth", 18, 8, "depth of the largest tree").at_least(6),
        ROUNDS,
        SIDE,
    ],
    |run| {
        let (sum, nodes) = expected(run.count("depth"));
        sides::compare(run, &HEAP_GCBENCH, WORKS, ("depths and nodes", sum), nodes)
    },
)
.child(|run| sides::print(run, WORKS));

const WORKS: &[(&str, Work)] = &[(HEAP, heap), (BOX, boxed), (BOX_MIMALLOC, boxed)];

// A heap with a tree, or none yet.
root!(Park = Option<Tree<'gc>>);

fn heap(run: &Run) -> Outcome {
    let depth = run.count("depth");
    sides::timed(|pauses: &mut Pauses| {
        let mut heap = Heap::<Park>::new(&PageSource::new().into(), Pacing::default(), |_| None);
        let mut sum = heap.turn(|m, _| depth_of(make(m, depth)));
        pauses.pace(&mut heap);
        heap.turn(|m, stays| {
            let tree = leaf(m);
            populate(m, depth - 2, tree);
            *stays = Some(tree);
        });
        pauses.pace(&mut heap);
        let array = array();
        for (goal, trees) in rounds(depth) {
            for _ in 0..trees {
                sum += heap.turn(|m, _| {
                    let tree = leaf(m);
                    populate(m, goal, tree);
                    depth_of(tree)
                });
                pauses.pace(&mut heap);
            }
            for _ in 0..trees {
                sum += heap.turn(|m, _| depth_of(make(m, goal)));
                pauses.pace(&mut heap);
            }
        }
        black_box(array);
        sum + heap.turn(|_, stays| stays.map_or(0, nodes))
    })
}

#[derive(Default)]
struct Boxed {
    left: Option<Box<Boxed>>,
    right: Option<Box<Boxed>>,
    i: i32,
    j: i32,
}

impl Boxed {
    fn populate(&mut self, depth: u64) {
        if depth > 0 {
            let left = self.left.insert(Box::default());
            let right = self.right.insert(Box::default());
            left.populate(depth - 1);
            right.populate(depth - 1);
        }
    }

    fn make(depth: u64) -> Box<Boxed> {
        let mut node = Boxed::default();
        if depth > 0 {
            node.left = Some(Boxed::make(depth - 1));
            node.right = Some(Boxed::make(depth - 1));
        }
        Box::new(node)
    }

    fn depth(&self) -> u64 {
        self.left.as_ref().map_or(0, |left| 1 + left.depth())
    }

    fn nodes(&self) -> u64 {
        let own = 1 + (self.i + self.j) as u64;
        let children = [&self.left, &self.right];
        own + children
            .into_iter()
            .flatten()
            .map(|it| it.nodes())
            .sum::<u64>()
    }
}

fn boxed(run: &Run) -> Outcome {
    let depth = run.count("depth");
    sides::timed(|_| {
        let mut sum = Boxed::make(depth).depth();
        let mut stays = Box::<Boxed>::default();
        stays.populate(depth - 2);
        let array = array();
        for (goal, trees) in rounds(depth) {
            for _ in 0..trees {
                let mut tree = Box::<Boxed>::default();
                tree.populate(goal);
                sum += tree.depth();
            }
            for _ in 0..trees {
                sum += Boxed::make(goal).depth();
            }
        }
        black_box(array);
        sum + stays.nodes()
    })
}
