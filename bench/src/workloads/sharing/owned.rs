//! Trees that belong to one actor at a time, and the ring in which they go round.

use super::super::graphs::heaps;
use super::heavyring::{Counts, Ring};
use crate::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use vivant::heap::{Iso, Mutator, PageSource};
use vivant::prelude::*;

/// A tree that goes round.
pub(super) trait Tree: Send + 'static {
    fn grow(source: &Arc<PageSource>, depth: u64) -> Self;
    fn visit(&mut self) -> u64;
}

#[derive(Object)]
pub(super) struct Node<'gc> {
    visits: u64,
    parts: Option<[Gc<'gc, Mut<Node<'gc>>>; 2]>,
}

pub(super) type Region = Iso<Gc<'static, Mut<Node<'static>>>>;

fn node<'r>(r: &Mutator<'r>, depth: u64) -> Gc<'r, Mut<Node<'r>>> {
    let parts = (depth > 0).then(|| [node(r, depth - 1), node(r, depth - 1)]);
    r.alloc(Mut::new(Node { visits: 0, parts }))
}

impl Tree for Region {
    fn grow(source: &Arc<PageSource>, depth: u64) -> Self {
        Iso::new(source, |r| node(r, depth))
    }

    fn visit(&mut self) -> u64 {
        self.open(|r, root| {
            let mut root = root.borrow_mut(r);
            root.visits += 1;
            root.visits
        })
    }
}

pub(super) struct Boxed {
    visits: u64,
    _parts: Option<[Box<Boxed>; 2]>,
}

impl Boxed {
    fn new(depth: u64) -> Box<Boxed> {
        let _parts = (depth > 0).then(|| [Boxed::new(depth - 1), Boxed::new(depth - 1)]);
        Box::new(Boxed { visits: 0, _parts })
    }
}

impl Tree for Box<Boxed> {
    fn grow(_: &Arc<PageSource>, depth: u64) -> Self {
        Boxed::new(depth)
    }

    fn visit(&mut self) -> u64 {
        self.visits += 1;
        self.visits
    }
}

#[derive(Actor)]
struct Place<T: Tree> {
    next: Option<Address<Place<T>>>,
    /// A tree, and the hops that it is to make.
    tree: Option<(T, u64)>,
    /// Hops that a message without a tree is to make, after its greeting.
    empty_hops: Option<u64>,
    /// When it last sent a tree or that message round.
    began: Option<Instant>,
    done: Sender<End<T>>,
}

/// The end of a way: the tree, unless the message went without one.
struct End<T> {
    tree: Option<T>,
    /// Visits of the tree.
    visits: u64,
    at: Instant,
}

#[behaviours]
impl<T: Tree> Place<T> {
    fn stand(&mut self, next: Address<Place<T>>) {
        self.next = Some(next);
    }

    /// Sends a tree round, after a greeting has gone a number of hops and has come back.
    fn begin(&mut self, t: &Turn<Self>, tree: T, greeting: u64, hops: u64) {
        self.tree = Some((tree, hops));
        self.greet(t, greeting);
    }

    fn greet(&mut self, t: &Turn<Self>, left: u64) {
        if left > 0 {
            self.next
                .iter()
                .for_each(|next| t.send(next.greet(left - 1)));
        } else if let Some(hops) = self.empty_hops.take() {
            self.began = Some(Instant::now());
            self.empty(t, hops);
        } else if let Some((tree, hops)) = self.tree.take() {
            self.began = Some(Instant::now());
            self.visit(t, tree, hops);
        }
    }

    fn began(&self) -> Option<Instant> {
        self.began
    }

    fn visit(&mut self, t: &Turn<Self>, mut tree: T, hops: u64) {
        let visits = tree.visit();
        match &self.next {
            Some(next) if hops > 0 => t.send(next.visit(tree, hops - 1)),
            _ => self.end(Some(tree), visits),
        }
    }

    /// Sends a message without a tree round, after a greeting as in `begin`.
    fn begin_empty(&mut self, t: &Turn<Self>, greeting: u64, hops: u64) {
        self.empty_hops = Some(hops);
        self.greet(t, greeting);
    }

    fn empty(&mut self, t: &Turn<Self>, hops: u64) {
        match &self.next {
            Some(next) if hops > 0 => t.send(next.empty(hops - 1)),
            _ => self.end(None, 0),
        }
    }

    #[local]
    fn end(&self, tree: Option<T>, visits: u64) {
        let at = Instant::now();
        // The receiver is gone only after the bench has failed.
        drop(self.done.send(End { tree, visits, at }));
    }
}

/// A ring, in which trees of one depth go round.
pub(super) struct Owned<T: Tree> {
    source: Arc<PageSource>,
    depth: u64,
    places: Vec<Address<Place<T>>>,
    ended: Receiver<End<T>>,
    /// Of the last tree.
    visits: u64,
    system: System,
}

impl<T: Tree> Owned<T> {
    pub(super) fn new(system: System, actors: u64, depth: u64) -> Result<Self, Failure> {
        let (done, ended) = mpsc::channel();
        let place = |_| {
            system.spawn(Place::<T> {
                next: None,
                tree: None,
                empty_hops: None,
                began: None,
                done: done.clone(),
            })
        };
        let places: Vec<_> = (0..actors).map(place).collect();
        for (place, next) in places.iter().zip(places.iter().cycle().skip(1)) {
            place.stand(next.clone()).ask_blocking()?;
        }
        Ok(Owned {
            source: Arc::new(PageSource::new()),
            depth,
            places,
            ended,
            visits: 0,
            system,
        })
    }
}

impl<T: Tree> Ring for Owned<T> {
    fn tree(&mut self, greeting: u64, hops: u64) -> Result<Spent, Failure> {
        let tree = T::grow(&self.source, self.depth);
        let first = &self.places[0];
        let meter = Meter::start();
        first.begin(tree, greeting, hops).send();
        let returned = self.ended.recv();
        let Spent { mut wall, cpu } = meter.stop();
        if let (Ok(end), Some(began)) = (returned, first.began().ask_blocking()?) {
            (self.visits, wall) = (end.visits, end.at - began);
            drop(end.tree);
        }
        Ok(Spent { wall, cpu })
    }

    fn empty(&mut self, greeting: u64, hops: u64) -> Result<Duration, Failure> {
        let first = &self.places[0];
        first.begin_empty(greeting, hops).send();
        let ended = self.ended.recv();
        let began = first.began().ask_blocking()?;
        let way = ended.ok().zip(began).map(|(end, began)| end.at - began);
        Ok(way.unwrap_or(Duration::MAX))
    }

    fn counts(&self) -> Result<Counts, Failure> {
        Ok(Counts {
            visits: self.visits,
            incs: 0,
            collections: heaps(&self.system).pauses.all(),
        })
    }
}
