//! Messages that a synchronizer dispatches in pairs, in great numbers: the cost of an offer, a
//! group and a transaction.
//!
//! Protocol: our own. A synchronizer says that a message of the left actor and a message of the
//! right actor are dispatched together or not at all. Messages wait at the left actor; then as many
//! are sent to the right actor, and each of them completes a pair.
//!
//! Timed: from the first message to the right actor to the turn of the last pair. An operation is a
//! pair: two messages, of which one has waited. Linear means: the time of an operation does not
//! depend on the number of waiting messages.

use super::guards::waiting;
use crate::prelude::*;
use side_messages::Enter;
use vivant::prelude::*;
use vivant::{Pattern, Synchronizer};

pub(super) const SYNCHRONIZER: Bench = Bench::new(
    Group::Uncharted,
    "synchronizer",
    "messages of two actors are dispatched in pairs",
    &[Param::count("waiting", 200_000, 100, "messages that wait")],
    run,
);

#[derive(Actor)]
struct Side {
    entered: u64,
    /// The number of the last message.
    last: Option<u64>,
    /// The number of messages that are to enter.
    all: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Side {
    fn enter(&mut self, number: u64) {
        // A message out of order is not counted, and the check finds it.
        if number == self.entered {
            self.entered += 1;
        }
        self.last = Some(number);
        if number + 1 == self.all
            && let Some(done) = self.done.take()
        {
            done.resolve(self.entered);
        }
    }

    /// Answers, when all have entered, with their number. Pairs may go before this message.
    fn all_entered(&mut self, t: &Turn<Self>) -> Promise<u64> {
        if self.last == Some(self.all - 1) {
            return Promise::ready(self.entered);
        }
        let (promise, done) = t.promise();
        self.done = Some(done);
        promise
    }

    /// Answers once the messages before it have been offered.
    fn ready(&self) {}
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let all = run.count("waiting");
    let system = run.system();
    let side = || {
        system.spawn(Side {
            entered: 0,
            last: None,
            all,
            done: None,
        })
    };
    let (left, right) = (side(), side());
    let pair = [&left, &right].map(Pattern::<Enter<Side>>::at);
    let _synchronizer = Synchronizer::new().atomic(pair).declare()?;
    (0..all).for_each(|number| left.enter(number).send());
    left.ready().ask_blocking()?;
    run.check("messages that wait", all, waiting(&system))?;
    let left_all = left.all_entered().ask();
    let meter = Meter::start();
    (0..all).for_each(|number| right.enter(number).send());
    let entered = system.block_on(left_all)?;
    let spent = meter.stop();
    run.row(spent, all, ("pairs, in their order", all, entered))
}
