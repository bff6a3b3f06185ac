//! Workers search one graph together: requests with batches of data, and work that is split while
//! it is done.
//!
//! Protocol: A* of Savina, with its sizes, but without its shared memory. The graph is immutable. A
//! worker searches from a node, breadth first, and returns what is left of its queue after 1,024
//! nodes; the master deals each node of it out as new work. Savina's workers claim a node by a
//! compare-and-swap of its parent; here they request all nodes behind their queue, in one message,
//! from an actor that keeps the parents. The search ends when a worker has claimed the target.
//!
//! Timed: from the master's start to its answer. An operation is a claimed node.

use super::random::work;
use super::snapshot_point;
use crate::prelude::*;
use crate::workloads::savina::grid::Grid;
use std::mem;
use std::sync::Arc;
use vivant::Saved;
use vivant::prelude::*;

pub(in super::super) const ASTAR: Bench = Bench::new(
    Group::Savina,
    "astar",
    "workers search one graph together",
    &[
        Param::count("workers", 20, 4, "workers"),
        Param::count("threshold", 1_024, 20, "nodes that a worker visits at once"),
        Param::count("grid", 30, 8, "nodes along an edge of the cube").at_least(2),
        Param::count("work", 100, 10, "the work of a visit").at_least(0),
    ],
    run,
)
.saved::<(Parents, Worker, Master)>();

/// A node, by its number.
type Node = u32;

/// A node, and the one from which it was reached.
type Claim = (Node, Node);

/// Keeps the parents of all nodes that were reached.
#[derive(Actor)]
#[actor(saved)]
struct Parents {
    of: Vec<Option<Node>>,
}

#[behaviours]
impl Parents {
    /// Answers with the nodes that had no parent yet.
    fn claim(&mut self, claims: Vec<Claim>) -> Vec<Node> {
        let claimed = |(node, from): Claim| {
            let parent = &mut self.of[node as usize];
            parent.is_none().then(|| {
                *parent = Some(from);
                node
            })
        };
        claims.into_iter().filter_map(claimed).collect()
    }

    /// The nodes from here to the origin, which is its own parent, and the number of all nodes that
    /// were reached.
    fn path(&mut self, from: Node) -> (Vec<Node>, u64) {
        let up = |node: &Node| self.of[*node as usize].filter(|parent| parent != node);
        let path = std::iter::successors(Some(from), up).collect();
        (path, self.of.iter().flatten().count() as u64)
    }
}

/// The end of a worker's search.
#[derive(Saved)]
enum Searched {
    /// It has claimed the target.
    Target,
    /// Nodes that it has claimed and not visited.
    Rest(Vec<Node>),
}

#[derive(Actor)]
#[actor(saved)]
struct Worker {
    grid: Arc<Grid>,
    parents: Address<Parents>,
    work: u64,
}

#[behaviours]
impl Worker {
    /// Visits at most `budget` nodes, from those in the queue.
    fn search(&mut self, t: &Turn<Self>, mut queue: Vec<Node>, budget: usize) -> Promise<Searched> {
        let rest = queue.split_off(queue.len().min(budget));
        if queue.is_empty() {
            return Promise::ready(Searched::Rest(rest));
        }
        let budget = budget - queue.len();
        let claims = queue.iter().flat_map(|&node| {
            work(self.work);
            self.grid.beyond(node).iter().map(move |&next| (next, node))
        });
        t.ask(self.parents.claim(claims.collect()))
            .then(t.me().claimed(rest, budget))
    }

    #[then]
    fn claimed(
        &mut self,
        t: &Turn<Self>,
        claimed: Result<Vec<Node>, AskError>,
        mut queue: Vec<Node>,
        budget: usize,
    ) -> Promise<Searched> {
        // The check sees a path that does not reach the target.
        let claimed = claimed.unwrap_or_default();
        if claimed.contains(&self.grid.target()) {
            return Promise::ready(Searched::Target);
        }
        queue.extend(claimed);
        self.search(t, queue, budget)
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Master {
    workers: Vec<Address<Worker>>,
    /// The worker that gets the next node.
    next: usize,
    threshold: usize,
    /// Searches that have not ended.
    open: u64,
    done: Option<Resolver<()>>,
}

#[behaviours]
impl Master {
    /// Answers when the target has been claimed, or nothing is left to search.
    fn find(&mut self, t: &Turn<Self>, from: Node) -> Promise<()> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        self.deal(t, from);
        snapshot_point(t);
        promise
    }

    #[local]
    fn deal(&mut self, t: &Turn<Self>, node: Node) {
        let worker = &self.workers[self.next];
        self.next = (self.next + 1) % self.workers.len();
        self.open += 1;
        t.ask(worker.search(vec![node], self.threshold))
            .then_send(t.me().searched());
    }

    #[then]
    fn searched(&mut self, t: &Turn<Self>, searched: Result<Searched, AskError>) {
        self.open -= 1;
        let mut is_found = false;
        match searched {
            Ok(Searched::Rest(nodes)) if self.done.is_some() => {
                for node in nodes {
                    self.deal(t, node);
                }
            }
            Ok(Searched::Target) => is_found = true,
            Ok(Searched::Rest(_)) | Err(_) => {}
        }
        if (is_found || self.open == 0)
            && let Some(done) = mem::take(&mut self.done)
        {
            done.resolve(());
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let grid = Arc::new(Grid::of(run.count("grid") as Node));
    let system = run.system();
    let mut of = vec![None; grid.nodes()];
    of[Grid::ORIGIN as usize] = Some(Grid::ORIGIN);
    let parents = system.spawn(Parents { of });
    let worker = |_| {
        system.spawn(Worker {
            grid: grid.clone(),
            parents: parents.clone(),
            work: run.count("work"),
        })
    };
    let master = system.spawn(Master {
        workers: (0..run.count("workers")).map(worker).collect(),
        next: 0,
        threshold: run.count("threshold") as usize,
        open: 0,
        done: None,
    });
    let meter = Meter::start();
    master.find(Grid::ORIGIN).ask_blocking()?;
    let spent = meter.stop();
    let (path, reached) = parents.path(grid.target()).ask_blocking()?;
    // Which path was found depends on the schedule, its advance does not.
    let advance = grid.advance(&path).unwrap_or(0);
    let expected = match grid.leads_to_target() {
        true => grid.advance_of_target(),
        false => 0,
    };
    run.row(spent, reached, ("advance of the path", expected, advance))
}
