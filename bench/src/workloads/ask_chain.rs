//! Requests that lead to requests: what a chain of promises costs as a whole.
//!
//! Protocol: ten actors in a row. Each asks the next for `x + 1` and answers with that answer; the
//! last one answers. One chain at a time: the driver, an actor too, asks the first with the last
//! answer; 100,000 chains.
//!
//! Timed: from the message that starts the driver to the answer of the last chain. An operation is
//! a chain: ten requests and ten answers.

use crate::prelude::*;
use vivant::prelude::*;

/// Number of actors in the row, and of requests in a chain.
const LINKS: u64 = 10;

pub(super) const ASK_CHAIN: Bench = Bench::new(
    Group::Messages,
    "ask_chain",
    "a request through ten actors, each of which asks the next",
    &[Param::count(
        "chains",
        100_000,
        100,
        "chains of ten requests",
    )],
    run,
)
.peer_ops(100_000);

#[derive(Actor)]
struct ChainLink {
    next: Option<Address<ChainLink>>,
}

#[behaviours]
impl ChainLink {
    fn inc(&mut self, t: &Turn<Self>, x: u64) -> Promise<u64> {
        match &self.next {
            Some(next) => t.ask(next.inc(x + 1)),
            None => Promise::ready(x + 1),
        }
    }
}

#[derive(Actor)]
struct Driver {
    first: Address<ChainLink>,
    upto: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Driver {
    fn count_to(&mut self, t: &Turn<Self>, upto: u64) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.upto = upto;
        self.done = Some(done);
        self.next(t, 0);
        promise
    }

    #[local]
    fn next(&self, t: &Turn<Self>, x: u64) {
        t.ask(self.first.inc(x)).then_send(t.me().got());
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
    let chains = run.count("chains");
    let system = run.system();
    let last = system.spawn(ChainLink { next: None });
    let first = (1..LINKS).fold(last, |next, _| system.spawn(ChainLink { next: Some(next) }));
    let driver = system.spawn(Driver {
        first,
        upto: 0,
        done: None,
    });
    let meter = Meter::start();
    let upto = chains * LINKS;
    let last = driver.count_to(upto).ask_blocking()?;
    let spent = meter.stop();
    run.row(spent, chains, ("last answer", upto, last))
}
