//! Actors made from outside, each for one message: the cost from `spawn` to the end, without a tree
//! of parents.
//!
//! Protocol: fork-join create of Savina. The main thread makes 40,000 actors and sends each one
//! message; an actor computes a sine and ends. As in Savina, a counter outside the actors shows
//! when all have done so. A snapshot has the counter's number: an actor finds it again in the
//! process, and not in another one.
//!
//! Timed: from the making of the first actor to the last one's end of work. An operation is an
//! actor.

use super::savina::Halves;
use crate::prelude::*;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, Thread};
use vivant::Saved;
use vivant::codec::{Decoder, Encoder, LoadError, Shape, shape_of};
use vivant::prelude::*;

pub(super) const FJCREATE: Bench = Bench::new(
    Group::Creation,
    "fjcreate",
    "actors made from outside, one message each",
    &[Param::count("actors", 40_000, 200, "actors")],
    run,
)
.saved::<(Worker,)>();

/// Counts those that have done their work.
struct Finish {
    number: u64,
    expected: u64,
    done: AtomicU64,
    waiting: Thread,
}

/// The counters of this process, by number.
static OPEN: Mutex<BTreeMap<u64, Weak<Finish>>> = Mutex::new(BTreeMap::new());

impl Finish {
    fn at(expected: u64) -> Arc<Finish> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, finish| finish.strong_count() > 0);
        let number = open.last_key_value().map_or(0, |(last, _)| last + 1);
        let finish = Arc::new(Finish {
            number,
            expected,
            done: AtomicU64::new(0),
            waiting: thread::current(),
        });
        open.insert(number, Arc::downgrade(&finish));
        finish
    }

    fn open(number: u64) -> Option<Arc<Finish>> {
        let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.get(&number)?.upgrade()
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

/// A worker's share of the counter. It is saved as the counter's number.
struct Share(Arc<Finish>);

impl<'gc> Saved<'gc> for Share {
    const SHAPE: &'static Shape = &Shape::reference("fjcreate::Finish", shape_of::<'gc, u64>());

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.number.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Share, LoadError> {
        let number = input.reference(Self::SHAPE)?;
        match Finish::open(number) {
            Some(finish) => Ok(Share(finish)),
            None => Err(input.error("a counter of a run that is over, or of another process")),
        }
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Worker {
    finish: Share,
}

#[behaviours]
impl Worker {
    fn work(&mut self, t: &Turn<Self>) {
        let sine = black_box(37.2_f64).sin();
        assert!(sine * sine > 0.0);
        self.finish.0.pass();
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
        let finish = Share(finish.clone());
        system.spawn(Worker { finish }).work().send();
    }
    let done = finish.wait();
    let spent = meter.stop();
    run.row(spent, actors, ("actors that did their work", actors, done))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivant::codec::{from_bytes, to_bytes};

    #[test]
    fn a_saved_worker_counts_where_it_did_before() {
        let (other, finish) = (Finish::at(1), Finish::at(2));
        let worker = Worker {
            finish: Share(finish.clone()),
        };
        let bytes = to_bytes(&worker).expect("saved");
        let loaded: Worker = from_bytes(&bytes).expect("it is open");
        worker.finish.0.pass();
        loaded.finish.0.pass();
        assert_eq!(finish.wait(), 2);
        assert_eq!(other.done.load(Ordering::Relaxed), 0);
        drop((worker, loaded, finish));
        assert!(from_bytes::<Worker>(&bytes).is_err());
    }
}
