//! Rings of actors that are made and dropped at once: the cost of detecting that they are
//! unreachable.
//!
//! Protocol: that of the peers (`cycles`), with a pair beside it. One actor makes 100,000 rings of
//! 10 actors, each with the address of the next, ten rings a turn. It drops its last address of
//! each ring as soon as the ring is closed; or keeps one of each ring (`rings kept`), which shows
//! the memory of all of them. Meanwhile, each millisecond, one of two other actors sends to the
//! other and gets an answer. Each variant runs in a child process.
//!
//! Timed: from the first ring's making to the end of the last actor of all rings, or to the last
//! one's making where they are kept. An operation is an actor. `peak_share` is the peak growth of
//! the process, as a part of its growth when all rings were kept; `reclaimed_ms` the time from the
//! last drop to the end of the last actor; the waiting times are the pair's round trips.

use super::{round_trips, sides};
use crate::child;
use crate::prelude::*;
use crate::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use vivant::prelude::*;

/// Made in one turn, so that no turn is long.
const MADE_PER_TURN: u64 = 10;

/// The interval of the checks whether all rings have ended, and the limit of the wait.
const LOOK_EVERY: Duration = Duration::from_micros(200);
const LOOK_FOR: Duration = Duration::from_secs(60);

pub(super) const CYCLES: Bench = Bench::new(
    Group::Uncharted,
    "cycles",
    "unreachable rings of actors: memory, and how soon they are gone",
    &[
        Param::count("rings", 100_000, 200, "rings"),
        Param::count("actors", 10, 3, "actors in each ring"),
        Param::choice(
            "they",
            &["dropped", "kept"],
            "which of the two a child does; both are run",
        ),
    ],
    run,
)
.child(child);

/// Actors of rings that have ended.
static ENDED: AtomicU64 = AtomicU64::new(0);

#[derive(Actor)]
struct Member {
    next: Option<Address<Member>>,
}

#[behaviours]
impl Member {
    fn close(&mut self, next: Address<Member>) {
        self.next = Some(next);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        ENDED.fetch_add(1, Ordering::Relaxed);
    }
}

/// What becomes of a ring when it is closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum They {
    AreDropped,
    AreKept,
}

#[derive(Actor)]
struct Maker {
    actors: u64,
    they: They,
    kept: Vec<Address<Member>>,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Maker {
    /// Answers with the number of rings when all are made.
    fn make(&mut self, t: &Turn<Self>, rings: u64) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        t.send(t.me().more(0, rings));
        promise
    }

    fn more(&mut self, t: &Turn<Self>, made: u64, rings: u64) {
        let now = MADE_PER_TURN.min(rings - made);
        for _ in 0..now {
            self.ring(t);
        }
        if made + now < rings {
            t.send(t.me().more(made + now, rings));
        } else if let Some(done) = self.done.take() {
            done.resolve(made + now);
        }
    }

    #[local]
    fn ring(&mut self, t: &Turn<Self>) {
        let first = t.spawn_actor(Member { next: None });
        let mut next = first.clone();
        for _ in 1..self.actors {
            next = t.spawn_actor(Member { next: Some(next) });
        }
        t.send(first.close(next));
        if self.they == They::AreKept {
            self.kept.push(first);
        }
    }
}

fn child(run: &Run) -> Result<(), Failure> {
    let (rings, actors) = (run.count("rings"), run.count("actors"));
    let they = match run.choice("they") {
        "kept" => They::AreKept,
        _ => They::AreDropped,
    };
    let system = run.system();
    let front = round_trips::pair(&system);
    let (kept, done) = (Vec::new(), None);
    let maker = system.spawn(Maker {
        actors,
        they,
        kept,
        done,
    });
    front.begin().send();
    let before = process::rss();
    let meter = Meter::start();
    let _made = maker.make(rings).ask_blocking()?;
    let last = Instant::now();
    let is_over = || they == They::AreKept || ENDED.load(Ordering::Relaxed) == rings * actors;
    while !is_over() && last.elapsed() < LOOK_FOR {
        thread::sleep(LOOK_EVERY);
    }
    let reclaimed = last.elapsed();
    let mut figures = Figures::new(meter.stop(), rings * actors, String::new());
    let grown = process::peak_rss().saturating_sub(before);
    figures.add("reclaimed_ms", reclaimed.as_secs_f64() * 1e3);
    figures.add("grown_bytes", grown);
    let ended = ENDED.load(Ordering::Relaxed);
    figures.latency = Some(front.so_far().ask_blocking()?);
    sides::print((ended, figures))
}

/// What comes of one of the two, and the growth of its process.
fn figures(run: &Run, they: &'static str) -> Result<(Figures, u64), Failure> {
    let mut run = run.clone();
    run.params.set("they", Value::Choice(they));
    let (ended, mut figures): sides::Outcome = child::run(&run, CYCLES.name)?.output;
    let expected = if they == "kept" { 0 } else { figures.ops };
    figures.check = run.check("actors of rings that have ended", expected, ended)?;
    figures.params = vec![("they", Value::Choice(they))];
    let grown = figures.own("grown_bytes").and_then(|it| it.as_u64());
    Ok((figures, grown.unwrap_or(0)))
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (kept, all) = figures(run, "kept")?;
    let (mut dropped, peak) = figures(run, "dropped")?;
    let share = peak as f64 / all.max(1) as f64;
    dropped.add("peak_share", share);
    Ok(vec![dropped, kept])
}
