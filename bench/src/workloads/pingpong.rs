//! Two actors and one message between them: the shortest way from one actor to another and back.
//!
//! Protocol: the peers'. A ping carries the address to which the pong goes; 1,000,000 round trips.
//!
//! Timed: from the message that starts the pinger to its answer after the last pong. An operation
//! is a round trip: two messages.

use super::savina::Halves;
use crate::prelude::*;
use vivant::prelude::*;

pub(super) const PINGPONG: Bench = Bench::new(
    Group::Messages,
    "pingpong",
    "a message and one back, between two actors",
    &[Param::count("round_trips", 1_000_000, 500, "round trips")],
    run,
)
.saved::<(Pinger, Ponger)>()
.peer_ops(1_000_000);

#[derive(Actor)]
#[actor(saved)]
struct Ponger {
    pings: u64,
}

#[behaviours]
impl Ponger {
    fn ping(&mut self, t: &Turn<Self>, from: Address<Pinger>) {
        self.pings += 1;
        t.send(from.pong());
    }

    fn pings(&mut self) -> u64 {
        self.pings
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Pinger {
    peer: Address<Ponger>,
    round_trips: Halves,
    done: Option<Resolver<()>>,
}

#[behaviours]
impl Pinger {
    fn play(&mut self, t: &Turn<Self>, round_trips: u64) -> Promise<()> {
        let (promise, done) = t.promise();
        self.round_trips = Halves::of(round_trips);
        self.done = Some(done);
        self.next(t);
        promise
    }

    fn pong(&mut self, t: &Turn<Self>) {
        self.next(t);
    }

    #[local]
    fn next(&mut self, t: &Turn<Self>) {
        if self.round_trips.step(t) {
            t.send(self.peer.ping(t.me()));
        } else if let Some(done) = self.done.take() {
            done.resolve(());
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let round_trips = run.count("round_trips");
    let system = run.system();
    let ponger = system.spawn(Ponger { pings: 0 });
    let pinger = system.spawn(Pinger {
        peer: ponger.clone(),
        round_trips: Halves::of(0),
        done: None,
    });
    let meter = Meter::start();
    pinger.play(round_trips).ask_blocking()?;
    let spent = meter.stop();
    run.row(
        spent,
        round_trips,
        ("pings", round_trips, ponger.pings().ask_blocking()?),
    )
}
