//! A collected heap and its control, each in a process of its own, so that each has its own peak of
//! memory.

use crate::child;
use crate::prelude::*;
use crate::process;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Which of them.
pub(super) const SIDE: Param = Param::choice(
    "side",
    &["both", COLLECTED, CONTROL],
    "a collected heap, or the same program without one",
);

pub(super) const COLLECTED: &str = "collected";
pub(super) const CONTROL: &str = "control";

/// The result of a side, and its figures without a check.
pub(super) type Outcome = (u64, Figures);

/// What a child says.
#[derive(Serialize, Deserialize)]
struct Said {
    wall: Duration,
    cpu: Duration,
    ops: u64,
    peak_rss_bytes: u64,
    result: u64,
    latency: Option<Quantiles>,
    extra: BTreeMap<String, serde_json::Value>,
}

/// In the child: says what a side has found out.
pub(super) fn say((result, figures): Outcome) -> Result<(), Failure> {
    let extra = figures.extra.into_iter();
    child::say(&Said {
        wall: figures.spent.wall,
        cpu: figures.spent.cpu,
        ops: figures.ops,
        peak_rss_bytes: process::peak_rss(),
        result,
        latency: figures.latency,
        extra: extra.map(|(name, it)| (name.to_owned(), it)).collect(),
    })
}

/// Runs the sides that are wanted, all of which must have this result.
pub(super) fn compare(
    run: &Run,
    bench: &Bench,
    (what, result): (&'static str, u64),
) -> Result<Vec<Figures>, Failure> {
    let chosen = run.choice(SIDE.name);
    let wanted = |side: &&str| chosen == "both" || chosen == *side;
    let sides = [COLLECTED, CONTROL].into_iter().filter(wanted);
    let row = |side| {
        let mut run = run.clone();
        run.params.set(SIDE.name, Value::Choice(side));
        let said = child::live::<Said>(&run, bench.name)?.said;
        let (wall, cpu) = (said.wall, said.cpu);
        let check = run.check(what, result, said.result)?;
        let mut figures = Figures::new(Spent { wall, cpu }, said.ops, check);
        figures.peak_rss = Some(said.peak_rss_bytes);
        figures.latency = said.latency;
        // A row's names are those of the program, and a few.
        let named = |(name, it): (String, _)| (&*name.leak(), it);
        figures.extra = said.extra.into_iter().map(named).collect();
        figures.params.push((SIDE.name, Value::Choice(side)));
        Ok(figures)
    };
    sides.map(row).collect()
}
