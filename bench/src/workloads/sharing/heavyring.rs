//! A tree goes round a ring: what it costs to hand over a graph, or to share one, however large it is.
//!
//! Protocol: heavyRing of the ORCA paper, with the sizes of the peers. 64 actors; a binary tree of some depth goes 640 hops. `iso`: the tree is a
//! region, whose nodes have collected references, and each actor counts its visit in the root. `box`: the same with one owner for each node.
//! `val`: a tree that nobody can change, made in the heap of the first actor; each has a heap, counts its visit in its state, and keeps the tree.
//!
//! Timed: from the tree's first visit to its last, by those who are visited, so that no thread need wake for it; the tree is made before. A row is the median of eleven trees; an operation is a hop. Of `val` the
//! INCs are counted: each actor but the owner leaves one, when it first sends a tree on, and none after the first lap.

use super::owned::{self, Boxed, Region};
use super::shared;
use crate::bench::{Bench, Group};
use crate::failure::Failure;
use crate::meter::Spent;
use crate::param::{Param, Value};
use crate::row::Figures;
use crate::run::Run;

pub(in crate::workloads) const HEAVYRING: Bench = Bench {
    name: "heavyring",
    about: "a tree goes round a ring, whole",
    group: Group::Sharing,
    peer_ops: None,
    params: &[
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
    child: None,
};

/// Trees that go round, one after the other.
const TREES: u64 = 11;

/// What the trees of one kind took, and what was counted.
pub(super) struct Rounds {
    pub(super) spent: Vec<Spent>,
    /// Visits of the last tree.
    pub(super) visits: u64,
    /// INCs of all trees.
    pub(super) incs: u64,
}

fn figures(run: &Run, depth: u64, tree: &'static str, rounds: Rounds) -> Result<Figures, Failure> {
    let (actors, hops) = (run.count("actors"), run.count("hops"));
    let check = run.check("visits of the last tree", hops + 1, rounds.visits)?;
    let expected = match tree {
        "val" => TREES * (actors.min(hops) - 1),
        _ => 0,
    };
    run.check("INCs, all of them in first laps", expected, rounds.incs)?;
    let mut spent = rounds.spent;
    spent.sort_by_key(|spent| spent.wall);
    let mut figures = Figures::new(spent.swap_remove(spent.len() / 2), hops, check);
    figures.extra.insert("incs", rounds.incs.into());
    figures.params = vec![
        ("tree", Value::Choice(tree)),
        ("depth", Value::Count(depth)),
    ];
    Ok(figures)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (actors, hops) = (run.count("actors"), run.count("hops"));
    let deepest = run.count("deepest");
    let depths = [4, 8, 12].into_iter().filter(|depth| *depth < deepest);
    let mut rows = Vec::new();
    for depth in depths.chain([deepest]) {
        let iso = owned::go_round::<Region>(&run.system(), actors, hops, depth, TREES)?;
        rows.push(figures(run, depth, "iso", iso)?);
        let boxed = owned::go_round::<Box<Boxed>>(&run.system(), actors, hops, depth, TREES)?;
        rows.push(figures(run, depth, "box", boxed)?);
        let val = shared::go_round(&run.system(), actors, hops, depth, TREES)?;
        rows.push(figures(run, depth, "val", val.rounds)?);
    }
    Ok(rows)
}
