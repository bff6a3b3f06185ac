//! Binary trees in one actor: making, counting and dropping of short-lived objects beside a tree
//! that stays.
//!
//! Protocol: binary trees of the Benchmarks Game, depth 18, as in the peers' programs. A tree of
//! depth 19 is made and dropped; one of depth 18 stays. Then for the depths 4, 6 … 18 so many
//! trees that each depth makes as many nodes, each counted and dropped. A tree is a step, so the
//! collector may run after each; with `steps=one`, all is one turn, in which nothing can be
//! collected.
//!
//! Timed: from the request to its answer. An operation is a node.

use super::tree::{LEAST_DEPTH, Tree, all_nodes, build, rounds, trees};
use super::with_collections;
use crate::prelude::*;
use vivant::prelude::*;

pub(in crate::workloads) const TREES: Bench = Bench::new(
    Group::Graphs,
    "trees",
    "binary trees in the heap of one actor",
    &[
        Param::count("depth", 18, 6, "depth of the tree that stays"),
        Param::choice(
            "steps",
            &["many", "one"],
            "a step for each tree, or one for all",
        ),
    ],
    run,
)
.peer_ops(68_332_206);

#[derive(Actor)]
struct WoodState<'gc> {
    stays: Option<Gc<'gc, Tree<'gc>>>,
}

#[behaviours]
impl<'gc> WoodState<'gc> {
    #[start]
    fn new() -> Self {
        WoodState { stays: None }
    }

    /// Goes on from tree `number` of this depth; counts all nodes.
    fn grow(
        &mut self,
        t: &Turn<'gc, Wood>,
        deepest: u64,
        depth: u64,
        number: u64,
        sum: u64,
    ) -> Step<(u64, u64, u64, u64), u64> {
        let Some(stays) = self.stays else {
            let sum = build(**t, deepest + 1).count();
            self.stays = Some(build(**t, deepest));
            return Step::Again((deepest, depth, 0, sum));
        };
        if depth > deepest {
            return Step::Done(sum + stays.count());
        }
        let sum = sum + build(**t, depth).count();
        if number + 1 < trees(depth, deepest) {
            Step::Again((deepest, depth, number + 1, sum))
        } else {
            Step::Again((deepest, depth + 2, 0, sum))
        }
    }

    fn grow_at_once(&mut self, t: &Turn<'gc, Wood>, deepest: u64) -> u64 {
        let mut sum = build(**t, deepest + 1).count();
        let stays = build(**t, deepest);
        for (depth, trees) in rounds(deepest) {
            for _ in 0..trees {
                sum += build(**t, depth).count();
            }
        }
        sum + stays.count()
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let depth = run.count("depth");
    let system = run.system();
    let wood = Wood::spawn(&system);
    let meter = Meter::start();
    let counted = match run.choice("steps") {
        "one" => wood.grow_at_once(depth).ask_blocking()?,
        _ => wood.grow(depth, LEAST_DEPTH, 0, 0).ask_blocking()?,
    };
    let spent = meter.stop();
    let check = run.check("nodes counted", all_nodes(depth), counted)?;
    let figures = Figures::new(spent, all_nodes(depth), check);
    Ok(vec![with_collections(figures, &system)])
}
