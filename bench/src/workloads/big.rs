//! All actors send to all: messages with unpredictable receivers, and mailboxes that are full by
//! chance.
//!
//! Protocol: big of Savina. Each of 120 actors sends a ping to a random actor, drawn by its own
//! generator (itself included), waits for the pong, checks its sender, and pings again; after
//! 20,000 pings it reports to a sink.
//!
//! Timed: from the first actor's start to the last report. The actors are made and introduced
//! before. An operation is a message: 120 × 20,000 pings and as many pongs.

use super::savina::{Random, snapshot_point};
use super::sink::Sink;
use crate::prelude::*;
use std::sync::Arc;
use vivant::prelude::*;

pub(super) const BIG: Bench = Bench::new(
    Group::Messages,
    "big",
    "many actors, each pings one of all by chance",
    &[
        Param::count("actors", 120, 8, "actors"),
        Param::count("pings", 20_000, 50, "pings of each actor"),
    ],
    run,
)
.saved::<(Peer, Sink)>();

#[derive(Actor)]
#[actor(saved)]
struct Peer {
    id: usize,
    all: Arc<[Address<Peer>]>,
    sink: Address<Sink>,
    /// Its seed is the actor's number.
    random: Random,
    left: u64,
    expected: usize,
    right: u64,
}

#[behaviours]
impl Peer {
    /// Introduces all to each other.
    fn meet(&mut self, all: Arc<[Address<Peer>]>) {
        self.all = all;
    }

    fn begin(&mut self, t: &Turn<Self>) {
        self.next(t);
    }

    fn ping(&mut self, t: &Turn<Self>, from: usize) {
        t.send(self.all[from].pong(self.id));
    }

    fn pong(&mut self, t: &Turn<Self>, from: usize) {
        self.right += u64::from(from == self.expected);
        self.next(t);
    }

    #[local]
    fn next(&mut self, t: &Turn<Self>) {
        if self.left == 0 {
            t.send(self.sink.add(self.right));
            return;
        }
        self.left -= 1;
        self.expected = self.random.below(self.all.len() as u64) as usize;
        t.send(self.all[self.expected].ping(self.id));
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (actors, pings) = (run.count("actors"), run.count("pings"));
    let system = run.system();
    let sink = system.spawn(Sink::new(actors));
    let peer = |id| {
        system.spawn(Peer {
            id,
            all: Arc::new([]),
            sink: sink.clone(),
            random: Random::seeded(id as u64),
            left: pings,
            expected: 0,
            right: 0,
        })
    };
    let all: Arc<[Address<Peer>]> = (0..actors as usize).map(peer).collect();
    for peer in all.iter() {
        peer.meet(all.clone()).ask_blocking()?;
    }
    let right = sink.sum().ask();
    let meter = Meter::start();
    for peer in all.iter() {
        peer.begin().send();
    }
    snapshot_point(&system);
    let right = system.block_on(right)?;
    let spent = meter.stop();
    run.row(
        spent,
        2 * actors * pings,
        ("pongs from the expected sender", actors * pings, right),
    )
}
