//! The bias of an actor's counted references: it outlasts the run in which they were made.
//!
//! Protocol: our own. An actor owns the `Brc`s that it makes, on whichever worker its runs are; in
//! the PACT paper a thread does. One actor clones a reference and drops the clone, many times in
//! one turn, and its next turn is a run of its own: it was idle meanwhile. `same_run`: the object
//! was made in this turn. `later_run`: it was made in the actor's first turn. `other_actor`:
//! another actor has made it, and is idle. `arc`: an `Arc`. The bias outlasts a run if `later_run`
//! takes the time of `same_run`. Before every second turn another actor computes for a tenth of a
//! millisecond, so that the runs are on different workers: `moved` is the share of turns that ran
//! on another thread than the actor's first.
//!
//! With the feature `counters` the rows have the operations on the biased count and on the shared
//! one (`biased`, `shared`), in all turns; their times are then not those of a usual build.
//!
//! Timed: as in `refcount`: the pairs of a turn, in the median turn; an operation is a clone with
//! its drop. Variants take turns. `relative_time` is relative to `same_run`.

use super::pointers::VALUE;
use super::refcount::{self, Measured, alone};
use crate::prelude::*;
use std::hint;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;
use vivant::prelude::*;
use vivant_brc::Brc;

pub(in crate::workloads) const BIAS: Bench = Bench::new(
    Group::References,
    "bias",
    "counted references of an actor, in the run that made them and in later ones",
    &[
        Param::count("clones", 20_000, 500, "clones of a variant in a turn"),
        Param::count(
            "rounds",
            501,
            2,
            "turns of each variant, of which the median counts",
        ),
    ],
    run,
);

/// Time for which another actor keeps a worker busy.
const BUSY: Duration = Duration::from_micros(100);

/// The pointer that a turn clones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variant {
    SameRun,
    LaterRun,
    OtherActor,
    Arc,
}

const VARIANTS: [(&str, Variant); 4] = [
    ("same_run", Variant::SameRun),
    ("later_run", Variant::LaterRun),
    ("other_actor", Variant::OtherActor),
    ("arc", Variant::Arc),
];

/// Operations on the counts of references, where the crate counts them.
#[derive(Clone, Copy, Default)]
struct Operations {
    biased: u64,
    shared: u64,
}

impl Operations {
    /// Those of the process so far. Without the feature there are none.
    fn now() -> Operations {
        #[cfg(feature = "counters")]
        {
            let counted = vivant_brc::counters::read();
            let (biased, shared) = (counted.biased, counted.shared);
            Operations { biased, shared }
        }
        #[cfg(not(feature = "counters"))]
        Operations::default()
    }
}

/// What one turn has measured.
struct Measurement {
    measured: Measured,
    thread: ThreadId,
    operations: Operations,
}

#[derive(Actor)]
struct Keeper {
    own: Brc<u64>,
    foreign: Brc<u64>,
    arc: Arc<u64>,
    first: ThreadId,
}

#[behaviours]
impl Keeper {
    #[start]
    fn new(_: &Turn<Self>, foreign: Brc<u64>) -> Keeper {
        Keeper {
            own: Brc::new(VALUE),
            foreign,
            arc: Arc::new(VALUE),
            first: thread::current().id(),
        }
    }

    fn first(&self) -> ThreadId {
        self.first
    }

    fn measure(&self, variant: Variant, clones: u64) -> Measurement {
        let made = (variant == Variant::SameRun).then(|| Brc::new(VALUE));
        let before = Operations::now();
        let measured = match variant {
            Variant::SameRun | Variant::LaterRun => {
                alone(made.as_ref().unwrap_or(&self.own), clones)
            }
            Variant::OtherActor => alone(&self.foreign, clones),
            Variant::Arc => alone(&self.arc, clones),
        };
        let after = Operations::now();
        Measurement {
            measured,
            thread: thread::current().id(),
            operations: Operations {
                biased: after.biased - before.biased,
                shared: after.shared - before.shared,
            },
        }
    }
}

/// Owns the object of [`Variant::OtherActor`], and keeps a worker busy.
#[derive(Actor)]
struct Other {
    own: Brc<u64>,
}

#[behaviours]
impl Other {
    #[start]
    fn new(_: &Turn<Self>) -> Other {
        Other {
            own: Brc::new(VALUE),
        }
    }

    fn lend(&self) -> Brc<u64> {
        Brc::clone_out(&self.own)
    }

    fn compute(&self, t: &Turn<Self>) {
        let until = t.now() + BUSY;
        while t.now() < until {
            hint::spin_loop();
        }
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (clones, rounds) = (run.count("clones"), run.count("rounds"));
    let system = run.system();
    let other = Other::spawn(&system);
    let keeper = Keeper::spawn(&system, other.lend().ask_blocking()?);
    let first = keeper.first().ask_blocking()?;
    let mut all: [Vec<Measurement>; VARIANTS.len()] = Default::default();
    for round in 0..rounds {
        for (at, (_, variant)) in VARIANTS.iter().enumerate() {
            if round % 2 == 1 {
                other.compute().send();
            }
            let turn = keeper.measure(*variant, clones).ask_blocking()?;
            all[at].push(turn);
        }
    }
    let mut rows = Vec::new();
    let mut base = None;
    for ((name, _), turns) in VARIANTS.into_iter().zip(all) {
        let moved = turns.iter().filter(|turn| turn.thread != first).count();
        let sum = |of: fn(&Operations) -> u64| turns.iter().map(|it| of(&it.operations)).sum();
        let (biased, shared): (u64, u64) = (sum(|it| it.biased), sum(|it| it.shared));
        let measured = turns.iter().map(|turn| turn.measured).collect();
        let mut figures = refcount::row(run, name, measured)?;
        figures.add("moved", moved as f64 / rounds as f64);
        figures.add_relative_time(*base.get_or_insert(figures.spent));
        if cfg!(feature = "counters") {
            figures.add("biased", biased);
            figures.add("shared", shared);
        }
        rows.push(figures);
    }
    Ok(rows)
}
