//! Actors whose state is a graph: what a heap of one's own costs, and how long it holds an actor up.
//!
//! - [`tree`]: the binary trees of all of them.
//! - [`trees`]: one actor, many trees, a step a tree; or all in one step.
//! - [`trees2`]: many actors, a message a tree.
//! - [`servers`]: the time between two answers.
//! - [`gcbench`]: trees that stay beside trees that do not.
//! - [`list_alloc`]: a long list that stays.
//! - [`small_heaps`]: many actors that have next to nothing.

mod gcbench;
mod list_alloc;
mod servers;
mod small_heaps;
mod tree;
mod trees;
mod trees2;

pub(super) use gcbench::GCBENCH;
pub(super) use list_alloc::LIST_ALLOC;
pub(super) use servers::{SERVER8, SERVER14};
pub(super) use small_heaps::SMALL_HEAPS;
pub(super) use tree::{Tree, build, nodes};
pub(super) use trees::TREES;
pub(super) use trees2::TREES2;

use crate::row::Figures;
use vivant::{HeapFacts, Pauses, System};

/// What the heaps of all actors did, beside the figures.
pub(super) fn with_pauses(mut figures: Figures, heaps: HeapFacts) -> Figures {
    let us = |pauses: Pauses| pauses.longest.as_secs_f64() * 1e6;
    let extra = &mut figures.extra;
    extra.insert("minor", heaps.minor.count.into());
    extra.insert("minor_max_us", us(heaps.minor).into());
    extra.insert("major", heaps.major.count.into());
    extra.insert("major_max_us", us(heaps.major).into());
    extra.insert("sweep_max_us", us(heaps.sweep).into());
    let pauses = heaps.minor.total + heaps.major.total + heaps.sweep.total;
    extra.insert("pauses_s", pauses.as_secs_f64().into());
    figures
}

/// Of all heaps of a system together; of pauses the longest.
pub(super) fn heaps(system: &System) -> HeapFacts {
    let add = |sum: &mut Pauses, one: Pauses| {
        sum.count += one.count;
        sum.total += one.total;
        sum.longest = sum.longest.max(one.longest);
    };
    let mut all = HeapFacts::default();
    for heap in system.inspect().actors.iter().filter_map(|it| it.heap) {
        all.live += heap.live;
        all.pages += heap.pages;
        all.allocated += heap.allocated;
        add(&mut all.minor, heap.minor);
        add(&mut all.major, heap.major);
        add(&mut all.sweep, heap.sweep);
    }
    all
}
