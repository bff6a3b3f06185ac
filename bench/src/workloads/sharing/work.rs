//! The programs of the Orca paper that make trees.

use super::super::graphs::{Tree, build, nodes};
use super::programs::Done;
use crate::prelude::*;
use crate::workloads;
use vivant::prelude::*;

/// Makes trees, two a message.
#[derive(Actor)]
struct WorkState<'gc> {
    depth: u64,
    sum: u64,
    kept: Option<Gc<'gc, Tree<'gc>>>,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl<'gc> WorkState<'gc> {
    #[start]
    fn new(depth: u64) -> Self {
        WorkState {
            depth,
            sum: 0,
            kept: None,
            done: None,
        }
    }

    /// Answers with the nodes of all trees.
    fn begin(&mut self, t: &Turn<'gc, Work>, messages: u64) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        t.send(t.me().work(messages));
        promise
    }

    fn work(&mut self, t: &Turn<'gc, Work>, left: u64) {
        for _ in 0..2 {
            self.sum += build(**t, self.depth).count();
        }
        if left > 1 {
            t.send(t.me().work(left - 1));
        } else if let Some(done) = self.done.take() {
            done.resolve(self.sum);
        }
    }

    /// Makes a tree that stays.
    fn keep(&mut self, t: &Turn<'gc, Work>) {
        self.kept = Some(build(**t, self.depth));
    }

    /// Its nodes.
    fn kept(&self) -> u64 {
        self.kept.map_or(0, |tree| tree.count())
    }
}

/// The paper's depth is the number of levels.
fn levels(system: &System, levels: u64) -> Address<Work> {
    Work::spawn(system, levels - 1)
}

/// Messages of a worker for trees of this many levels.
fn messages(levels: u64, most: u64) -> u64 {
    16 << (most - levels)
}

/// Workers for these levels: whether they made as many nodes as they should.
fn work(
    system: &System,
    of: impl Iterator<Item = u64> + Clone,
    most: u64,
) -> Result<Done, Failure> {
    let meter = Meter::start();
    let workers: Vec<_> = of.clone().map(|depth| levels(system, depth)).collect();
    let begin = |(worker, depth): (&Address<Work>, u64)| worker.begin(messages(depth, most)).ask();
    let sums: Vec<_> = workers.iter().zip(of.clone()).map(begin).collect();
    let sum = workloads::sum(system, sums)?;
    let spent = meter.stop();
    let expected = of.map(|depth| 2 * messages(depth, most) * nodes(depth - 1));
    let expected = expected.sum();
    Ok(Done {
        spent,
        ops: expected,
        result: ("nodes counted", expected, sum),
        latency: None,
        _kept: Box::new(workers),
    })
}

/// `trees` of the paper: one temporary tree, a lasting one, and a worker for each depth.
pub(super) fn trees(run: &Run, system: &System) -> Result<Done, Failure> {
    let most = run.count("depth");
    let (stretch, stays) = (levels(system, most + 1), levels(system, most));
    stretch.keep().ask_blocking()?;
    drop(stretch);
    stays.keep().ask_blocking()?;
    let mut done = work(system, (4..=most).step_by(2), most)?;
    run.check(
        "nodes of the tree that stays",
        nodes(most - 1),
        stays.kept().ask_blocking()?,
    )?;
    done._kept = Box::new((done._kept, stays));
    Ok(done)
}

/// `trees'`: 128 workers, with the depths 4, 6 … four less than that of `trees`, again and again.
pub(super) fn trees2(run: &Run, system: &System) -> Result<Done, Failure> {
    let most = run.count("depth") - 4;
    let of = (4..=most).step_by(2).cycle().take(128);
    work(system, of, most)
}
