//! `heavyring` for actix: 64 actors in one arbiter, a tree with an owner for each node, 640 hops;
//! the median of eleven trees.

use actix::prelude::*;
use std::time::Instant;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

const ACTORS: usize = 64;
const HOPS: u64 = 640;
const TREES: usize = 11;

struct Tree {
    visits: u64,
    _parts: Option<[Box<Tree>; 2]>,
}

fn grow(depth: u64) -> Box<Tree> {
    let _parts = (depth > 0).then(|| [grow(depth - 1), grow(depth - 1)]);
    Box::new(Tree { visits: 0, _parts })
}

#[derive(Message)]
#[rtype(result = "()")]
struct Visit(Box<Tree>, u64);

#[derive(Message)]
#[rtype(result = "()")]
struct Stand(Addr<Place>);

struct Place {
    next: Option<Addr<Place>>,
    done: UnboundedSender<Box<Tree>>,
}

impl Actor for Place {
    type Context = Context<Self>;
}

impl Handler<Stand> for Place {
    type Result = ();
    fn handle(&mut self, Stand(next): Stand, _: &mut Context<Self>) {
        self.next = Some(next);
    }
}

impl Handler<Visit> for Place {
    type Result = ();
    fn handle(&mut self, Visit(mut tree, hops): Visit, _: &mut Context<Self>) {
        tree.visits += 1;
        match &self.next {
            Some(next) if hops > 0 => next.do_send(Visit(tree, hops - 1)),
            _ => drop(self.done.send(tree)),
        }
    }
}

async fn heavyring() {
    let (done, mut ended) = unbounded_channel();
    let place = |_| {
        let done = done.clone();
        Place { next: None, done }.start()
    };
    let places: Vec<_> = (0..ACTORS).map(place).collect();
    for (place, next) in places.iter().zip(places.iter().cycle().skip(1)) {
        place.do_send(Stand(next.clone()));
    }
    for depth in [4, 8, 12, 16] {
        let mut walls = Vec::new();
        for _ in 0..TREES {
            let tree = grow(depth);
            let began = Instant::now();
            places[0].do_send(Visit(tree, HOPS));
            let tree = ended.recv().await.expect("it comes back");
            walls.push(began.elapsed());
            assert_eq!(tree.visits, HOPS + 1, "visits");
        }
        walls.sort();
        let wall = walls[TREES / 2].as_secs_f64();
        let ns = wall * 1e9 / HOPS as f64;
        println!(
            "{{\"bench\":\"heavyring\",\"params\":{{\"tree\":\"actix\",\"depth\":{depth}}},\
             \"wall_s\":{wall},\"ops\":{HOPS},\"ns_per_op\":{ns}}}"
        );
    }
}

fn main() {
    System::new().block_on(heavyring());
}
