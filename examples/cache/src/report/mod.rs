//! Reports: what a run met.
//!
//! - [`Outcome`]: everything there is to report; `table`: for a terminal, its `Display`.
//! - [`json`]: one line for programs.

mod json;
mod table;

pub use json::json;

use crate::audit::Audit;
use crate::load::{Plan, Tally};
use crate::stats::{Heap, Stats};
use std::time::Duration;

/// What happened.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was to be done, in each round.
    pub plan: Plan,
    /// How many titles there were.
    pub titles: u64,
    /// Where pages and requests came from.
    pub seed: u64,
    /// How many rounds each server had.
    pub rounds: u32,
    /// By server.
    pub runs: Vec<Run>,
}

/// What happened to one server.
#[derive(Clone, Debug)]
pub struct Run {
    /// What the load generator met.
    pub tally: Tally,
    /// What the server told before it was asked for pages.
    pub before: Stats,
    /// What its heaps did while it was asked for pages: between rounds they rest, and are collected too.
    pub under_load: Heap,
    /// What the server told after that.
    pub after: Stats,
    /// What the audit found.
    pub audit: Audit,
    /// How long it took to open and fill.
    pub filled_in: Duration,
}

impl Outcome {
    /// Whether every request was answered as it should be, and the audits hold.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.complaints().is_empty()
    }

    /// What is wrong, in sentences.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let due = self.plan.requests() * u64::from(self.rounds);
        let mut all = Vec::new();
        for run in &self.runs {
            let name = run.after.store;
            all.extend(run.complaints(due).map(|it| format!("{name}: {it}")));
        }
        all
    }
}

impl Run {
    fn complaints(&self, due: u64) -> impl Iterator<Item = String> {
        let Run {
            tally,
            before,
            after,
            ..
        } = self;
        let mut all: Vec<String> = self
            .audit
            .findings
            .iter()
            .map(|it| format!("audit: {it}"))
            .collect();
        let met = (tally.hits, tally.misses);
        let told = (after.hits - before.hits, after.misses - before.misses);
        if met != told {
            all.push(format!(
                "the load generator met {} hits and {} misses, the server counts {} and {}",
                met.0, met.1, told.0, told.1
            ));
        }
        if tally.answers() != due {
            all.push(format!("{due} pages were due and {} came", tally.answers()));
        }
        if tally.unexpected > 0 {
            all.push(format!("{} answers should not have come", tally.unexpected));
            all.extend(tally.unexpected_first.iter().map(ToString::to_string));
        }
        if tally.unsent > 0 {
            all.push(format!(
                "{} requests could not be sent in time",
                tally.unsent
            ));
        }
        if after.panics > 0 {
            all.push(format!("{} turns panicked", after.panics));
        }
        if after.dead_letters > 0 {
            all.push(format!(
                "{} messages were taken by nobody",
                after.dead_letters
            ));
        }
        all.into_iter()
    }
}
