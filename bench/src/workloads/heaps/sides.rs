//! Compares a heap with `Box`: runs each side in a process of its own, and `Box` on mimalloc in the
//! program that is built with it. The sides take turns, for some rounds; the median round counts.

use crate::prelude::*;
use crate::workloads::sides;
pub(super) use crate::workloads::sides::{Outcome, ROUNDS};
use std::env::consts::EXE_SUFFIX;
use std::path::Path;
use std::time::{Duration, Instant};
use vivant_heap::{Heap, Root};

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

/// Times all of `work`, which gives a result. The longest measured collection between two turns is
/// one of the figures.
pub(super) fn timed(work: impl FnOnce(&mut Pauses) -> u64) -> Outcome {
    let mut pauses = Pauses::default();
    let (result, mut figures) = sides::timed(|| work(&mut pauses));
    if let Some(pause) = pauses.longest {
        figures.add("longest_pause_us", pause.as_secs_f64() * 1e6);
    }
    (result, figures)
}

/// The times of collections.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    longest: Option<Duration>,
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

/// In the child: runs the side's workload and prints its figures.
pub(super) fn print(run: &Run, works: &[(&str, Work)]) -> Result<(), Failure> {
    let side = run.choice(SIDE.name);
    let named = works.iter().find(|(name, _)| *name == side);
    let (_, work) = named.expect("the parent names one side");
    sides::print(work(run))
}

/// Runs children of `bench`, one for each side in each round. All must have this result, after so
/// many operations. Times are relative to those of `Box` on mimalloc.
pub(super) fn compare(
    run: &Run,
    bench: &Bench,
    works: &[(&'static str, Work)],
    expected: (&'static str, u64),
    ops: u64,
) -> Result<Vec<Figures>, Failure> {
    let side = |name| vec![(SIDE.name, Value::Choice(name))];
    let chosen = sides::chosen(run, SIDE.name, works.iter().map(|(name, _)| *name));
    let all = chosen.into_iter().map(side).collect();
    let mut rows = sides::compare(run, bench, all, expected, with_its_allocator)?;
    let base = rows.iter().find(|it| it.params == side(BOX_MIMALLOC));
    let base = base.map(|base| base.spent);
    for figures in &mut rows {
        figures.ops = ops;
        if let Some(base) = base {
            figures.add_relative_time(base);
        }
    }
    Ok(rows)
}

/// `Box` on mimalloc is a side of another program.
fn with_its_allocator(run: &mut Run) -> Result<(), Failure> {
    if run.choice(SIDE.name) != BOX_MIMALLOC {
        return Ok(());
    }
    let name = format!("{WITH_MIMALLOC}{EXE_SUFFIX}");
    run.program = run.program.with_file_name(name);
    is_there(&run.program)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_not_built_is_named() {
        let error = is_there(Path::new("/nowhere/bench")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/bench is not there"));
    }
}
