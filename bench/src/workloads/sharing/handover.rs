//! Two actors hand a graph to each other: the cost of a hand-over by the size of the graph.
//!
//! Protocol: our own. Binary trees of 1, 100, 10,000 … nodes go between two actors. `moved`: the
//! tree is a region (`Iso`), and the message takes it along. `copied`: it has one owner for each
//! node, and each message takes a deep copy of it, as actor platforms do that separate their actors
//! by copies (Karmani, Shali and Agha, *Actor frameworks for the JVM platform*, 2009, figure 9).
//! Each receiver counts the hand-over in the root. `Iso` shows its claim if the times of `moved` do
//! not depend on the number of nodes.
//!
//! Timed: from the first hand-over to the last, by the receivers, so that no thread need wake for
//! it. The trees are made before, and each is used in all rounds. Sizes and kinds take turns, in
//! both orders. A row is the median round; an operation is a hand-over. `relative_time` is relative
//! to the smallest tree of the same kind. Copies of large trees are handed over less often: a round
//! copies about as many nodes of each size, with two hand-overs at least.

use crate::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use vivant::heap::{Iso, Mutator, PageSource};
use vivant::prelude::*;

pub(in crate::workloads) const HANDOVER: Bench = Bench::new(
    Group::Sharing,
    "handover",
    "two actors hand a graph to each other, moved or copied, by its size",
    &[
        Param::count("nodes", 1_000_000, 100, "nodes of the largest graph"),
        Param::count("hops", 10_000, 20, "hand-overs of a graph in a round").at_least(2),
        Param::count("rounds", 21, 2, "rounds, of which the median counts"),
    ],
    run,
);

/// The next size has so many times as many nodes.
const STEP: u64 = 100;

/// Hand-overs of a copied graph of this many nodes are as many as those of a moved one.
const COPIED_OFTEN: u64 = 10;

/// A graph that goes between actors.
trait Graph: Send + Sized + 'static {
    fn grow(source: &Arc<PageSource>, nodes: u64) -> Self;
    /// Counts a hand-over in the root.
    fn arrive(&mut self);
    /// The graph that goes into a message.
    fn leave(self) -> Self;
    /// The hand-overs, and the number of nodes.
    fn counts(&mut self) -> (u64, u64);
    /// Hand-overs in a round, of `hops` that the run wants.
    fn hops(hops: u64, nodes: u64) -> u64;
}

/// The numbers of nodes of both parts of a tree.
fn parts(nodes: u64) -> [u64; 2] {
    let left = (nodes - 1) / 2;
    [left, nodes - 1 - left]
}

#[derive(Object)]
struct Node<'gc> {
    visits: u64,
    parts: [Option<Gc<'gc, Mut<Node<'gc>>>>; 2],
}

type Moved = Iso<Gc<'static, Mut<Node<'static>>>>;

fn node<'r>(r: &Mutator<'r>, nodes: u64) -> Gc<'r, Mut<Node<'r>>> {
    let part = |nodes| (nodes > 0).then(|| node(r, nodes));
    let parts = parts(nodes).map(part);
    r.alloc(Mut::new(Node { visits: 0, parts }))
}

fn count<'r>(node: Gc<'r, Mut<Node<'r>>>) -> u64 {
    let parts = node.borrow().parts;
    1 + parts.into_iter().flatten().map(|it| count(it)).sum::<u64>()
}

impl Graph for Moved {
    fn grow(source: &Arc<PageSource>, nodes: u64) -> Self {
        Iso::new(source, |r| node(r, nodes))
    }

    fn arrive(&mut self) {
        self.open(|r, root| root.borrow_mut(r).visits += 1);
    }

    fn leave(self) -> Self {
        self
    }

    fn counts(&mut self) -> (u64, u64) {
        self.open(|_, root| (root.borrow().visits, count(*root)))
    }

    fn hops(hops: u64, _: u64) -> u64 {
        hops
    }
}

#[derive(Clone)]
struct Copied {
    visits: u64,
    parts: [Option<Box<Copied>>; 2],
}

impl Copied {
    fn new(nodes: u64) -> Copied {
        let part = |nodes| (nodes > 0).then(|| Box::new(Copied::new(nodes)));
        let parts = parts(nodes).map(part);
        Copied { visits: 0, parts }
    }

    fn count(&self) -> u64 {
        let parts = self.parts.iter().flatten();
        1 + parts.map(|it| it.count()).sum::<u64>()
    }
}

impl Graph for Box<Copied> {
    fn grow(_: &Arc<PageSource>, nodes: u64) -> Self {
        Box::new(Copied::new(nodes))
    }

    fn arrive(&mut self) {
        self.visits += 1;
    }

    fn leave(self) -> Self {
        self.clone()
    }

    fn counts(&mut self) -> (u64, u64) {
        (self.visits, self.count())
    }

    fn hops(hops: u64, nodes: u64) -> u64 {
        (hops * COPIED_OFTEN / nodes).clamp(2, hops)
    }
}

#[derive(Actor)]
struct Place<G: Graph> {
    peer: Option<Address<Place<G>>>,
    done: Sender<(G, Duration)>,
}

#[behaviours]
impl<G: Graph> Place<G> {
    fn stand(&mut self, peer: Address<Place<G>>) {
        self.peer = Some(peer);
    }

    fn begin(&mut self, t: &Turn<Self>, graph: G, hops: u64) {
        self.pass(t, graph, hops, Instant::now());
    }

    fn take(&mut self, t: &Turn<Self>, mut graph: G, left: u64, began: Instant) {
        graph.arrive();
        self.pass(t, graph, left, began);
    }

    #[local]
    fn pass(&mut self, t: &Turn<Self>, graph: G, left: u64, began: Instant) {
        match &self.peer {
            Some(peer) if left > 0 => t.send(peer.take(graph.leave(), left - 1, began)),
            // The receiver is gone only after the bench has failed.
            _ => drop(self.done.send((graph, began.elapsed()))),
        }
    }
}

/// Runs rounds, and gives the row: two actors and the graph between them.
trait Pair {
    fn round(&mut self) -> Result<(), Failure>;
    fn end(self: Box<Self>, run: &Run) -> Result<Figures, Failure>;
}

struct Between<G: Graph> {
    kind: &'static str,
    nodes: u64,
    hops: u64,
    first: Address<Place<G>>,
    ended: Receiver<(G, Duration)>,
    graph: Option<G>,
    spent: Vec<Spent>,
}

impl<G: Graph> Between<G> {
    fn new(
        run: &Run,
        system: &System,
        source: &Arc<PageSource>,
        (kind, nodes): (&'static str, u64),
    ) -> Result<Self, Failure> {
        let (done, ended) = mpsc::channel();
        let place = || {
            system.spawn(Place::<G> {
                peer: None,
                done: done.clone(),
            })
        };
        let (first, second) = (place(), place());
        first.stand(second.clone()).ask_blocking()?;
        second.stand(first.clone()).ask_blocking()?;
        Ok(Between {
            kind,
            nodes,
            hops: G::hops(run.count("hops"), nodes),
            first,
            ended,
            graph: Some(G::grow(source, nodes)),
            spent: Vec::new(),
        })
    }
}

impl<G: Graph> Pair for Between<G> {
    fn round(&mut self) -> Result<(), Failure> {
        if let Some(graph) = self.graph.take() {
            let meter = Meter::start();
            self.first.begin(graph, self.hops).send();
            // None came if the actors have failed: then the row has no graph.
            if let Ok((graph, wall)) = self.ended.recv() {
                self.graph = Some(graph);
                let cpu = meter.stop().cpu;
                self.spent.push(Spent { wall, cpu });
            }
        }
        Ok(())
    }

    fn end(mut self: Box<Self>, run: &Run) -> Result<Figures, Failure> {
        let (visits, nodes) = self.graph.as_mut().map_or((0, 0), Graph::counts);
        let expected = run.count("rounds") * self.hops;
        let check = run.check("hand-overs that the graph has seen", expected, visits)?;
        run.check("nodes of the graph", self.nodes, nodes)?;
        self.spent.sort_by_key(|spent| spent.wall);
        let median = self.spent.swap_remove(self.spent.len() / 2);
        let mut figures = Figures::new(median, self.hops, check);
        figures.params = vec![
            ("kind", Value::Choice(self.kind)),
            ("nodes", Value::Count(self.nodes)),
        ];
        Ok(figures)
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (system, source) = (run.system(), Arc::new(PageSource::new()));
    let most = run.count("nodes");
    let sizes = std::iter::successors(Some(1), |nodes| Some(nodes * STEP));
    let mut pairs: Vec<Box<dyn Pair>> = Vec::new();
    for nodes in sizes.take_while(|nodes| *nodes < most).chain([most]) {
        let moved = Between::<Moved>::new(run, &system, &source, ("moved", nodes))?;
        let copied = Between::<Box<Copied>>::new(run, &system, &source, ("copied", nodes))?;
        pairs.push(Box::new(moved));
        pairs.push(Box::new(copied));
    }
    for round in 0..run.count("rounds") {
        match round % 2 {
            0 => pairs.iter_mut().try_for_each(|pair| pair.round())?,
            _ => pairs.iter_mut().rev().try_for_each(|pair| pair.round())?,
        }
    }
    let mut rows = Vec::new();
    for pair in pairs {
        rows.push(pair.end(run)?);
    }
    // The first two rows are those of the smallest graph, by kind.
    let base = |at: usize| rows.get(at).map(|it| (it.spent, it.ops));
    let bases = [base(0), base(1)];
    for (at, row) in rows.iter_mut().enumerate() {
        if let Some((spent, ops)) = bases[at % 2] {
            let of = |spent: Spent, ops: u64| spent.wall.as_secs_f64() / ops as f64;
            row.add("relative_time", of(row.spent, row.ops) / of(spent, ops));
        }
    }
    Ok(rows)
}
