//! The programs of the Orca paper, with the messages between collectors: `vivant-bench table` shows
//! them beside the paper's.
//!
//! Protocol: figure 21 of *Orca: GC and type system co-design for actor languages* (OOPSLA 2017),
//! smaller, for two processors: `trees 24` has depth 18, `trees' 20` 14, `rings` has 25,000 hops
//! for 500,000, `mailbox` 20 senders of 500,000 messages for 496 of 1,000,000. `heavyring` is as
//! there, of depth 16; `heavyring_val` is the paper's remark on immutable trees. `server` is its
//! `serverSim`, of which the paper has times and no counts: two servers with 2,000 requests each, a
//! tree of depth 14 for each, as in `server14`. A sender sends 1,000 messages a turn.
//!
//! Counted, when all actors are idle: messages of the program, including its setup; batches of INCs
//! and DECs, as the paper's messages are batches; collections; the runtime's idle checks of actors,
//! which are messages too. `collector_share` is the share of INCs, DECs and idle checks in all
//! messages. Actors without collected parts have no heap here. References to an actor are counted
//! in its cell, where Pony sends messages.

use super::collector_messages::CollectorMessages;
use super::programs::{self, Program};
use super::work;
use crate::prelude::*;
use std::thread;
use std::time::Duration;

pub(super) const RINGS: Param = Param::count("rings", 128, 4, "rings, of ten actors each");
pub(super) const HOPS: Param = Param::count("hops", 25_000, 101, "hops of each ring's token");
pub(super) const SENDERS: Param = Param::count("senders", 20, 4, "senders of the mailbox");
pub(super) const ITEMS: Param = Param::count("items", 500_000, 250, "messages of each sender");
pub(super) const REQUESTS: Param =
    Param::count("requests", 2_000, 20, "requests to each of two servers");
pub(super) const REQUEST_DEPTH: Param =
    Param::count("request_depth", 14, 4, "depth of a request's tree");

pub(in crate::workloads) const ORCA: Bench = Bench::new(
    Group::Sharing,
    "orca",
    "the programs of the Orca paper, and the messages between collectors meanwhile",
    &[
        Param::count(
            "depth",
            18,
            8,
            "depth of trees; those of trees2 have four less",
        )
        .at_least(8),
        RINGS,
        HOPS,
        SENDERS,
        ITEMS,
        REQUESTS,
        REQUEST_DEPTH,
        Param::count(
            "settle",
            2_500,
            1,
            "milliseconds without requests before counts are read",
        ),
    ],
    run,
);

/// The paper's numbers for Pony: messages of the program, INCs, DECs, collections.
const PAPER: [&str; 4] = ["paper_app", "paper_incs", "paper_decs", "paper_cycles"];

const PROGRAMS: [(&str, Program, Option<[u64; 4]>); 7] = [
    ("trees", work::trees, Some([22_369_658, 0, 14, 4_194_453])),
    (
        "trees2",
        work::trees2,
        Some([20_884_713, 0, 138, 3_847_755]),
    ),
    ("heavyring", programs::heavyring, Some([775, 640, 705, 642])),
    ("heavyring_val", programs::heavyring_val, None),
    ("server", programs::server, None),
    ("rings", programs::rings, Some([64_001_668, 0, 1_408, 137])),
    ("mailbox", programs::mailbox, Some([496_000_996, 0, 992, 1])),
];

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let mut rows = Vec::new();
    for (name, program, paper) in PROGRAMS {
        let system = run.system();
        let done = program(run, &system)?;
        let (what, expected, got) = done.result;
        let check = run.check(what, expected, got)?;
        let mut figures = Figures::new(done.spent, done.ops, check);
        figures.latency = done.latency;
        thread::sleep(Duration::from_millis(run.count("settle")));
        CollectorMessages::in_system(&system).add_to(&mut figures);
        for (field, count) in PAPER.into_iter().zip(paper.into_iter().flatten()) {
            figures.add(field, count);
        }
        figures.params = vec![("program", Value::Choice(name))];
        rows.push(figures);
    }
    Ok(rows)
}
