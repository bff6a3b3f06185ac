//! Trees that live long and trees that do not, in the heap of one actor.
//!
//! Protocol: GCBench of J. Ellis, P. Kovac and H. Boehm, with its own sizes, as `gcbench_single`
//! has it for counted pointers: a tree of depth 18 that is dropped, one of depth 16 and an array
//! of 500,000 numbers that stay, and for the depths 4, 6 … 16 trees that are made from the top down
//! (each node is written after it was made) and from the bottom up. A tree is a step.
//!
//! Timed: from the request to its answer. An operation is a node.

use super::super::gcbench::{
    LEAST_DEPTH, Tree, array, depth, expected, iterations, leaf, make, nodes, populate, size,
};
use super::with_collections;
use crate::prelude::*;
use vivant::prelude::*;

pub(in crate::workloads) const GCBENCH: Bench = Bench::new(
    Group::Graphs,
    "gcbench",
    "GCBench in the heap of one actor",
    &[Param::count("depth", 18, 8, "depth of the first tree")],
    run,
);

#[derive(Actor)]
struct WorkState<'gc> {
    stays: Option<Tree<'gc>>,
    array: Vec<f64>,
}

#[behaviours]
impl<'gc> WorkState<'gc> {
    #[start]
    fn new() -> Self {
        WorkState {
            stays: None,
            array: Vec::new(),
        }
    }

    /// The depths of all temporary trees, and the number of nodes of the lasting tree.
    fn go(
        &mut self,
        t: &Turn<'gc, Work>,
        stretch: u64,
        goal: u64,
        number: u64,
        sum: u64,
    ) -> Step<(u64, u64, u64, u64), u64> {
        let Some(stays) = self.stays else {
            let sum = depth(make(t, stretch));
            let stays = leaf(t);
            populate(t, stretch - 2, stays);
            self.stays = Some(stays);
            self.array = array();
            return Step::Again((stretch, goal, 0, sum));
        };
        if goal > stretch - 2 {
            return Step::Done(sum + nodes(stays));
        }
        let of_each = iterations(stretch, goal);
        let tree = if number < of_each {
            let tree = leaf(t);
            populate(t, goal, tree);
            tree
        } else {
            make(t, goal)
        };
        let sum = sum + depth(tree);
        if number + 1 < 2 * of_each {
            Step::Again((stretch, goal, number + 1, sum))
        } else {
            Step::Again((stretch, goal + 2, 0, sum))
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let stretch = run.count("depth");
    let system = run.system();
    let work = Work::spawn(&system);
    let meter = Meter::start();
    let got = work.go(stretch, LEAST_DEPTH, 0, 0).ask_blocking()?;
    let spent = meter.stop();
    let (sum, made) = expected(stretch);
    let check = run.check("depths and nodes", sum, got)?;
    let figures = Figures::new(spent, made + size(stretch - 2), check);
    Ok(vec![with_collections(figures, &system)])
}
