//! A small actor that panics with each message: the cost of a failure, the supervisor's turn and
//! the new state, and a check for leaks.
//!
//! Protocol: our own. An actor has a supervisor of its own, without a restart limit. A thousand
//! messages wait for it; each one's turn panics, the actor is restarted, and the next message is
//! processed; then the next thousand, 200,000 in all. The panic hook prints nothing.
//!
//! Timed: from the first message to the answer to the last, which does not panic. An operation is a
//! restart. A restart must leak nothing: the peak of memory must not depend on their number.

use crate::prelude::*;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use vivant::Supervisor;
use vivant::prelude::*;

pub(super) const RESTARTS: Bench = Bench::new(
    Group::Creation,
    "restarts",
    "an actor that panics at each message, and its supervisor",
    &[Param::count("restarts", 200_000, 100, "restarts")],
    run,
);

#[derive(Actor)]
struct Fragile {
    begun: Arc<AtomicU64>,
}

#[behaviours]
impl Fragile {
    #[start]
    fn new(begun: Arc<AtomicU64>) -> Self {
        // Relaxed: read when the last answer has come.
        begun.fetch_add(1, Ordering::Relaxed);
        Fragile { begun }
    }

    fn fail(&mut self) {
        panic!("as planned");
    }

    fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }
}

/// The number of messages that wait at once.
const AT_ONCE: u64 = 1_000;

/// Makes it fail a number of times; returns the number of states it has had.
fn fail(fragile: &Address<Fragile>, times: u64) -> Result<u64, AskError> {
    let mut left = times;
    while left > 0 {
        let now = left.min(AT_ONCE);
        for _ in 0..now {
            fragile.fail().send();
        }
        left -= now;
        fragile.begun().ask_blocking()?;
    }
    fragile.begun().ask_blocking()
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let restarts = run.count("restarts");
    let loud = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let system = run.system();
    let tree = Supervisor::one_for_one()
        .budget(usize::MAX, Duration::from_secs(1))
        .spawn(&system);
    let fragile = tree.add(Fragile::child(Arc::default()));
    let meter = Meter::start();
    let begun = fail(&fragile, restarts);
    let spent = meter.stop();
    drop(system);
    panic::set_hook(loud);
    run.row(spent, restarts, ("states made", restarts + 1, begun?))
}
