//! A tree of actors that grows by chance, level by level, and is then traversed: an irregular tree
//! of parents and children.
//!
//! Protocol: unbalanced cobwebbed tree of Savina, with its sizes. A node works, and asks the root
//! whether it may have children. As long as the tree has fewer than 200,000 nodes the root decides
//! by chance, and the node makes ten children, which do the same. The first request that would
//! exceed this size begins the traversal: each node does the work that was drawn at its making, and
//! ends.
//!
//! Timed: from the root's start to its answer. An operation is a node.

use super::random::work;
use super::{Random, snapshot_point};
use crate::prelude::*;
use vivant::Saved;
use vivant::prelude::*;

pub(in super::super) const UCT: Bench = Bench::new(
    Group::Savina,
    "uct",
    "a tree of actors that grows by chance",
    &[
        Param::count("nodes", 200_000, 300, "the limit of the tree's size").at_least(101),
        Param::count("children", 10, 10, "children of a node that has any").at_least(2),
        Param::count("work", 500, 50, "the mean of a node's work"),
        Param::count(
            "deviation",
            100,
            10,
            "the standard deviation of a node's work",
        ),
    ],
    run,
)
.saved::<(Root, Node)>();

/// The work of a node before it asks for children.
const REQUEST_WORK: u64 = 100;

/// The size of a tree, and the chance that it grows by.
#[derive(Saved)]
struct Growth {
    random: Random,
    size: u64,
    limit: u64,
    children: u64,
    work: u64,
    deviation: u64,
}

/// The decision about one more family.
#[derive(PartialEq, Eq, Debug)]
enum Decision {
    /// The children's work.
    Children(u64),
    Childless,
    /// The tree has its size.
    Full,
}

impl Growth {
    fn of(run: &Run) -> Growth {
        Growth {
            random: Random::seeded(Random::SEED),
            size: 1,
            limit: run.count("nodes"),
            children: run.count("children"),
            work: run.count("work"),
            deviation: run.count("deviation"),
        }
    }

    /// Children of the root: without any chance.
    fn family(&mut self) -> u64 {
        self.size += self.children;
        self.normal()
    }

    fn decide(&mut self) -> Decision {
        if self.size + self.children > self.limit {
            Decision::Full
        } else if self.random.coin() {
            Decision::Children(self.family())
        } else {
            Decision::Childless
        }
    }

    /// Normally distributed, but for rare values: the sum of twelve uniform ones.
    fn normal(&mut self) -> u64 {
        let sum: u64 = (0..12).map(|_| self.random.draw()).sum();
        let deviation = (sum as f64 / 65_536.0 - 6.0) * self.deviation as f64;
        (self.work as f64 + deviation).max(0.0) as u64
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Root {
    growth: Growth,
    children: Vec<Address<Node>>,
    /// Nodes of which the request has not come yet.
    undecided: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Root {
    /// Grows the tree and traverses it; answers with the number of nodes that were traversed, the
    /// root included.
    fn grow(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        let work = self.growth.family();
        self.undecided = self.growth.children;
        self.children = family(t, &t.me(), self.growth.children, work);
        snapshot_point(t);
        promise
    }

    fn may_have_children(&mut self, t: &Turn<Self>, node: Address<Node>) {
        self.undecided -= 1;
        let decision = self.growth.decide();
        if let Decision::Children(work) = decision {
            self.undecided += self.growth.children;
            t.send(node.have_children(self.growth.children, work));
        }
        // A tree may have died out before it has its size.
        if decision == Decision::Full || self.undecided == 0 {
            self.traverse_once(t);
        }
    }

    #[local]
    fn traverse_once(&mut self, t: &Turn<Self>) {
        if let Some(done) = self.done.take() {
            // A node's children were sent to it before this, so the traversal reaches them.
            let children = self.children.drain(..);
            t.all(children.map(|child| t.ask(child.traverse())))
                .then_send(t.me().traversed(done));
        }
    }

    #[then]
    fn traversed(&mut self, nodes: Result<Vec<u64>, AskError>, done: Resolver<u64>) {
        done.resolve(with_parent(nodes));
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Node {
    root: Address<Root>,
    work: u64,
    children: Vec<Address<Node>>,
}

#[behaviours]
impl Node {
    fn request_children(&mut self, t: &Turn<Self>) {
        work(REQUEST_WORK);
        t.send(self.root.may_have_children(t.me()));
    }

    fn have_children(&mut self, t: &Turn<Self>, count: u64, work: u64) {
        self.children = family(t, &self.root, count, work);
    }

    /// Answers with the number of nodes in this part of the tree, when all have been traversed.
    fn traverse(&mut self, t: &Turn<Self>) -> Promise<u64> {
        work(self.work);
        if self.children.is_empty() {
            t.stop();
            return Promise::ready(1);
        }
        let children = self.children.drain(..);
        t.all(children.map(|child| t.ask(child.traverse())))
            .then(t.me().traversed())
    }

    #[then]
    fn traversed(&mut self, t: &Turn<Self>, nodes: Result<Vec<u64>, AskError>) -> u64 {
        t.stop();
        with_parent(nodes)
    }
}

/// Makes children; each requests children of its own.
fn family<A: Actor>(
    t: &Turn<A>,
    root: &Address<Root>,
    count: u64,
    work: u64,
) -> Vec<Address<Node>> {
    let node = |_| {
        let node = t.spawn_actor(Node {
            root: root.clone(),
            work,
            children: Vec::new(),
        });
        t.send(node.request_children());
        node
    };
    (0..count).map(node).collect()
}

/// The number of a node and of all below it. The check sees what is missing.
fn with_parent(below: Result<Vec<u64>, AskError>) -> u64 {
    1 + below.unwrap_or_default().iter().sum::<u64>()
}

/// The size that the tree will have.
fn size(run: &Run) -> u64 {
    let mut growth = Growth::of(run);
    growth.family();
    let mut undecided = growth.children;
    while undecided > 0 {
        undecided -= 1;
        match growth.decide() {
            Decision::Children(_) => undecided += growth.children,
            Decision::Childless => {}
            Decision::Full => break,
        }
    }
    growth.size
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let size = size(run);
    let system = run.system();
    let root = system.spawn(Root {
        growth: Growth::of(run),
        children: Vec::new(),
        undecided: 0,
        done: None,
    });
    let meter = Meter::start();
    let traversed = root.grow().ask_blocking()?;
    let spent = meter.stop();
    run.row(spent, size, ("nodes of the tree", size, traversed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::savina::{defaults, with};

    #[test]
    fn the_size_is_savinas() {
        assert_eq!(size(&defaults(&UCT)), 199_991);
    }

    #[test]
    fn the_work_has_its_mean_and_deviation() {
        let mut growth = Growth::of(&defaults(&UCT));
        let works: Vec<f64> = (0..5_000).map(|_| growth.normal() as f64).collect();
        let mean = works.iter().sum::<f64>() / 5_000.0;
        let variance = works.iter().map(|work| (work - mean).powi(2)).sum::<f64>() / 5_000.0;
        assert!((490.0..510.0).contains(&mean), "{mean}");
        assert!((90.0..110.0).contains(&variance.sqrt()), "{variance}");
    }

    #[test]
    fn a_tree_that_dies_out_is_traversed_too() {
        let binary = with(&UCT, &[("children", 2)]);
        assert_eq!(size(&binary), 313);
        assert!(UCT.run(&binary).is_ok());
    }
}
