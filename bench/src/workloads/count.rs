//! One actor sends, one counts: the rate of messages in one direction, without any wait.
//!
//! Protocol: count of Savina. The producer sends 1,000,000 increments in one turn and then requests
//! the sum.
//!
//! Timed: from the message that starts the producer to the sum's arrival. An operation is an
//! increment.

use super::savina::Halves;
use crate::prelude::*;
use vivant::prelude::*;

pub(super) const COUNT: Bench = Bench::new(
    Group::Messages,
    "count",
    "one sender, one counter, all messages in one turn",
    &[Param::count("messages", 1_000_000, 1_000, "increments")],
    run,
)
.saved::<(Counter, Producer)>();

#[derive(Actor)]
#[actor(saved)]
struct Counter {
    sum: u64,
}

#[behaviours]
impl Counter {
    fn increment(&mut self) {
        self.sum += 1;
    }

    fn sum(&mut self) -> u64 {
        self.sum
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Producer {
    counter: Address<Counter>,
}

#[behaviours]
impl Producer {
    fn produce(&mut self, t: &Turn<Self>, messages: u64) -> Promise<u64> {
        let mut messages = Halves::of(messages);
        while messages.step(t) {
            t.send(self.counter.increment());
        }
        t.ask(self.counter.sum())
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let messages = run.count("messages");
    let system = run.system();
    let counter = system.spawn(Counter { sum: 0 });
    let producer = system.spawn(Producer { counter });
    let meter = Meter::start();
    let sum = producer.produce(messages).ask_blocking()?;
    let spent = meter.stop();
    run.row(spent, messages, ("sum", messages, sum))
}
