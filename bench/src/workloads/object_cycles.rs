//! Cycles of objects of two living actors: how soon they are freed, and what a message between
//! others waits meanwhile.
//!
//! Protocol: our own. One actor makes a million objects, some in each turn. The other makes an
//! object for each, with a far reference to it; the first object gets a far reference to the
//! second. Then both actors forget both (`dropped`), or keep all of them (`kept`), which shows the
//! memory of all. Meanwhile, each millisecond, one of two other actors sends to the other and gets
//! an answer. Each variant runs in a child process.
//!
//! Timed: from the first object to the last drop of all, or to the last one's making where they are
//! kept. An operation is a cycle. `reclaimed_ms` is the time from the last cycle's drop to the drop
//! of the last object; `peak_share` the peak growth of the process, as a part of its growth when
//! all were kept; `rest_share` what is left of it in the end; the waiting times are the pair's
//! round trips. `group_mark_max_us` is the longest time for which a visit of a group mark kept one
//! of the two actors from running; the other kinds of pauses follow.

use super::{round_trips, sides};
use crate::child;
use crate::prelude::*;
use crate::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use vivant::PauseKind;
use vivant::prelude::*;

/// The interval of the checks whether all objects are dropped, and the limit of the wait.
const LOOK_EVERY: Duration = Duration::from_micros(200);
const LOOK_FOR: Duration = Duration::from_secs(60);

/// Until the counts of the dropped objects are released too: two marks of idle actors.
const SETTLES: Duration = Duration::from_secs(3);

pub(super) const OBJECT_CYCLES: Bench = Bench::new(
    Group::Sharing,
    "object_cycles",
    "unreachable cycles of objects of two actors: memory, and how soon they are freed",
    &[
        Param::count("cycles", 1_000_000, 2_000, "cycles of two objects"),
        Param::count("a_turn", 1_000, 100, "cycles made in one turn"),
        Param::choice(
            "they",
            &["dropped", "kept"],
            "which of the two a child does; both are run",
        ),
        PAUSES,
    ],
    run,
)
.child(child);

/// Objects that were dropped.
static DROPPED: AtomicU64 = AtomicU64::new(0);

struct Noted;

vivant::heap::leaf!([] Noted);

impl Drop for Noted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Object)]
struct Knot<'gc> {
    other: Option<FarKnot<'gc>>,
    _noted: Noted,
}

type Own<'gc> = Gc<'gc, Mut<Knot<'gc>>>;
type FarKnot<'gc> = Far<'gc, Knots, Mut<Knot<'gc>>>;

/// What becomes of a cycle when it is closed.
#[derive(Clone, Copy, PartialEq, Eq, Object)]
enum They {
    AreDropped,
    AreKept,
}

#[derive(Actor)]
struct KnotsState<'gc> {
    they: They,
    other: Option<Address<Knots>>,
    /// Objects of cycles that are not closed yet.
    open: Vec<Own<'gc>>,
    kept: vivant::gc::Vec<'gc, Own<'gc>>,
    done: Option<Resolver<u64>>,
    left: u64,
    a_turn: u64,
}

#[behaviours]
impl<'gc> KnotsState<'gc> {
    #[start]
    fn new(they: They, a_turn: u64) -> Self {
        KnotsState {
            they,
            a_turn,
            other: None,
            open: Vec::new(),
            kept: vivant::gc::Vec::new(),
            done: None,
            left: 0,
        }
    }

    /// Answers with the number of cycles when all are closed.
    fn make(&mut self, t: &Turn<'gc, Knots>, other: Address<Knots>, cycles: u64) -> Promise<u64> {
        let (promise, done) = t.promise();
        (self.other, self.done, self.left) = (Some(other), Some(done), cycles);
        self.more(t);
        promise
    }

    #[local]
    fn more(&mut self, t: &Turn<'gc, Knots>) {
        let now = self.a_turn.min(self.left);
        let firsts = (0..now).map(|_| self.knot(t, None)).collect();
        if let Some(other) = &self.other {
            t.send(other.tie(t.me(), firsts));
        }
    }

    #[local]
    fn knot(&mut self, t: &Turn<'gc, Knots>, other: Option<FarKnot<'gc>>) -> FarKnot<'gc> {
        let knot = t.alloc(Mut::new(Knot {
            other,
            _noted: Noted,
        }));
        match (self.they, self.other.is_some()) {
            // The other actor's objects are reached through the first ones.
            (_, true) => self.open.push(knot),
            (They::AreKept, false) => self.kept.push(t, knot),
            (They::AreDropped, false) => {}
        }
        t.far(knot)
    }

    /// Makes an object for each of these.
    fn tie(&mut self, t: &Turn<'gc, Knots>, first: Address<Knots>, others: Vec<FarKnot<'gc>>) {
        let seconds = others.into_iter().map(|other| self.knot(t, Some(other)));
        let seconds = seconds.collect();
        t.send(first.close(seconds));
    }

    /// The cycles are closed.
    fn close(&mut self, t: &Turn<'gc, Knots>, seconds: Vec<FarKnot<'gc>>) {
        self.left -= seconds.len() as u64;
        for (knot, second) in std::mem::take(&mut self.open).into_iter().zip(seconds) {
            knot.borrow_mut(t).other = Some(second);
            if self.they == They::AreKept {
                self.kept.push(t, knot);
            }
        }
        match self.left {
            0 => self
                .done
                .take()
                .into_iter()
                .for_each(|done| done.resolve(0)),
            _ => self.more(t),
        }
    }
}

fn child(run: &Run) -> Result<(), Failure> {
    let (cycles, a_turn) = (run.count("cycles"), run.count("a_turn"));
    let they = match run.choice("they") {
        "kept" => They::AreKept,
        _ => They::AreDropped,
    };
    let system = run.system();
    let front = round_trips::pair(&system);
    let both = [(); 2].map(|()| Knots::spawn(&system, they, a_turn));
    front.begin().send();
    let before = process::rss();
    let meter = Meter::start();
    let _made = both[0].make(both[1].clone(), cycles).ask_blocking()?;
    let last = Instant::now();
    let is_over = || they == They::AreKept || DROPPED.load(Ordering::Relaxed) == 2 * cycles;
    while !is_over() && last.elapsed() < LOOK_FOR {
        thread::sleep(LOOK_EVERY);
    }
    let reclaimed = last.elapsed();
    let mut figures = Figures::new(meter.stop(), cycles, String::new());
    let grown = process::peak_rss().saturating_sub(before);
    figures.add("reclaimed_ms", reclaimed.as_secs_f64() * 1e3);
    figures.add("grown_bytes", grown);
    let pauses = system.inspect().pauses;
    figures.add("group_pauses", pauses[PauseKind::GroupMark].count);
    for (kind, pauses) in pauses.iter().filter(|(_, pauses)| pauses.count > 0) {
        let name = format!("{kind}_max_us");
        figures.add(&name, pauses.longest.as_secs_f64() * 1e6);
    }
    if they == They::AreDropped {
        // The counts of the objects are released after the objects.
        thread::sleep(SETTLES);
        figures.add("rest_bytes", process::rss().saturating_sub(before));
    }
    let dropped = DROPPED.load(Ordering::Relaxed);
    figures.latency = Some(front.so_far().ask_blocking()?);
    sides::print((dropped, figures))
}

/// What comes of one of the two, and the growth of its process.
fn figures(run: &Run, they: &'static str) -> Result<(Figures, u64), Failure> {
    let mut run = run.clone();
    run.params.set("they", Value::Choice(they));
    let (dropped, mut figures): sides::Outcome = child::run(&run, OBJECT_CYCLES.name)?.output;
    let expected = if they == "kept" { 0 } else { 2 * figures.ops };
    figures.check = run.check("objects of cycles that were dropped", expected, dropped)?;
    figures.params = vec![("they", Value::Choice(they))];
    let grown = figures.own("grown_bytes").and_then(|it| it.as_u64());
    Ok((figures, grown.unwrap_or(0)))
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (kept, all) = figures(run, "kept")?;
    let (mut dropped, peak) = figures(run, "dropped")?;
    let rest = dropped.own("rest_bytes").and_then(|it| it.as_u64());
    dropped.add("peak_share", peak as f64 / all.max(1) as f64);
    dropped.add("rest_share", rest.unwrap_or(0) as f64 / all.max(1) as f64);
    Ok(vec![dropped, kept])
}
