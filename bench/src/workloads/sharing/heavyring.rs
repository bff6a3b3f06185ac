//! A tree goes round a ring: the cost of handing over a graph, or of sharing one, however large it
//! is.
//!
//! Protocol: heavyRing of the ORCA paper, with the sizes of the peers. 64 actors; a binary tree of
//! some depth goes 640 hops. `iso`: the tree is a region with collected references between its
//! nodes, and each actor counts its visit in the root. `box`: the same with one owner for each
//! node. `val`: an immutable tree, made in the heap of the first actor; each actor has a heap,
//! counts its visit in its state, and keeps the tree.
//!
//! Timed: from the tree's first visit to its last, by the visited actors, so that no thread need
//! wake for it. The tree is made before, and earlier trees are swept. A greeting goes round once
//! ahead of the tree: what the making of the tree has evicted from the caches is not part of its
//! way. Trees of all kinds and depths go round by turns, in changing order, so that other load of
//! the machine affects all of them. A row is the median of 41 trees; an operation is a hop. For
//! `val` the INCs are counted: each actor but the owner sends one, when it first sends a tree on,
//! and none after the first lap.
//!
//! Figure 21 of the paper has the parts of the time by depth. Before each tree a message without a
//! tree goes as many hops, behind a greeting too: `empty_ns` is its hop, in the median, and
//! `scan_ns` is what a hop of the tree takes more, which is all that sending and receiving a graph
//! costs. `collections` and `pauses_us` are those of all heaps, and all of their time, for each
//! tree: its making and the hand-overs.

use super::owned::{Boxed, Owned, Region};
use super::shared::Shared;
use crate::prelude::*;
use std::time::Duration;
use vivant::Pauses;

pub(in crate::workloads) const HEAVYRING: Bench = Bench::new(
    Group::Sharing,
    "heavyring",
    "a tree goes round a ring, whole",
    &[
        Param::count("actors", 64, 7, "actors in the ring"),
        Param::count("hops", 640, 50, "hops of a tree"),
        Param::count(
            "deepest",
            16,
            8,
            "depth of the largest trees; the others have 4, 8, 12",
        ),
    ],
    run,
);

/// Trees of each kind and depth.
const TREES: usize = 41;

/// A ring, in which trees of one kind and depth go round.
pub(super) trait Ring {
    /// Sends a tree round for a number of hops, behind a greeting with its own number.
    fn tree(&mut self, greeting: u64, hops: u64) -> Result<Spent, Failure>;

    /// Sends a message without a tree round for a number of hops, behind a greeting.
    fn empty(&mut self, greeting: u64, hops: u64) -> Result<Duration, Failure>;

    /// What was counted of all of them.
    fn counts(&self) -> Result<Counts, Failure>;
}

#[derive(Default)]
pub(super) struct Counts {
    /// Visits of the last tree, which counts them; where actors do, of all trees.
    pub(super) visits: u64,
    pub(super) incs: u64,
    /// Collections of all heaps, and their time.
    pub(super) collections: Pauses,
}

/// One row.
struct Row {
    tree: &'static str,
    depth: u64,
    ring: Box<dyn Ring>,
    spent: Vec<Spent>,
    /// Ways of the messages without a tree.
    empty: Vec<Duration>,
}

impl Row {
    fn figures(mut self, run: &Run) -> Result<Figures, Failure> {
        let (actors, hops) = (run.count("actors"), run.count("hops"));
        let (counted, incs) = match self.tree {
            "val" => (TREES as u64, TREES as u64 * (actors.min(hops) - 1)),
            _ => (1, 0),
        };
        let counts = self.ring.counts()?;
        let expected = counted * (hops + 1);
        let check = run.check("visits that were counted", expected, counts.visits)?;
        run.check("INCs, all of them in first laps", incs, counts.incs)?;
        self.spent.sort_by_key(|spent| spent.wall);
        let median = self.spent.swap_remove(TREES / 2);
        let mut figures = Figures::new(median, hops, check);
        self.empty.sort();
        let empty = self.empty[TREES / 2].as_nanos() as f64 / hops as f64;
        let hop = median.wall.as_nanos() as f64 / hops as f64;
        figures.add("incs", counts.incs);
        figures.add("empty_ns", empty);
        figures.add("scan_ns", hop - empty);
        let of_a_tree = |all: f64| all / TREES as f64;
        let collections = counts.collections;
        figures.add("collections", of_a_tree(collections.count as f64));
        figures.add(
            "pauses_us",
            of_a_tree(collections.total.as_secs_f64() * 1e6),
        );
        figures.params = vec![
            ("tree", Value::Choice(self.tree)),
            ("depth", Value::Count(self.depth)),
        ];
        Ok(figures)
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (actors, hops) = (run.count("actors"), run.count("hops"));
    let deepest = run.count("deepest");
    let depths = [4, 8, 12].into_iter().filter(|depth| *depth < deepest);
    let mut rows = Vec::new();
    for depth in depths.chain([deepest]) {
        let iso = Owned::<Region>::new(run.system(), actors, depth)?;
        let boxed = Owned::<Box<Boxed>>::new(run.system(), actors, depth)?;
        let val = Shared::new(run.system(), actors, depth)?;
        let rings: [(_, Box<dyn Ring>); 3] = [
            ("iso", Box::new(iso)),
            ("box", Box::new(boxed)),
            ("val", Box::new(val)),
        ];
        rows.extend(rings.map(|(tree, ring)| Row {
            tree,
            depth,
            ring,
            spent: Vec::new(),
            empty: Vec::new(),
        }));
    }
    // In another order each time: a large tree evicts the caches of the next one. No step has a
    // divisor in common with the number of rows.
    let steps = [1, 5, 7, 11];
    for round in 0..TREES {
        for number in 0..rows.len() {
            let place = (number * steps[round % steps.len()] + round) % rows.len();
            let row = &mut rows[place];
            row.empty.push(row.ring.empty(actors, hops)?);
            row.spent.push(row.ring.tree(actors, hops)?);
        }
    }
    rows.into_iter().map(|row| row.figures(run)).collect()
}
