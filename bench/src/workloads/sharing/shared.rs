//! An immutable tree, and the ring in which it goes round: each actor keeps it.

use super::super::graphs::heaps;
use super::heavyring::{Counts, Ring};
use crate::prelude::*;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use vivant::heap::{Leaf, Mutator};
use vivant::prelude::*;

#[derive(Object)]
struct Node<'gc> {
    depth: u64,
    parts: Option<[Val<'gc, Node<'gc>>; 2]>,
}

fn node<'gc>(m: &Mutator<'gc>, depth: u64) -> Val<'gc, Node<'gc>> {
    let parts = (depth > 0).then(|| [node(m, depth - 1), node(m, depth - 1)]);
    m.val(Node { depth, parts })
}

impl Node<'_> {
    /// Returns true if it has two parts of the expected form, or none where none is expected.
    fn is_whole(&self) -> bool {
        match self.parts {
            Some(parts) => parts.iter().all(|part| part.depth + 1 == self.depth),
            None => self.depth == 0,
        }
    }
}

#[derive(Actor)]
struct PlaceState<'gc> {
    next: Option<Address<Place>>,
    tree: Option<Val<'gc, Node<'gc>>>,
    /// Of the tree that it has.
    visits: u64,
    /// Hops that its tree is to make.
    hops: u64,
    /// Hops that a message without a tree is to make, after its greeting.
    empty_hops: Option<u64>,
    /// When it last sent a tree or that message round.
    began: Option<Instant>,
    done: Leaf<Sender<Instant>>,
}

#[behaviours]
impl<'gc> PlaceState<'gc> {
    #[start]
    fn new(done: Sender<Instant>) -> Self {
        PlaceState {
            next: None,
            tree: None,
            visits: 0,
            hops: 0,
            empty_hops: None,
            began: None,
            done: Leaf(done),
        }
    }

    fn stand(&mut self, next: Address<Place>) {
        self.next = Some(next);
    }

    fn plant(&mut self, t: &Turn<'gc, Place>, depth: u64) {
        self.tree = Some(node(t, depth));
    }

    /// Answers how much of its heap is to be swept yet, when collections that a turn has brought
    /// about are over.
    fn rest(&mut self, t: &Turn<'gc, Place>) -> usize {
        t.stats().unswept
    }

    /// Sends its tree round, after a greeting has gone a number of hops and has come back.
    fn begin(&mut self, t: &Turn<'gc, Place>, greeting: u64, hops: u64) {
        self.hops = hops;
        self.greet(t, greeting);
    }

    fn greet(&mut self, t: &Turn<'gc, Place>, left: u64) {
        if left > 0 {
            self.next
                .iter()
                .for_each(|next| t.send(next.greet(left - 1)));
        } else if let Some(hops) = self.empty_hops.take() {
            self.began = Some(Instant::now());
            self.empty(t, hops);
        } else if let Some(tree) = self.tree {
            self.began = Some(Instant::now());
            self.visit(t, tree, self.hops);
        }
    }

    fn began(&self) -> Option<Instant> {
        self.began
    }

    fn visit(&mut self, t: &Turn<'gc, Place>, tree: Val<'gc, Node<'gc>>, hops: u64) {
        self.visits += u64::from(tree.is_whole());
        self.tree = Some(tree);
        match &self.next {
            Some(next) if hops > 0 => t.send(next.visit(tree, hops - 1)),
            // The receiver is gone only after the bench has failed.
            _ => drop(self.done.0.send(Instant::now())),
        }
    }

    /// Sends a message without a tree round, after a greeting as in `begin`.
    fn begin_empty(&mut self, t: &Turn<'gc, Place>, greeting: u64, hops: u64) {
        self.empty_hops = Some(hops);
        self.greet(t, greeting);
    }

    fn empty(&mut self, t: &Turn<'gc, Place>, hops: u64) {
        match &self.next {
            Some(next) if hops > 0 => t.send(next.empty(hops - 1)),
            // The receiver is gone only after the bench has failed.
            _ => drop(self.done.0.send(Instant::now())),
        }
    }

    /// Visits and INCs.
    fn counts(&self, t: &Turn<'gc, Place>) -> (u64, u64) {
        (self.visits, t.stats().incs)
    }
}

/// A ring, in which trees of one depth go round.
pub(super) struct Shared {
    depth: u64,
    places: Vec<Address<Place>>,
    ended: Receiver<Instant>,
    system: System,
}

impl Shared {
    pub(super) fn new(system: System, actors: u64, depth: u64) -> Result<Self, Failure> {
        let (done, ended) = mpsc::channel();
        let places: Vec<_> = (0..actors)
            .map(|_| Place::spawn(&system, done.clone()))
            .collect();
        for (place, next) in places.iter().zip(places.iter().cycle().skip(1)) {
            place.stand(next.clone()).ask_blocking()?;
        }
        Ok(Shared {
            depth,
            places,
            ended,
            system,
        })
    }
}

impl Ring for Shared {
    fn tree(&mut self, greeting: u64, hops: u64) -> Result<Spent, Failure> {
        let first = &self.places[0];
        first.plant(self.depth).ask_blocking()?;
        // Of the trees before this one nothing is left to do.
        while first.rest().ask_blocking()? > 0 {}
        let meter = Meter::start();
        first.begin(greeting, hops).send();
        let returned = self.ended.recv();
        let Spent { mut wall, cpu } = meter.stop();
        if let (Ok(end), Some(began)) = (returned, first.began().ask_blocking()?) {
            wall = end - began;
        }
        Ok(Spent { wall, cpu })
    }

    fn empty(&mut self, greeting: u64, hops: u64) -> Result<Duration, Failure> {
        let first = &self.places[0];
        first.begin_empty(greeting, hops).send();
        let ended = self.ended.recv();
        let began = first.began().ask_blocking()?;
        let way = ended.ok().zip(began).map(|(end, began)| end - began);
        Ok(way.unwrap_or(Duration::MAX))
    }

    /// Not between two trees: the answers may run on another processor, and then the actors lie in
    /// that processor's caches.
    fn counts(&self) -> Result<Counts, Failure> {
        let mut all = Counts {
            collections: heaps(&self.system).pauses.all(),
            ..Counts::default()
        };
        for place in &self.places {
            let (visits, incs) = place.counts().ask_blocking()?;
            all.visits += visits;
            all.incs += incs;
        }
        Ok(all)
    }
}
