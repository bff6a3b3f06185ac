//! Compares a heap with `Box`: runs each side in a process of its own, and `Box` on mimalloc in the
//! program that is built with it. The sides take turns, for some rounds; the median round counts.

use crate::child;
use crate::prelude::*;
use crate::process;
use serde::{Deserialize, Serialize};
use std::env::consts::EXE_SUFFIX;
use std::path::Path;
use std::time::{Duration, Instant};
use vivant_heap::{Heap, Root};

pub(super) const ROUNDS: Param = Param::count("rounds", 3, 1, "rounds, of which the median counts");

/// Which memory.
pub(super) const SIDE: Param = Param::choice(
    "side",
    &["all", HEAP, BOX, BOX_MIMALLOC],
    "a heap, or `Box` with either allocator",
);

pub(super) const HEAP: &str = "heap";
pub(super) const BOX: &str = "box";
/// `Box` in a process with mimalloc as its allocator.
pub(super) const BOX_MIMALLOC: &str = "box_mimalloc";

/// The program that has it.
const WITH_MIMALLOC: &str = "vivant-bench-mimalloc";

/// A program, for one side.
pub(super) type Work = fn(&Run) -> Outcome;

/// The result of a side's program.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) spent: Spent,
    pub(super) result: u64,
    pub(super) latency: Option<Quantiles>,
    /// The longest measured collection between two turns.
    pub(super) longest_pause: Option<Duration>,
}

impl Outcome {
    /// Times all of `work`, which gives a result.
    pub(super) fn of(work: impl FnOnce(&mut Pauses) -> u64) -> Outcome {
        let mut pauses = Pauses::default();
        let meter = Meter::start();
        let result = work(&mut pauses);
        Outcome {
            spent: meter.stop(),
            result,
            latency: None,
            longest_pause: pauses.longest,
        }
    }
}

/// The times of collections.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    pub(super) longest: Option<Duration>,
}

impl Pauses {
    /// [`Heap::pace`], timed.
    pub(super) fn pace<R: Root>(&mut self, heap: &mut Heap<R>) {
        let began = Instant::now();
        heap.pace();
        let pause = began.elapsed();
        self.longest = Some(self.longest.map_or(pause, |longest| longest.max(pause)));
    }
}

/// The output of a child.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Said {
    wall: Duration,
    cpu: Duration,
    peak_rss_bytes: u64,
    result: u64,
    latency: Option<Quantiles>,
    longest_pause: Option<Duration>,
}

/// In the child: runs the side's workload and prints its times.
pub(super) fn say(run: &Run, works: &[(&str, Work)]) -> Result<(), Failure> {
    let side = run.choice(SIDE.name);
    let named = works.iter().find(|(name, _)| *name == side);
    let (_, work) = named.expect("the parent names one side");
    let outcome = work(run);
    child::say(&Said {
        wall: outcome.spent.wall,
        cpu: outcome.spent.cpu,
        peak_rss_bytes: process::peak_rss(),
        result: outcome.result,
        latency: outcome.latency,
        longest_pause: outcome.longest_pause,
    })
}

/// Runs children of `bench`, one for each side in each round. All must have this result, after so
/// many operations.
pub(super) fn compare(
    run: &Run,
    bench: &Bench,
    works: &[(&'static str, Work)],
    (what, result): (&'static str, u64),
    ops: u64,
) -> Result<Vec<Figures>, Failure> {
    let chosen = run.choice(SIDE.name);
    let all = !works.iter().any(|(name, _)| *name == chosen);
    let sides: Vec<&'static str> = works
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| all || *name == chosen)
        .collect();
    let mut said = vec![Vec::new(); sides.len()];
    for _ in 0..run.count(ROUNDS.name) {
        for (side, said) in sides.iter().zip(&mut said) {
            said.push(live(run, bench, side)?);
        }
    }
    let middles: Vec<Said> = said.iter().map(|said| middle(said)).collect();
    let mut rows = Vec::new();
    for ((side, said), middle) in sides.iter().zip(&said).zip(&middles) {
        let mut check = String::new();
        for it in said {
            check = run.check(what, result, it.result)?;
        }
        let (wall, cpu) = (middle.wall, middle.cpu);
        let mut figures = Figures::new(Spent { wall, cpu }, ops, check);
        figures.params.push((SIDE.name, Value::Choice(side)));
        figures.peak_rss = Some(middle.peak_rss_bytes);
        figures.latency = middle.latency;
        if let Some(pause) = middle.longest_pause {
            let us = pause.as_secs_f64() * 1e6;
            figures.extra.insert("longest_pause_us", us.into());
        }
        if let Some(base) = sides.iter().position(|side| *side == BOX_MIMALLOC) {
            let time = wall.as_secs_f64() / middles[base].wall.as_secs_f64();
            figures.extra.insert("relative_time", time.into());
        }
        rows.push(figures);
    }
    Ok(rows)
}

fn live(run: &Run, bench: &Bench, side: &'static str) -> Result<Said, Failure> {
    let mut run = run.clone();
    run.params.set(SIDE.name, Value::Choice(side));
    if side == BOX_MIMALLOC {
        let name = format!("{WITH_MIMALLOC}{EXE_SUFFIX}");
        run.program = run.program.with_file_name(name);
        is_there(&run.program)?;
    }
    Ok(child::live::<Said>(&run, bench.name)?.said)
}

fn is_there(program: &Path) -> Result<(), Failure> {
    if program.exists() {
        return Ok(());
    }
    Err(Failure::Child(format!(
        "{} is not there: `cargo build --release -p vivant-bench` builds it, `cargo run` does not",
        program.display()
    )))
}

/// The round with the median time.
fn middle(said: &[Said]) -> Said {
    let mut said = said.to_vec();
    said.sort_unstable_by_key(|it| it.wall);
    let middle = said.len() / 2;
    said.swap_remove(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_not_built_is_named() {
        let error = is_there(Path::new("/nowhere/bench")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/bench is not there"));
    }

    #[test]
    fn the_middle_round_counts() {
        let rounds = [3, 1, 2].map(|seconds| Said {
            wall: Duration::from_secs(seconds),
            cpu: Duration::ZERO,
            peak_rss_bytes: 10 - seconds,
            result: 5,
            latency: None,
            longest_pause: None,
        });
        let middle = middle(&rounds);
        assert_eq!((middle.wall.as_secs(), middle.peak_rss_bytes), (2, 8));
    }
}
