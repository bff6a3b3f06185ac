//! The programs of the Orca paper with the collector and without.
//!
//! Protocol: section 6.5 of *Orca: GC and type system co-design for actor languages* (OOPSLA 2017),
//! figures 19 and 20: `trees`, `trees'`, `rings`, `mailbox` and `serverSim`, as in `orca`, with
//! trees of two levels less, as the paper's are smaller there too. Without the collector a heap's
//! nursery has no end, so no turn is followed by a collection of it, and nothing is marked; what an
//! actor has allocated stays until its end. That is checked: there were no collections. `rings` and
//! `mailbox` have no objects.
//!
//! Timed: as in `orca`, in a process of its own for each, in turns; the median of the rounds. For
//! `server` the distribution is of the times between two answers of a server. `relative_time` and
//! `peak_rss_bytes` show the price: it is relative to the same program with the collector.

use super::super::graphs::heaps;
use super::orca::{HOPS, ITEMS, REQUEST_DEPTH, REQUESTS, RINGS, SENDERS};
use super::programs::{self, Program};
use super::work;
use crate::prelude::*;
use crate::workloads::sides::{self, ROUNDS};
use std::time::Duration;
use vivant::SystemBuilder;
use vivant::heap::{Marking, Pacing};

const PROGRAM: &str = "program";
const COLLECTOR: &str = "collector";

pub(in crate::workloads) const NO_COLLECTOR: Bench = Bench::new(
    Group::Sharing,
    "no_collector",
    "the programs of the Orca paper with the collector and without",
    &[
        Param::count(
            "depth",
            16,
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
        ROUNDS,
        Param::choice(PROGRAM, WORDS, "which program"),
        Param::choice(COLLECTOR, &["both", "on", "off"], "with it or without"),
    ],
    run,
)
.child(child);

const WORDS: &[&str] = &["all", "trees", "trees2", "server", "rings", "mailbox"];

/// Longer than any run: actors that are idle are not collected either.
const NEVER: Duration = Duration::from_secs(24 * 3_600);

fn named(word: &str) -> Program {
    match word {
        "trees" => work::trees,
        "trees2" => work::trees2,
        "server" => programs::server,
        "rings" => programs::rings,
        "mailbox" => programs::mailbox,
        other => unreachable!("the parent names a program, not {other}"),
    }
}

/// The builder of a system in which no heap is collected.
fn uncollected(builder: SystemBuilder) -> SystemBuilder {
    let pacing = Pacing::new().nursery(usize::MAX).first(usize::MAX);
    let builder = builder.pacing(pacing).collector(Marking::Never);
    builder.allocation_limit(usize::MAX).idle_after(NEVER)
}

/// The child: how far the result is from what it should be, which is 0, and the figures.
fn child(run: &Run) -> Result<(), Failure> {
    let builder = match run.choice(COLLECTOR) {
        "off" => uncollected(run.builder()),
        _ => run.builder(),
    };
    let system = builder.build();
    let done = named(run.choice(PROGRAM))(run, &system)?;
    let (_, expected, got) = done.result;
    let collections = heaps(&system).pauses.all();
    let mut figures = Figures::new(done.spent, done.ops, String::new());
    figures.latency = done.latency;
    figures.add("collections", collections.count);
    figures.add("pauses_s", collections.total.as_secs_f64());
    sides::print((got.wrapping_sub(expected), figures))
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let collectors = sides::chosen(run, COLLECTOR, ["on", "off"]);
    let mut rows = Vec::new();
    for program in sides::chosen(run, PROGRAM, WORDS[1..].iter().copied()) {
        let side = |collector: &&'static str| {
            vec![
                (PROGRAM, Value::Choice(program)),
                (COLLECTOR, Value::Choice(collector)),
            ]
        };
        let sides = collectors.iter().map(side).collect();
        let expected = ("difference from the program's result", 0);
        let mut of_program = sides::compare(run, &NO_COLLECTOR, sides, expected, |_| Ok(()))?;
        let base = of_program[0].spent;
        for (collector, figures) in collectors.iter().zip(&mut of_program) {
            if *collector == "off" {
                let count = figures
                    .own("collections")
                    .and_then(serde_json::Value::as_u64);
                run.check("collections without the collector", 0, count.unwrap_or(1))?;
            }
            if collectors.len() > 1 {
                figures.add_relative_time(base);
            }
        }
        rows.append(&mut of_program);
    }
    Ok(rows)
}
