//! Cycles of exclusive waits: how soon the runtime finds one.
//!
//! Protocol: our own. Actors in a ring: each waits exclusively for the next, and the last one asks
//! the first, which waits: that request closes the cycle, and fails. 2,000 such cycles, one after
//! the other.
//!
//! Timed: from the first request to the end of the last cycle. An operation is a cycle. The waiting
//! times are those from the last request of a cycle to the turn that gets its error.

use crate::prelude::*;
use std::time::Duration;
use vivant::prelude::*;

pub(super) const WAIT_CYCLES: Bench = Bench::new(
    Group::Uncharted,
    "wait_cycles",
    "cycles of exclusive waits: how soon one is found",
    &[
        Param::count("cycles", 2_000, 20, "cycles"),
        Param::count("actors", 4, 3, "actors in a cycle"),
    ],
    run,
);

/// The time from the last request of a cycle to its error.
type Found = Option<Duration>;

#[derive(Actor)]
struct Member {
    next: Option<Address<Member>>,
    asked_at: Duration,
}

#[behaviours]
impl Member {
    fn precedes(&mut self, next: Address<Member>) {
        self.next = Some(next);
    }

    fn around(&mut self, t: &Turn<Self>) -> Promise<Found> {
        let Some(next) = &self.next else {
            return Promise::ready(None);
        };
        self.asked_at = t.now();
        t.ask(next.around()).exclusive().then(t.me().over())
    }

    #[then]
    fn over(&mut self, t: &Turn<Self>, found: Result<Found, AskError>) -> Found {
        match found {
            Ok(found) => found,
            Err(AskError::WaitCycle(_)) => Some(t.now() - self.asked_at),
            Err(_) => None,
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (cycles, actors) = (run.count("cycles"), run.count("actors"));
    let system = run.system();
    let member = |next| {
        system.spawn(Member {
            next,
            asked_at: Duration::ZERO,
        })
    };
    let last = member(None);
    let first = (1..actors).fold(last.clone(), |next, _| member(Some(next)));
    last.precedes(first.clone()).ask_blocking()?;
    let meter = Meter::start();
    let (mut latencies, mut found) = (Latencies::new(), 0);
    for _ in 0..cycles {
        if let Some(time) = first.around().ask_blocking()? {
            latencies.record(time);
            found += 1;
        }
    }
    let mut rows = run.row(meter.stop(), cycles, ("cycles found", cycles, found))?;
    rows.iter_mut()
        .for_each(|row| row.latency = Some(latencies.quantiles()));
    Ok(rows)
}
