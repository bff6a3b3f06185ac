//! An old graph with edges that change all the time: the cost of a write to an old object, while
//! the graph is marked and while it is not.
//!
//! Protocol: our own. Each node has four edges, to random nodes. A turn redirects 1,000 edges, each
//! from a random node to a random one, and puts a few fresh nodes, with the same edges, in the
//! places of others, which live as long as an edge leads to them. The numbers of all nodes at the
//! ends of edges must add up to the model's sum.
//!
//! There are two rows: with `marks none` the heap is never marked, with `marks some` about
//! `collections` times while it is timed. `relative_time` is relative to the first.
//!
//! With `snapshots` there is a second row for each, in which so many snapshots are taken from the
//! beginning of the timed part on.
//!
//! Timed: from the first of these turns to the last. The service times are those between the ends
//! of two turns. An operation is a rewrite of an edge.

use super::chance::mixed;
use super::completions::Completions;
use super::snapshotted::{SNAPSHOTS, while_taking};
use super::window::Window;
use crate::prelude::*;
use vivant::codec::Saved;
use vivant::heap::{Leaf, Mutator};
use vivant::prelude::*;
use vivant_heap::Pacing;

pub(in crate::workloads) const REWRITES: Bench = Bench::new(
    Group::Large,
    "rewrites",
    "edges of an old graph that go elsewhere all the time",
    &[
        Param::count("nodes", 1_000_000, 1_000, "nodes, with four edges each"),
        Param::count("turns", 10_000, 400, "turns"),
        Param::count("a_turn", 1_000, 100, "rewrites of a turn"),
        Param::count("fresh", 20, 20, "nodes that are replaced in a turn").at_least(0),
        Param::count("collections", 4, 4, "full collections, about"),
        MARKS,
        SNAPSHOTS,
        PAUSES,
    ],
    run,
);

const MARKS: Param = Param::choice("marks", &["both", "none", "some"], "whether it is marked");

const EDGES: usize = 4;

#[derive(Object, Saved)]
struct Node<'gc> {
    number: u64,
    edges: [Option<Place<'gc>>; EDGES],
}

type Place<'gc> = Gc<'gc, Mut<Node<'gc>>>;

/// Bytes of an old node: a header, a flag, a number and the edges.
const NODE: u64 = 8 + 8 + 8 + 8 * EDGES as u64;

/// How large everything is.
#[derive(Clone, Copy, Saved)]
struct Size {
    nodes: u64,
    turns: u64,
    a_turn: u64,
    fresh: u64,
}

vivant::heap::leaf!([] Size);

/// What happens to a graph.
trait Graph {
    /// The edge now leads to the node in the place `to`.
    fn lead(&mut self, place: u64, edge: usize, to: u64);
    /// A node with this number and the same edges takes the place.
    fn replace(&mut self, place: u64, number: u64);
}

impl Size {
    /// Each edge leads somewhere.
    fn connect(self, graph: &mut impl Graph, places: std::ops::Range<u64>) {
        for place in places {
            for edge in 0..EDGES {
                let to = mixed(place * EDGES as u64 + edge as u64) % self.nodes;
                graph.lead(place, edge, to);
            }
        }
    }

    /// All that happens in the turn of this number.
    fn turn(self, graph: &mut impl Graph, turn: u64) {
        let all = self.a_turn + self.fresh;
        for number in 0..all {
            let chance = mixed((1 << 40) + turn * all + number);
            let place = (chance >> 30) % self.nodes;
            if number < self.a_turn {
                let to = (chance >> 2 & 0xFFF_FFFF) % self.nodes;
                graph.lead(place, (chance & 3) as usize, to);
            } else {
                let number = self.nodes + turn * self.fresh + number - self.a_turn;
                graph.replace(place, number);
            }
        }
    }

    /// The sum of the numbers of all nodes to which edges lead, by a model.
    fn expected(self) -> u64 {
        let mut model = Model {
            numbers: (0..self.nodes).collect(),
            edges: vec![[0; EDGES]; self.nodes as usize],
        };
        self.connect(&mut model, 0..self.nodes);
        (0..self.turns).for_each(|turn| self.turn(&mut model, turn));
        model.edges.iter().flatten().sum()
    }
}

/// Numbers instead of nodes.
struct Model {
    numbers: Vec<u64>,
    edges: Vec<[u64; EDGES]>,
}

impl Graph for Model {
    fn lead(&mut self, place: u64, edge: usize, to: u64) {
        self.edges[place as usize][edge] = self.numbers[to as usize];
    }

    fn replace(&mut self, place: u64, number: u64) {
        self.numbers[place as usize] = number;
    }
}

/// The graph within a turn.
struct Open<'a, 'gc> {
    places: &'a mut gc::Vec<'gc, Place<'gc>>,
    m: &'a Mutator<'gc>,
}

impl Graph for Open<'_, '_> {
    fn lead(&mut self, place: u64, edge: usize, to: u64) {
        let to = self.places[to as usize];
        let node = self.places[place as usize];
        node.borrow_mut(self.m).edges[edge] = Some(to);
    }

    fn replace(&mut self, place: u64, number: u64) {
        let edges = self.places[place as usize].borrow().edges;
        let fresh = self.m.alloc(Mut::new(Node { number, edges }));
        if let Some(there) = self.places.get_mut(self.m, place as usize) {
            *there = fresh;
        }
    }
}

#[derive(Actor)]
#[actor(saved, id = "rewrites::Graphs")]
struct GraphsState<'gc> {
    places: gc::Vec<'gc, Place<'gc>>,
    size: Size,
    times: Leaf<Completions>,
}

/// Nodes that are made in a step.
const A_STEP: u64 = 10_000;

#[behaviours(id = "rewrites::Graphs")]
impl<'gc> GraphsState<'gc> {
    #[start]
    fn new(size: Size) -> Self {
        GraphsState {
            places: gc::Vec::new(),
            size,
            times: Leaf(Completions::all()),
        }
    }

    fn grow(&mut self, t: &Turn<'gc, Graphs>, #[locals] from: u64) -> Step<u64, ()> {
        let until = self.size.nodes.min(from + A_STEP);
        for number in from..until {
            let edges = [None; EDGES];
            let node = t.alloc(Mut::new(Node { number, edges }));
            self.places.push(t, node);
        }
        match until == self.size.nodes {
            true => Step::Done(()),
            false => Step::Again(until),
        }
    }

    fn connect(&mut self, t: &Turn<'gc, Graphs>, #[locals] from: u64) -> Step<u64, ()> {
        let until = self.size.nodes.min(from + A_STEP);
        let places = &mut self.places;
        self.size.connect(&mut Open { places, m: t }, from..until);
        match until == self.size.nodes {
            true => Step::Done(()),
            false => Step::Again(until),
        }
    }

    fn rewrite(&mut self, t: &Turn<'gc, Graphs>, #[locals] turn: u64) -> Step<u64, ()> {
        let places = &mut self.places;
        self.size.turn(&mut Open { places, m: t }, turn);
        self.times.0.one();
        match turn + 1 == self.size.turns {
            true => Step::Done(()),
            false => Step::Again(turn + 1),
        }
    }

    fn end(&mut self) -> (Latencies, u64) {
        let nodes = self.places.iter().map(|place| place.borrow().edges);
        let sum = nodes.flatten().flatten().map(|to| to.borrow().number).sum();
        (self.times.0.end(), sum)
    }
}

/// When the heap is marked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    None,
    Some { collections: u64 },
}

impl Marks {
    fn pacing(self, size: Size) -> Pacing {
        let live = (size.nodes * (NODE + 8)) as f64;
        let made = (size.turns * size.fresh * NODE) as f64;
        match self {
            Marks::None => Pacing::default().first(usize::MAX),
            Marks::Some { collections } => Pacing::default()
                .first((live * 0.97) as usize)
                .growth(1.0 + made / (live * (collections + 1) as f64)),
        }
    }
}

fn row(
    run: &Run,
    size: Size,
    (marks, snapshots): (Marks, u64),
    expected: u64,
) -> Result<Figures, Failure> {
    let pacing = marks.pacing(size);
    let builder = run.builder().saved::<(Graphs,)>();
    let system = builder.pacing(pacing).build();
    let graph = Graphs::spawn(&system, size);
    graph.grow().ask_blocking()?;
    graph.connect().ask_blocking()?;
    let window = Window::begin(run, &system);
    let rewrite = || Ok(graph.rewrite().ask_blocking()?);
    let ((), taken) = while_taking(snapshots, &system, rewrite)?;
    let seen = window.end();
    let (times, sum) = graph.end().ask_blocking()?;
    let check = run.check("numbers at the ends of edges", expected, sum)?;
    let mut figures = seen.figures(size.turns * size.a_turn, check);
    figures.latency = Some(times.quantiles());
    if snapshots > 0 {
        taken.add_to(&mut figures);
    }
    Ok(figures)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let size = Size {
        nodes: run.count("nodes"),
        turns: run.count("turns"),
        a_turn: run.count("a_turn"),
        fresh: run.count("fresh"),
    };
    let collections = run.count("collections");
    let expected = size.expected();
    let chosen = run.choice(MARKS.name);
    let mut rows = Vec::new();
    let mut base = None;
    let snapshots = run.count(SNAPSHOTS.name);
    let with: &[u64] = match snapshots {
        0 => &[0],
        _ => &[0, snapshots],
    };
    for (word, marks) in [("none", Marks::None), ("some", Marks::Some { collections })] {
        if chosen != "both" && chosen != word {
            continue;
        }
        for &snapshots in with {
            let mut figures = row(run, size, (marks, snapshots), expected)?;
            let base = *base.get_or_insert(figures.spent);
            figures.add_relative_time(base);
            figures.params = vec![
                (MARKS.name, Value::Choice(word)),
                (SNAPSHOTS.name, Value::Count(snapshots)),
            ];
            rows.push(figures);
        }
    }
    Ok(rows)
}
