//! `heavyring` for actix: 64 actors in one arbiter, a tree with an owner for each node, 640 hops;
//! the median of eleven trees. And `ask_chain`, with the argument `ask_chain`: all actors in one
//! arbiter, so on one thread.

use actix::prelude::*;
use std::time::Instant;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

const ACTORS: usize = 64;
const HOPS: u64 = 640;
const TREES: usize = 11;
/// As in our own `ask_chain`.
const LINKS: u64 = 10;
const CHAINS: u64 = 100_000;

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

struct ChainLink {
    next: Option<Addr<ChainLink>>,
}

/// Answered with the number plus one for each link from here on.
#[derive(Message)]
#[rtype(result = "u64")]
struct Inc(u64);

impl Actor for ChainLink {
    type Context = Context<Self>;
}

impl Handler<Inc> for ChainLink {
    type Result = ResponseFuture<u64>;
    fn handle(&mut self, Inc(x): Inc, _: &mut Context<Self>) -> Self::Result {
        let next = self.next.clone();
        Box::pin(async move {
            match next {
                Some(next) => next.send(Inc(x + 1)).await.expect("the next link lives"),
                None => x + 1,
            }
        })
    }
}

struct Driver {
    first: Addr<ChainLink>,
}

/// Answered with the answer of the last chain.
#[derive(Message)]
#[rtype(result = "u64")]
struct Drive;

impl Actor for Driver {
    type Context = Context<Self>;
}

impl Handler<Drive> for Driver {
    type Result = ResponseFuture<u64>;
    fn handle(&mut self, _: Drive, _: &mut Context<Self>) -> Self::Result {
        let first = self.first.clone();
        Box::pin(async move {
            let mut x = 0;
            for _ in 0..CHAINS {
                x = first.send(Inc(x)).await.expect("the first link lives");
            }
            x
        })
    }
}

async fn ask_chain() {
    let last = ChainLink { next: None }.start();
    let longer = |next, _| ChainLink { next: Some(next) }.start();
    let first = (1..LINKS).fold(last, longer);
    let driver = Driver { first }.start();
    let began = Instant::now();
    let got = driver.send(Drive).await.expect("the driver lives");
    let wall = began.elapsed().as_secs_f64();
    assert_eq!(got, CHAINS * LINKS, "the last answer");
    println!("ask_chain {wall:.6} {CHAINS} {got}");
}

fn main() {
    let system = System::new();
    match std::env::args().nth(1).as_deref() {
        Some("ask_chain") => system.block_on(ask_chain()),
        _ => system.block_on(heavyring()),
    }
}
