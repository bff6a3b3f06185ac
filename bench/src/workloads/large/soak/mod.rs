//! Actors with heaps of constant size, for any duration, while all their objects are replaced.
//!
//! Protocol: our own, for `cargo xtask soak`, which watches the resident size of the process
//! meanwhile. Three workloads run at once, each driven by a thread of its own and each checked by a
//! model in plain memory:
//!
//! - `store`: the map of boxes of `kv_store`, in chunks: entries are inserted, removed and looked
//!   up;
//! - [`shelf`]: a queue of things of all sizes, up to half a mebibyte, and weak references to them,
//!   half of which are empty;
//! - [`lending`]: two actors send each other immutable objects, keep them for a while, and send
//!   some of them back.
//!
//! The heaps are collected by their usual pacing. Each thread is busy for a share of the time, and
//! leaves its actors idle for the rest. With `leak yes` the shelf does not drop its things: its
//! answers are right all the same, and only the memory shows the leak.
//!
//! Timed: from the time when all are full to the end. An operation is one of a chunk, a thing put
//! on the shelf, or an object that is lent. `full_least` are the concurrent marks of the heap that
//! had the fewest.

mod lending;
mod shelf;

use super::collected::Collected;
use super::operations::{Model, Requests};
use super::store::{Plan, Store};
use super::window::Window;
use crate::prelude::*;
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};
use vivant::{PauseKind, System};

pub(in crate::workloads) const SOAK: Bench = Bench::new(
    Group::Soak,
    "soak",
    "heaps that stay as large as they are, while all in them is replaced",
    &[
        Param::count("milliseconds", 60_000, 30, "how long"),
        Param::count("entries", 6_000_000, 5_000, "entries of the store"),
        Param::count("things", 200_000, 200, "things on the shelf"),
        Param::count("held", 10_000, 200, "what each lender holds"),
        Param::count(
            "busy",
            60,
            60,
            "percent of the time in which each gets requests",
        ),
        Param::count(
            "tell",
            60_000,
            60_000,
            "milliseconds between two lines of what heaps have",
        ),
        LEAK,
    ],
    run,
);

const LEAK: Param = Param::choice(
    "leak",
    &["no", "yes"],
    "whether the shelf keeps more and more",
);

/// Numbers of operations begin again: the store's model has 32 bits for each.
const NUMBERS: u64 = 1 << 30;

/// Operations of the store between two readings of the clock.
const CHUNK: u64 = 50_000;

/// The duration, and the busy share.
#[derive(Clone, Copy)]
struct Pace {
    until: Instant,
    busy: f64,
}

impl Pace {
    /// Does this until the time is over, at least once, and leaves a pause after each.
    fn drive(self, mut once: impl FnMut() -> Result<(), Failure>) -> Result<(), Failure> {
        loop {
            let began = Instant::now();
            once()?;
            if Instant::now() >= self.until {
                return Ok(());
            }
            thread::sleep(began.elapsed().mul_f64(1.0 / self.busy - 1.0));
        }
    }
}

/// What was found out of a part: operations, and answers that were wrong.
#[derive(Clone, Copy, Default)]
struct Outcome {
    ops: u64,
    wrong: u64,
}

impl Outcome {
    fn and(self, other: Outcome) -> Outcome {
        Outcome {
            ops: self.ops + other.ops,
            wrong: self.wrong + other.wrong,
        }
    }
}

/// A workload that is filled and ready to run.
trait Part: Send {
    fn go_on(&mut self) -> Result<(), Failure>;
    /// Checks all its objects.
    fn end(&mut self) -> Result<Outcome, Failure>;
}

/// A store, and a model beside it, which sees each chunk.
struct Stored {
    store: vivant::Address<Collected>,
    plan: Plan,
    model: Model,
    at: u64,
    outcome: Outcome,
}

impl Stored {
    fn fill(system: &System, entries: u64) -> Result<Stored, Failure> {
        let plan = Plan {
            requests: Requests::Chunks,
            entries,
            operations: 0,
            a_step: 1_000,
        };
        let store = <Collected as Store>::spawn(system, plan);
        Store::load(&store)?;
        Ok(Stored {
            store,
            plan,
            model: Model::loaded(entries),
            at: 1,
            outcome: Outcome::default(),
        })
    }
}

impl Part for Stored {
    fn go_on(&mut self) -> Result<(), Failure> {
        let Plan {
            requests, entries, ..
        } = self.plan;
        let numbers = self.at..self.at + CHUNK;
        let found = Store::chunk(&self.store, numbers.start, numbers.end)?;
        let expected = self.model.all(requests, entries, numbers);
        self.outcome.wrong += u64::from(found != expected);
        self.outcome.ops += CHUNK;
        self.at = (self.at + CHUNK) % NUMBERS;
        Ok(())
    }

    fn end(&mut self) -> Result<Outcome, Failure> {
        let (_, left) = Store::end(&self.store)?;
        self.outcome.wrong += u64::from(left != self.model.left());
        Ok(self.outcome)
    }
}

/// What the heaps have, now and then.
fn tell(system: &System, pace: Pace, every: Duration) {
    let began = Instant::now();
    while Instant::now() + every < pace.until {
        thread::sleep(every);
        let mib = |bytes: u64| bytes >> 20;
        let heaps: Vec<String> = (system.inspect().actors.iter())
            .filter_map(|actor| {
                let heap = actor.heap?;
                let (pages, live) = (mib(heap.pages), mib(heap.live));
                Some(format!(
                    "{pages} MiB of pages, {live} of objects, {} full",
                    heap.marks()
                ))
            })
            .collect();
        eprintln!(
            "soak: {} s: {}",
            began.elapsed().as_secs(),
            heaps.join("; ")
        );
    }
}

/// The number of concurrent marks that have ended in each actor's heap.
fn marks(system: &System) -> BTreeMap<String, u64> {
    let actors = system.inspect().actors.into_iter();
    let marks = actors.filter_map(|it| {
        let pauses = it.heap?.pauses;
        Some((it.actor, pauses[PauseKind::MarkEnd].count))
    });
    marks.collect()
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let system = run.system();
    let mut parts: [Box<dyn Part>; 3] = [
        Box::new(Stored::fill(&system, run.count("entries"))?),
        Box::new(shelf::Filled::fill(
            &system,
            run.count("things"),
            run.choice(LEAK.name) == "yes",
        )?),
        Box::new(lending::Filled::fill(&system, run.count("held"))?),
    ];
    let pace = Pace {
        until: Instant::now() + Duration::from_millis(run.count("milliseconds")),
        busy: run.count("busy").min(100) as f64 / 100.0,
    };
    let before = marks(&system);
    let window = Window::begin(run, &system);
    thread::scope(|scope| {
        let asked = parts
            .each_mut()
            .map(|part| scope.spawn(|| pace.drive(|| part.go_on())));
        tell(&system, pace, Duration::from_millis(run.count("tell")));
        let mut asked = asked.into_iter();
        asked.try_for_each(|it| {
            it.join()
                .unwrap_or_else(|_| Err(Failure::Child("a thread that asks has panicked".into())))
        })
    })?;
    let seen = window.end();
    let mut all = Outcome::default();
    for part in &mut parts {
        all = all.and(part.end()?);
    }
    let check = run.check("answers that are wrong", 0, all.wrong)?;
    let mut figures = seen.figures(all.ops, check);
    let ended = marks(&system).into_iter();
    let least = ended
        .map(|(actor, ended)| ended - before.get(&actor).copied().unwrap_or(0))
        .min();
    figures.add("full_least", least.unwrap_or(0));
    Ok(vec![figures])
}
