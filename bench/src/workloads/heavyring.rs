//! A tree that changes goes round a ring: what it costs to hand over a graph, however large it is.
//!
//! Protocol: heavyRing of the ORCA paper, with the sizes of the peers. 64 actors; a binary tree of some depth goes 640 hops, and each actor counts its
//! visit in the tree's root. `iso`: the tree is a region, whose nodes have collected references. `box`: one owner for each node.
//!
//! Timed: from the tree's first message to its return; the tree is made before. A row is the median of eleven trees; an operation is a hop.

use crate::bench::{Bench, Group};
use crate::failure::Failure;
use crate::meter::{Meter, Spent};
use crate::param::{Param, Value};
use crate::row::Figures;
use crate::run::Run;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use vivant::heap::{Iso, Mutator, Source};
use vivant::prelude::*;

pub(super) const HEAVYRING: Bench = Bench {
    name: "heavyring",
    about: "a tree that changes goes round a ring, whole",
    group: Group::Uncharted,
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

const TREES: usize = 11;

/// A tree that goes round.
trait Tree: Send + 'static {
    const NAME: &'static str;
    fn grow(source: &Arc<Source>, depth: u64) -> Self;
    fn visit(&mut self) -> u64;
}

#[derive(Object)]
struct Node<'gc> {
    visits: u64,
    parts: Option<[Gc<'gc, Mut<Node<'gc>>>; 2]>,
}

type Region = Iso<Gc<'static, Mut<Node<'static>>>>;

fn node<'r>(r: &Mutator<'r>, depth: u64) -> Gc<'r, Mut<Node<'r>>> {
    let parts = (depth > 0).then(|| [node(r, depth - 1), node(r, depth - 1)]);
    r.alloc(Mut::new(Node { visits: 0, parts }))
}

impl Tree for Region {
    const NAME: &'static str = "iso";

    fn grow(source: &Arc<Source>, depth: u64) -> Self {
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

struct Boxed {
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
    const NAME: &'static str = "box";

    fn grow(_: &Arc<Source>, depth: u64) -> Self {
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
    done: Sender<(T, u64)>,
}

#[behaviours]
impl<T: Tree> Place<T> {
    fn stand(&mut self, next: Address<Place<T>>) {
        self.next = Some(next);
    }

    fn visit(&mut self, t: &Turn<Self>, mut tree: T, hops: u64) {
        let visits = tree.visit();
        match &self.next {
            Some(next) if hops > 0 => t.send(next.visit(tree, hops - 1)),
            // Nobody listens any more only when the bench has failed already.
            _ => drop(self.done.send((tree, visits))),
        }
    }
}

fn go_round<T: Tree>(run: &Run, depth: u64) -> Result<Figures, Failure> {
    let (actors, hops) = (run.count("actors"), run.count("hops"));
    let system = run.system();
    let source = Arc::new(Source::new());
    let (done, ended) = mpsc::channel();
    let place = |_| {
        system.spawn(Place::<T> {
            next: None,
            done: done.clone(),
        })
    };
    let places: Vec<_> = (0..actors).map(place).collect();
    for (place, next) in places.iter().zip(places.iter().cycle().skip(1)) {
        place.stand(next.clone()).ask_blocking()?;
    }
    drop(done);
    let (mut spent, mut visits): (Vec<Spent>, _) = (Vec::new(), 0);
    for _ in 0..TREES {
        let tree = T::grow(&source, depth);
        let meter = Meter::start();
        places[0].visit(tree, hops).send();
        let returned = ended.recv();
        spent.push(meter.stop());
        visits = returned.map_or(0, |(_, visits)| visits);
    }
    let check = run.check("visits of the last tree", hops + 1, visits)?;
    spent.sort_by_key(|spent| spent.wall);
    let mut figures = Figures::new(spent.swap_remove(TREES / 2), hops, check);
    figures.params = vec![
        ("tree", Value::Choice(T::NAME)),
        ("depth", Value::Count(depth)),
    ];
    Ok(figures)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let deepest = run.count("deepest");
    let depths = [4, 8, 12].into_iter().filter(|depth| *depth < deepest);
    let mut rows = Vec::new();
    for depth in depths.chain([deepest]) {
        rows.push(go_round::<Region>(run, depth)?);
        rows.push(go_round::<Box<Boxed>>(run, depth)?);
    }
    Ok(rows)
}
