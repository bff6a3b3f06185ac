//! Actors made from outside, each for one message: the cost from `spawn` to the end, without a tree
//! of parents.
//!
//! Protocol: fork-join create of Savina. The main thread makes 40,000 actors and sends each one
//! message; an actor computes a sine and ends. As in Savina, a counter outside the actors shows
//! when all have done so.
//!
//! Timed: from the making of the first actor to the last one's end of work. An operation is an
//! actor.

use super::savina::Halves;
use crate::prelude::*;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, Thread};
use vivant::prelude::*;

pub(super) const FJCREATE: Bench = Bench::new(
    Group::Creation,
    "fjcreate",
    "actors made from outside, one message each",
    &[Param::count("actors", 40_000, 200, "actors")],
    run,
);

/// Counts those that have done their work.
struct Finish {
    expected: u64,
    done: AtomicU64,
    waiting: Thread,
}

impl Finish {
    fn at(expected: u64) -> Arc<Finish> {
        Arc::new(Finish {
            expected,
            done: AtomicU64::new(0),
            waiting: thread::current(),
        })
    }

    fn pass(&self) {
        // Relaxed: the waiting thread reads this number and nothing else of us.
        if self.done.fetch_add(1, Ordering::Relaxed) + 1 == self.expected {
            self.waiting.unpark();
        }
    }

    /// Waits until all have passed.
    fn wait(&self) -> u64 {
        loop {
            let done = self.done.load(Ordering::Relaxed);
            if done >= self.expected {
                return done;
            }
            thread::park();
        }
    }
}

#[derive(Actor)]
struct Worker {
    finish: Arc<Finish>,
}

#[behaviours]
impl Worker {
    fn work(&mut self, t: &Turn<Self>) {
        let sine = black_box(37.2_f64).sin();
        assert!(sine * sine > 0.0);
        self.finish.pass();
        t.stop();
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let actors = run.count("actors");
    let system = run.system();
    let finish = Finish::at(actors);
    let meter = Meter::start();
    let mut births = Halves::of(actors);
    while births.step(&system) {
        let finish = finish.clone();
        system.spawn(Worker { finish }).work().send();
    }
    let done = finish.wait();
    let spent = meter.stop();
    run.row(spent, actors, ("actors that did their work", actors, done))
}
