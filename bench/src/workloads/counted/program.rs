//! Benches that run a program with each pointer.
//!
//! Protocol: the client programs of the PACT paper, as far as they are known; each file in
//! `programs` says what it took from where. Every pointer must give the same result as the pointer
//! that counts, which runs first, untimed, in another process.
//!
//! Timed: the program, in a process of its own. An operation is an increment or a decrement of a
//! count, the last decrement of an object too. `relative_time` and `relative_memory` are relative
//! to `Arc`, in the same rounds.

use super::pointers::{PROGRAMS, WORDS};
use super::sides::{POINTER, add_relative};
use super::tally::{self, Counts};
use crate::prelude::*;
use crate::workloads::sides::{self, ROUNDS};
use std::thread;

/// A program: what comes out must not depend on the pointer.
type Program = fn(&Run) -> u64;

/// All programs, with one pointer.
pub(super) struct Programs {
    pub(super) gcbench: Program,
    pub(super) json: Program,
    pub(super) raytrace: Program,
    pub(super) dna: Program,
}

/// The number of threads that run the program at once, each independently.
#[derive(Clone, Copy)]
pub(super) enum Threads {
    One,
    /// As many as the run has.
    Several,
}

impl Threads {
    pub(super) fn count(self, run: &Run) -> usize {
        match self {
            Threads::One => 1,
            Threads::Several => run.threads,
        }
    }
}

const WHICH: Param = Param::choice(POINTER, WORDS, "which pointer");
pub(super) const DEPTH: Param =
    Param::count("depth", 18, 8, "depth of the largest tree").at_least(6);

pub(super) const RECORDS: Param = Param::count("records", 2_000, 10, "records of a document");
pub(super) const DOCUMENTS: Param =
    Param::count("documents", 300, 1, "documents, one after the other");
pub(super) const WIDTH: Param = Param::count(
    "width",
    480,
    8,
    "points in a line; three quarters as many lines",
)
.at_least(2);
pub(super) const SAMPLES: Param = Param::count("samples", 12, 1, "ways of light for each point");
pub(super) const LETTERS: Param = Param::count("letters", 5_000_000, 1_000, "letters of the text");

pub(in crate::workloads) const GCBENCH_SINGLE: Bench = Bench::new(
    Group::Programs,
    "gcbench_single",
    "trees that live long and trees that do not, for each counted pointer",
    &[DEPTH, ROUNDS, WHICH],
    |run| compare(run, &GCBENCH_SINGLE, Threads::One, |of| of.gcbench),
)
.child(|run| child(run, Threads::One, |of| of.gcbench));

pub(in crate::workloads) const GCBENCH_MULTI: Bench = Bench {
    name: "gcbench_multi",
    about: "the same in several threads, each with its own trees",
    run: |run| compare(run, &GCBENCH_MULTI, Threads::Several, |of| of.gcbench),
    child: Some(|run| child(run, Threads::Several, |of| of.gcbench)),
    ..GCBENCH_SINGLE
};

pub(in crate::workloads) const JSON: Bench = Bench {
    name: "json",
    about: "JSON documents are built, queried, changed and printed, for each counted pointer",
    params: &[RECORDS, DOCUMENTS, ROUNDS, WHICH],
    run: |run| compare(run, &JSON, Threads::One, |of| of.json),
    child: Some(|run| child(run, Threads::One, |of| of.json)),
    ..GCBENCH_SINGLE
};

pub(in crate::workloads) const RAYTRACE: Bench = Bench {
    name: "raytrace",
    about: "a picture of balls by the ways of light, for each counted pointer",
    params: &[WIDTH, SAMPLES, ROUNDS, WHICH],
    run: |run| compare(run, &RAYTRACE, Threads::One, |of| of.raytrace),
    child: Some(|run| child(run, Threads::One, |of| of.raytrace)),
    ..GCBENCH_SINGLE
};

pub(in crate::workloads) const DNA: Bench = Bench {
    name: "dna",
    about: "patterns in DNA are counted and replaced in slices of one text, for each counted pointer",
    params: &[LETTERS, ROUNDS, WHICH],
    run: |run| compare(run, &DNA, Threads::One, |of| of.dna),
    child: Some(|run| child(run, Threads::One, |of| of.dna)),
    ..GCBENCH_SINGLE
};

/// The child: the program with the pointer of the run.
fn child(run: &Run, threads: Threads, select: fn(&Programs) -> Program) -> Result<(), Failure> {
    let pointer = run.choice(POINTER);
    let named = PROGRAMS.iter().find(|(name, _)| *name == pointer);
    let (_, programs) = named.expect("the parent names one pointer");
    sides::print(sides::timed(|| everywhere(run, threads, select(programs))))
}

/// The sum of the results of all threads.
pub(super) fn everywhere(run: &Run, threads: Threads, program: Program) -> u64 {
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads.count(run))
            .map(|_| scope.spawn(|| program(run)))
            .collect();
        let own = program(run);
        others.into_iter().fold(own, |sum, other| {
            sum.wrapping_add(other.join().expect("programs do not panic"))
        })
    })
}

fn compare(
    run: &Run,
    bench: &Bench,
    threads: Threads,
    select: fn(&Programs) -> Program,
) -> Result<Vec<Figures>, Failure> {
    let count = threads.count(run) as u64;
    let program = select(&tally::programs::PROGRAMS);
    let (result, Counts { objects, ops }) = tally::counted(|| program(run));
    let (result, objects, ops) = (result.wrapping_mul(count), objects * count, ops * count);
    let sides = sides::chosen(run, POINTER, PROGRAMS.iter().map(|(name, _)| *name))
        .into_iter()
        .map(|name| vec![(POINTER, Value::Choice(name))])
        .collect();
    let expected = ("what came out", result);
    let mut rows = sides::compare(run, bench, sides, expected, |_| Ok(()))?;
    add_relative(&mut rows);
    for figures in &mut rows {
        figures.ops = ops;
        let us = figures.spent.wall.as_secs_f64() * 1e6;
        figures.add("objects", objects);
        figures.add("count_ops_per_us", ops as f64 / us);
        figures.add("objects_per_us", objects as f64 / us);
        figures.add("ops_per_object", ops as f64 / objects as f64);
    }
    Ok(rows)
}
