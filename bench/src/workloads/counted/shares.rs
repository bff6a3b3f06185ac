//! Which operations of a program use which count: tables 1 and 6 of the PACT paper.
//!
//! Protocol: each of the programs, and of the servers, once with `Brc`, in a process of its own. An
//! operation is an increment or a decrement, as in `program`. An object is shared if a thread other
//! than its owner has counted references to it. `biased` and `shared` are operations on the two
//! counts, `on_shared` those on objects that were shared by then, `queued` objects that went to
//! their owner's queue. The shares are of all operations, or of all objects, in per cent.
//!
//! This bench is there with the feature `counters` only, which slows all operations: its times say
//! nothing. Checked are the program's result and, for the programs that need no threads, the number
//! of operations, which the pointer of `tally` has counted too.

use super::brc;
use super::program::{
    DEPTH, DOCUMENTS, LETTERS, Programs, RECORDS, SAMPLES, Threads, WIDTH, everywhere,
};
use super::server::{self, NUMBERS, Page, REQUESTS};
use super::tally::{self, Counts};
use crate::prelude::*;
use crate::workloads::sides;
use vivant_brc::counters;

const PROGRAM: &str = "program";

pub(in crate::workloads) const SHARES: Bench = Bench::new(
    Group::References,
    "shares",
    "shares of biased, shared and queued operations of the programs with counted pointers",
    &[
        Param::choice(PROGRAM, WORDS, "which program"),
        DEPTH,
        RECORDS,
        DOCUMENTS,
        WIDTH,
        SAMPLES,
        LETTERS,
        REQUESTS,
        NUMBERS,
    ],
    run,
)
.child(child);

const WORDS: &[&str] = &[
    "all",
    "gcbench_single",
    "gcbench_multi",
    "json",
    "raytrace",
    "dna",
    "server_json",
    "server_blog",
];

/// What a word of [`WORDS`] runs.
#[derive(Clone, Copy)]
enum Program {
    Alone(fn(&Programs) -> fn(&Run) -> u64, Threads),
    Served(Page),
}

fn named(word: &str) -> Program {
    match word {
        "gcbench_single" => Program::Alone(|of| of.gcbench, Threads::One),
        "gcbench_multi" => Program::Alone(|of| of.gcbench, Threads::Several),
        "json" => Program::Alone(|of| of.json, Threads::One),
        "raytrace" => Program::Alone(|of| of.raytrace, Threads::One),
        "dna" => Program::Alone(|of| of.dna, Threads::One),
        "server_json" => Program::Served(Page::Json),
        "server_blog" => Program::Served(Page::Blog),
        other => unreachable!("the parent names a program, not {other}"),
    }
}

/// The child: counts what the program of the run does.
fn child(run: &Run) -> Result<(), Failure> {
    let program = named(run.choice(PROGRAM));
    counters::reset();
    let (result, mut figures) = sides::timed(|| match program {
        Program::Alone(select, threads) => {
            everywhere(run, threads, select(&brc::programs::PROGRAMS))
        }
        Program::Served(page) => brc::serving::run(run, page),
    });
    let counted = counters::read();
    let (objects, ops) = (counted.objects, counted.biased + counted.shared);
    let of = |part: u64, all: u64| 100.0 * part as f64 / all as f64;
    figures.ops = ops;
    figures.add("objects", objects);
    figures.add("ops_per_object", ops as f64 / objects as f64);
    figures.add("shared_objects", of(counted.shared_objects, objects));
    figures.add("on_shared", of(counted.on_shared, ops));
    figures.add("biased", of(counted.biased, ops));
    figures.add("shared", of(counted.shared, ops));
    figures.add("queued_objects", of(counted.queued, objects));
    figures.add("queued", of(counted.queued, ops));
    sides::print((result, figures))
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let mut rows = Vec::new();
    for name in sides::chosen(run, PROGRAM, WORDS[1..].iter().copied()) {
        let side = vec![vec![(PROGRAM, Value::Choice(name))]];
        let (result, ops) = match named(name) {
            Program::Alone(select, threads) => {
                let program = select(&tally::programs::PROGRAMS);
                let (result, Counts { ops, .. }) = tally::counted(|| program(run));
                let count = threads.count(run) as u64;
                (result.wrapping_mul(count), Some(ops * count))
            }
            Program::Served(page) => (server::expected(run, page), None),
        };
        let expected = ("what came out", result);
        let figures = sides::compare(run, &SHARES, side, expected, |_| Ok(()))?;
        for row in figures {
            if let Some(ops) = ops {
                run.check("operations", ops, row.ops)?;
            }
            rows.push(row);
        }
    }
    Ok(rows)
}
