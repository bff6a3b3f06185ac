//! One actor sends to many by turns: messages of one sender, without any wait, to mailboxes that
//! all fill at once.
//!
//! Protocol: fork-join throughput of Savina, with its sizes. The master sends each of 60 actors a
//! message, 10,000 times, in one turn. An actor computes a sine for each message, and after the
//! last one reports and ends.
//!
//! Timed: from the master's first message to the last report. An operation is a message.

use super::super::sink::Sink;
use super::Halves;
use crate::prelude::*;
use std::hint::black_box;
use vivant::prelude::*;

pub(in super::super) const FJTHRPUT: Bench = Bench::new(
    Group::Savina,
    "fjthrput",
    "one actor sends to many by turns",
    &[
        Param::count("messages", 10_000, 20, "messages to each actor"),
        Param::count("actors", 60, 5, "actors"),
    ],
    run,
)
.saved::<(Master, Worker, Sink)>();

#[derive(Actor)]
#[actor(saved)]
struct Worker {
    sink: Address<Sink>,
    processed: u64,
    expected: u64,
}

#[behaviours]
impl Worker {
    fn work(&mut self, t: &Turn<Self>) {
        let sine = black_box(37.2_f64).sin();
        black_box(sine * sine);
        self.processed += 1;
        if self.processed == self.expected {
            t.send(self.sink.add(self.processed));
            t.stop();
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Master {
    workers: Vec<Address<Worker>>,
}

#[behaviours]
impl Master {
    fn send_all(&mut self, t: &Turn<Self>, rounds: u64) {
        let mut rounds = Halves::of(rounds);
        while rounds.step(t) {
            for worker in &self.workers {
                t.send(worker.work());
            }
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (messages, actors) = (run.count("messages"), run.count("actors"));
    let system = run.system();
    let sink = system.spawn(Sink::new(actors));
    let worker = |_| {
        system.spawn(Worker {
            sink: sink.clone(),
            processed: 0,
            expected: messages,
        })
    };
    let master = system.spawn(Master {
        workers: (0..actors).map(worker).collect(),
    });
    let processed = sink.sum().ask();
    let meter = Meter::start();
    master.send_all(messages).send();
    let processed = system.block_on(processed)?;
    let spent = meter.stop();
    let all = actors * messages;
    run.row(spent, all, ("messages processed", all, processed))
}
