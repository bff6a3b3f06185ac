//! A tree that nobody can change, and the ring in which it goes round: each place has it then.

use super::heavyring::Rounds;
use crate::failure::Failure;
use crate::meter::{Meter, Spent};
use std::sync::mpsc::{self, Sender};
use std::time::Instant;
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
    /// Whether it has two parts that look as they should, or none where none should be.
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
    /// When it last sent a tree round.
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

    /// Answers when collections that a turn has brought about are over.
    fn rest(&mut self) {}

    /// Sends its tree round.
    fn begin(&mut self, t: &Turn<'gc, Place>, hops: u64) {
        self.began = Some(Instant::now());
        if let Some(tree) = self.tree {
            self.visit(t, tree, hops);
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
            // Nobody listens any more only when the bench has failed already.
            _ => drop(self.done.0.send(Instant::now())),
        }
    }

    /// Visits since this was last asked, and INCs since the beginning.
    fn counts(&mut self, t: &Turn<'gc, Place>) -> (u64, u64) {
        (std::mem::take(&mut self.visits), t.stats().incs)
    }
}

/// A ring in which trees have gone round.
pub(super) struct Ring {
    pub(super) rounds: Rounds,
    _places: Vec<Address<Place>>,
}

/// Has so many trees go round, one after the other.
pub(super) fn go_round(
    system: &System,
    actors: u64,
    hops: u64,
    depth: u64,
    trees: u64,
) -> Result<Ring, Failure> {
    let (done, ended) = mpsc::channel();
    let places: Vec<_> = (0..actors)
        .map(|_| Place::spawn(system, done.clone()))
        .collect();
    drop(done);
    for (place, next) in places.iter().zip(places.iter().cycle().skip(1)) {
        place.stand(next.clone()).ask_blocking()?;
    }
    let (mut spent, mut visits, mut incs) = (Vec::new(), 0, 0);
    for _ in 0..trees {
        places[0].plant(depth).ask_blocking()?;
        places[0].rest().ask_blocking()?;
        let meter = Meter::start();
        places[0].begin(hops).send();
        let returned = ended.recv();
        let Spent { mut wall, cpu } = meter.stop();
        if let (Ok(end), Some(began)) = (returned, places[0].began().ask_blocking()?) {
            wall = end - began;
        }
        spent.push(Spent { wall, cpu });
        (visits, incs) = (0, 0);
        for place in &places {
            let (more, left) = place.counts().ask_blocking()?;
            visits += more;
            incs += left;
        }
    }
    Ok(Ring {
        rounds: Rounds {
            spent,
            visits,
            incs,
        },
        _places: places,
    })
}
