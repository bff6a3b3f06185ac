//! Binary trees in many actors: short-lived objects, a message a tree.
//!
//! Protocol: `trees'` of the Orca paper with the sizes of the peers: 16 actors send themselves 40
//! messages each, one after the other, and make, count and drop a tree of depth 14 at each.
//!
//! Timed: from the making of the first actor to the last one's answer. An operation is a node.

use super::tree::{build, nodes};
use super::with_collections;
use crate::prelude::*;
use crate::workloads;
use vivant::prelude::*;

pub(in crate::workloads) const TREES2: Bench = Bench::new(
    Group::Graphs,
    "trees2",
    "binary trees in the heaps of many actors",
    &[
        Param::count("actors", 16, 2, "actors"),
        Param::count("trees", 40, 3, "trees of each actor"),
        Param::count("depth", 14, 5, "depth of a tree"),
    ],
    run,
)
.peer_ops(16 * 40 * 32_767);

#[derive(Actor)]
struct GroveState<'gc> {
    depth: u64,
    sum: u64,
    done: Option<Resolver<u64>>,
    brand: std::marker::PhantomData<Gc<'gc, u64>>,
}

#[behaviours]
impl<'gc> GroveState<'gc> {
    #[start]
    fn new(depth: u64) -> Self {
        GroveState {
            depth,
            sum: 0,
            done: None,
            brand: std::marker::PhantomData,
        }
    }

    /// Answers with the nodes of all trees.
    fn begin(&mut self, t: &Turn<'gc, Grove>, trees: u64) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        t.send(t.me().grow(trees));
        promise
    }

    fn grow(&mut self, t: &Turn<'gc, Grove>, left: u64) {
        self.sum += build(**t, self.depth).count();
        if left > 1 {
            t.send(t.me().grow(left - 1));
        } else if let Some(done) = self.done.take() {
            done.resolve(self.sum);
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (actors, trees, depth) = (run.count("actors"), run.count("trees"), run.count("depth"));
    let system = run.system();
    let meter = Meter::start();
    let groves: Vec<_> = (0..actors).map(|_| Grove::spawn(&system, depth)).collect();
    let sums: Vec<_> = groves
        .iter()
        .map(|grove| grove.begin(trees).ask())
        .collect();
    let sum = workloads::sum(&system, sums)?;
    let spent = meter.stop();
    let expected = actors * trees * nodes(depth);
    let check = run.check("nodes counted", expected, sum)?;
    let figures = Figures::new(spent, expected, check);
    Ok(vec![with_collections(figures, &system)])
}
