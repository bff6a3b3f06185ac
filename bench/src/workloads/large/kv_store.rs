//! A store of ten million entries in one actor: its service times while its whole heap is
//! collected.
//!
//! Protocol: `kv-store` of the Alligator paper, and `kv` of the peers. A map from numbers to boxed
//! numbers is filled. Then come operations, each one of three (insert a fresh box, remove a key,
//! look a key up), in chunks of 100,000; or single requests of one client, with 64 in flight, half
//! of which insert a fresh box. The sum of all values found, and of all values there at the end,
//! must be that of a model without boxes. `control` is the same program with the map of `std`, with
//! the same hasher, in an actor without a heap.
//!
//! A map of many entries makes little garbage: with the usual pacing nothing would be collected.
//! The heap's growth is set so that it is marked about `collections` times while it is timed, and
//! hardly ever while it is filled; with 0 it is the default growth.
//!
//! With `snapshots` so many are taken of the collected side, from the beginning of the timed part.
//!
//! Timed: from the first operation to the last. The service times are those between two
//! completions: of all chunks, or of all single requests but the first fifth. An operation is one
//! of the map. `load_s` is the filling.

use super::collected::{self, Collected};
use super::control::Control;
use super::operations::{self, Requests};
use super::snapshotted::{SNAPSHOTS, while_taking};
use super::store::{Client, Plan, Store};
use super::window::Window;
use crate::prelude::*;
use crate::workloads::sides::{self, Outcome};
use vivant_heap::Pacing;

pub(in crate::workloads) const KV_STORE: Bench = Bench::new(
    Group::Large,
    "kv_store",
    "a store of many boxed entries in one actor",
    &[
        Param::choice(
            "requests",
            &["chunks", "single"],
            "the form of the requests",
        ),
        Param::count("entries", 10_000_000, 5_000, "entries, nearly always"),
        Param::count("operations", 20_000_000, 100_000, "operations in chunks"),
        Param::count("chunk", 100_000, 10_000, "operations of a chunk"),
        Param::count("a_step", 1_000, 500, "operations of a step of a chunk"),
        Param::count("singles", 1_000_000, 20_000, "single requests"),
        Param::count(
            "collections",
            4,
            4,
            "full collections, about; 0: the usual pacing",
        )
        .at_least(0),
        SIDE,
        SNAPSHOTS,
        PAUSES,
    ],
    run,
)
.child(|run| {
    sides::print(match run.choice(SIDE.name) {
        CONTROL => work::<Control>(run, 0)?,
        _ => work::<Collected>(run, run.count(SNAPSHOTS.name))?,
    })
});

/// Which of the two.
const SIDE: Param = Param::choice(
    "side",
    &["both", COLLECTED, CONTROL],
    "a collected heap, or the same program without one",
);

const COLLECTED: &str = "collected";
const CONTROL: &str = "control";

fn plan(run: &Run) -> Plan {
    let (requests, operations) = match run.choice("requests") {
        "single" => (Requests::Single, run.count("singles")),
        _ => (Requests::Chunks, run.count("operations")),
    };
    Plan {
        requests,
        entries: run.count("entries"),
        operations,
        a_step: run.count("a_step"),
    }
}

/// An old object of one word, with its header.
const BOX: u64 = 16;

/// When the heap is marked: about so often while it is timed.
fn pacing(plan: Plan, collections: u64) -> Pacing {
    if collections == 0 {
        return Pacing::default();
    }
    let live = collected::bytes(plan.entries);
    let made = plan.requests.inserts(plan.operations) * BOX;
    let growth = 1.0 + made as f64 / (live * (collections + 1) as f64);
    Pacing::default()
        .growth(growth)
        .first((live * 0.99) as usize)
}

fn work<S: Store>(run: &Run, snapshots: u64) -> Result<Outcome, Failure> {
    let plan = plan(run);
    let Plan { operations, .. } = plan;
    let builder = match snapshots {
        0 => run.builder(),
        _ => S::list(run.builder()),
    };
    let system = builder
        .pacing(pacing(plan, run.count("collections")))
        .build();
    let loading = Meter::start();
    let store = S::spawn(&system, plan);
    S::load(&store)?;
    let load = loading.stop().wall;
    let window = Window::begin(run, &system);
    let operate = || match plan.requests {
        Requests::Chunks => {
            let chunk = run.count("chunk");
            let numbers = (1..=operations).step_by(chunk as usize);
            let one = |from| S::chunk(&store, from, (from + chunk).min(operations + 1));
            numbers.map(one).sum::<Result<u64, Failure>>()
        }
        Requests::Single => {
            let client = system.spawn(Client::new(store.clone(), plan));
            Ok(client.begin().ask_blocking()?)
        }
    };
    let (found, taken) = while_taking(snapshots, &system, operate)?;
    let seen = window.end();
    let (times, left) = S::end(&store)?;
    let mut figures = seen.figures(operations, String::new());
    figures.latency = Some(times.quantiles());
    figures.add("load_s", load.as_secs_f64());
    if snapshots > 0 {
        taken.add_to(&mut figures);
    }
    Ok((found + left, figures))
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let Plan {
        requests,
        entries,
        operations,
        ..
    } = plan(run);
    let sum = operations::expected(requests, entries, operations);
    let sides = sides::chosen(run, SIDE.name, [COLLECTED, CONTROL])
        .into_iter()
        .map(|side| vec![(SIDE.name, Value::Choice(side))])
        .collect();
    let expected = ("sum of what was found and what is left", sum);
    sides::compare(run, &KV_STORE, sides, expected, |_| Ok(()))
}
