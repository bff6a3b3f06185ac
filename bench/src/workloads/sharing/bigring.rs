//! A token goes round a ring of actors of which one has a large heap: the cost of idle objects for
//! actors that only pass messages on.
//!
//! Protocol: `bigring` of the peers. 20 actors, each with a heap; in one ring the first holds a
//! binary tree of 2¹⁹ − 1 nodes, in the other ring no actor holds anything. A token goes 1,000 laps
//! round each, by turns. (Pony marks the large heap each time its actor becomes idle.)
//!
//! Timed: a token's laps. A row is the median of eleven tokens; an operation is a lap.
//! `relative_time` is relative to the ring without a tree.

use super::super::graphs::{Tree, build, nodes};
use crate::prelude::*;
use std::sync::mpsc::{self, Receiver, Sender};
use vivant::heap::Leaf;
use vivant::prelude::*;

pub(in crate::workloads) const BIGRING: Bench = Bench::new(
    Group::Sharing,
    "bigring",
    "a token goes round, by an actor with a large heap",
    &[
        Param::count("actors", 20, 4, "actors in a ring"),
        Param::count("laps", 1_000, 10, "laps of a token"),
        Param::count("depth", 18, 6, "depth of the tree that the first one holds"),
    ],
    run,
);

/// Tokens that go round each ring.
const TOKENS: usize = 11;

#[derive(Actor)]
struct PlaceState<'gc> {
    next: Option<Address<Place>>,
    tree: Option<Gc<'gc, Tree<'gc>>>,
    visits: u64,
    done: Leaf<Sender<()>>,
}

#[behaviours]
impl<'gc> PlaceState<'gc> {
    #[start]
    fn new(done: Sender<()>) -> Self {
        PlaceState {
            next: None,
            tree: None,
            visits: 0,
            done: Leaf(done),
        }
    }

    fn stand(&mut self, next: Address<Place>) {
        self.next = Some(next);
    }

    fn plant(&mut self, t: &Turn<'gc, Place>, depth: u64) {
        self.tree = Some(build(**t, depth));
    }

    fn visit(&mut self, t: &Turn<'gc, Place>, hops: u64) {
        self.visits += 1;
        match &self.next {
            Some(next) if hops > 0 => t.send(next.visit(hops - 1)),
            // The receiver is gone only after the bench has failed.
            _ => drop(self.done.0.send(())),
        }
    }

    /// The number of the token's visits, and of the nodes that it holds.
    fn counts(&self) -> (u64, u64) {
        (self.visits, self.tree.map_or(0, |tree| tree.count()))
    }
}

struct Ring {
    places: Vec<Address<Place>>,
    ended: Receiver<()>,
    spent: Vec<Spent>,
}

impl Ring {
    fn new(system: &System, actors: u64) -> Result<Ring, Failure> {
        let (done, ended) = mpsc::channel();
        let place = |_| Place::spawn(system, done.clone());
        let places: Vec<_> = (0..actors).map(place).collect();
        for (place, next) in places.iter().zip(places.iter().cycle().skip(1)) {
            place.stand(next.clone()).ask_blocking()?;
        }
        Ok(Ring {
            places,
            ended,
            spent: Vec::new(),
        })
    }

    fn token(&mut self, hops: u64) {
        let meter = Meter::start();
        self.places[0].visit(hops).send();
        let _returned = self.ended.recv();
        self.spent.push(meter.stop());
    }

    /// The median token's time, the visits of each actor, and the nodes of the first one.
    fn end(mut self) -> Result<(Spent, u64, u64), Failure> {
        self.spent.sort_by_key(|spent| spent.wall);
        let (mut visits, mut held) = (0, 0);
        for place in &self.places {
            let (here, nodes) = place.counts().ask_blocking()?;
            visits += here;
            held += nodes;
        }
        Ok((self.spent.swap_remove(TOKENS / 2), visits, held))
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (actors, laps, depth) = (run.count("actors"), run.count("laps"), run.count("depth"));
    let system = run.system();
    let (mut without, mut with) = (Ring::new(&system, actors)?, Ring::new(&system, actors)?);
    with.places[0].plant(depth).ask_blocking()?;
    for _ in 0..TOKENS {
        without.token(actors * laps);
        with.token(actors * laps);
    }
    let mut rows = Vec::new();
    let mut base = None;
    for (holds, ring) in [("nothing", without), ("tree", with)] {
        let (spent, visits, held) = ring.end()?;
        let expected = TOKENS as u64 * (actors * laps + 1);
        let check = run.check("visits of all tokens", expected, visits)?;
        let trees = u64::from(holds == "tree");
        run.check("nodes that the ring holds", trees * nodes(depth), held)?;
        let mut figures = Figures::new(spent, laps, check);
        figures.add_relative_time(*base.get_or_insert(spent));
        figures.params = vec![("holds", Value::Choice(holds))];
        rows.push(figures);
    }
    Ok(rows)
}
