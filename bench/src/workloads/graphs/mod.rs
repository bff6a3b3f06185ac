//! Actors with graphs as their states: the cost of a heap for each, and its pauses.
//!
//! - [`tree`]: the binary trees of all of them.
//! - [`trees`]: one actor, many trees, a step a tree; or all in one step.
//! - [`trees2`]: many actors, a message a tree.
//! - [`servers`]: the time between two answers.
//! - [`gcbench`]: trees that stay beside trees that do not.
//! - [`list_alloc`]: a long list that stays.
//! - [`small_heaps`]: many actors with very small heaps.

mod gcbench;
mod list_alloc;
mod servers;
mod small_heaps;
mod tree;
mod trees;
mod trees2;

pub(super) use gcbench::GCBENCH;
pub(super) use list_alloc::LIST_ALLOC;
pub(super) use servers::{SERVER8, SERVER14, Served, serve};
pub(super) use small_heaps::SMALL_HEAPS;
pub(super) use tree::{Tree, all_nodes, build, nodes, rounds};
pub(super) use trees::TREES;
pub(super) use trees2::TREES2;

use crate::row::Figures;
use serde_json::{Value, json};
use std::time::Duration;
use vivant::{Distribution, HeapFacts, PauseKind, System};

/// Adds the statistics of all actors' heaps to the figures.
pub(super) fn with_pauses(mut figures: Figures, heaps: HeapFacts) -> Figures {
    let longest_us = |kind| us(heaps.pauses[kind].longest);
    figures.add("minor", heaps.pauses[PauseKind::Minor].count);
    figures.add("minor_max_us", longest_us(PauseKind::Minor));
    let ended = [PauseKind::Major, PauseKind::MarkEnd].map(|kind| heaps.pauses[kind].count);
    figures.add("major", ended.iter().sum::<u64>());
    figures.add("major_max_us", longest_us(PauseKind::Major));
    figures.add("sweep_max_us", longest_us(PauseKind::Sweep));
    figures.add("pauses_s", heaps.pauses.all().total.as_secs_f64());
    figures
}

/// Adds the statistics of all heaps of a system, and how long its pauses took.
fn with_collections(figures: Figures, system: &System) -> Figures {
    with_distribution(with_pauses(figures, heaps(system)), "pauses", system)
}

/// Adds how long the pauses of a system took, those of actors included that have ended: all, and
/// each kind of which there were any. The name says by which clock.
pub(super) fn with_distribution(
    mut figures: Figures,
    name: &'static str,
    system: &System,
) -> Figures {
    let pauses = system.inspect().pauses;
    let kinds = pauses.iter().filter(|(_, these)| these.count > 0);
    let all = [("all", &pauses.all)].into_iter();
    let each = all.chain(kinds.map(|(kind, these)| (kind.name(), these)));
    let shown: serde_json::Map<_, _> = each
        .map(|(name, these)| (name.to_owned(), quantiles(these)))
        .collect();
    figures.add(name, shown);
    figures
}

fn quantiles(pauses: &Distribution) -> Value {
    json!({
        "count": pauses.count,
        "p50_us": us(pauses.p50),
        "p99_us": us(pauses.p99),
        "p999_us": us(pauses.p999),
        "p9999_us": us(pauses.p9999),
        "max_us": us(pauses.longest),
    })
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Of all heaps of a system together; of pauses the longest.
pub(super) fn heaps(system: &System) -> HeapFacts {
    let mut all = HeapFacts::default();
    for heap in system.inspect().actors.iter().filter_map(|it| it.heap) {
        all.live += heap.live;
        all.pages += heap.pages;
        all.allocated += heap.allocated;
        all.waits += heap.waits;
        all.spins += heap.spins;
        all.pauses = all.pauses.and(&heap.pauses);
    }
    all
}
