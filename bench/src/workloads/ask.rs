//! A request and its answer between two actors: the cost of a promise and a continuation beside
//! plain messages.
//!
//! Protocol: the peers'. One actor sends another a request for `x + 1`, and when the answer is
//! there sends the next; 1,000,000 round trips.
//!
//! Timed: from the message that starts the requests to the answer after the last one. An operation
//! is a round trip.

use crate::prelude::*;
use vivant::prelude::*;

pub(super) const ASK: Bench = Bench::new(
    Group::Messages,
    "ask",
    "a request and its answer, between two actors",
    &[Param::count("round_trips", 1_000_000, 500, "round trips")],
    run,
)
.peer_ops(1_000_000);

#[derive(Actor)]
struct Adder;

#[behaviours]
impl Adder {
    fn inc(&mut self, x: u64) -> u64 {
        x + 1
    }
}

#[derive(Actor)]
struct Asker {
    peer: Address<Adder>,
    upto: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Asker {
    fn count_to(&mut self, t: &Turn<Self>, upto: u64) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.upto = upto;
        self.done = Some(done);
        self.next(t, 0);
        promise
    }

    #[local]
    fn next(&self, t: &Turn<Self>, x: u64) {
        // The continuation's own answer has no receiver: the last one resolves the promise of the
        // first message.
        t.ask(self.peer.inc(x)).then_send(t.me().got());
    }

    #[then]
    fn got(&mut self, t: &Turn<Self>, x: Result<u64, AskError>) {
        match x {
            Ok(x) if x < self.upto => self.next(t, x),
            // An error too ends here: the check sees a wrong number.
            last => {
                if let Some(done) = self.done.take() {
                    done.resolve(last.unwrap_or(0));
                }
            }
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let round_trips = run.count("round_trips");
    let system = run.system();
    let asker = system.spawn(Asker {
        peer: system.spawn(Adder),
        upto: 0,
        done: None,
    });
    let meter = Meter::start();
    let last = asker.count_to(round_trips).ask_blocking()?;
    let spent = meter.stop();
    run.row(spent, round_trips, ("last answer", round_trips, last))
}
