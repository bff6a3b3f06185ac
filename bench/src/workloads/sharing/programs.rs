//! The programs of the Orca paper, of which `orca` makes a table; those with trees are in `work`.

use super::super::graphs::{self, Served};
use super::super::{mailbox, rings};
use super::heavyring::Ring;
use super::owned::{Owned, Region};
use super::shared::Shared;
use crate::prelude::*;
use std::any::Any;
use vivant::System;

/// What a program did.
pub(super) struct Done {
    pub(super) spent: Spent,
    pub(super) ops: u64,
    /// What came out: what it is, its expected value and its actual one.
    pub(super) result: (&'static str, u64, u64),
    /// Of the times between two answers, if the program measures them.
    pub(super) latency: Option<Quantiles>,
    /// Its actors.
    pub(super) _kept: Box<dyn Any>,
}

pub(super) type Program = fn(&Run, &System) -> Result<Done, Failure>;

/// Levels of the tree that goes round.
const LEVELS: u64 = 16;

/// A ring, in which a region goes round.
pub(super) fn heavyring(_: &Run, system: &System) -> Result<Done, Failure> {
    go_round(Owned::<Region>::new(system.clone(), 64, LEVELS - 1)?)
}

/// The same with an immutable tree.
pub(super) fn heavyring_val(_: &Run, system: &System) -> Result<Done, Failure> {
    go_round(Shared::new(system.clone(), 64, LEVELS - 1)?)
}

fn go_round(mut ring: impl Ring + 'static) -> Result<Done, Failure> {
    let spent = ring.tree(0, 640)?;
    Ok(Done {
        spent,
        ops: 640,
        result: ("visits", 641, ring.counts()?.visits),
        latency: None,
        _kept: Box::new(ring),
    })
}

/// Servers that make a tree for each request; with the times between answers.
pub(super) fn server(run: &Run, system: &System) -> Result<Done, Failure> {
    let (requests, depth) = (run.count("requests"), run.count("request_depth"));
    let Served {
        spent,
        sum,
        between,
        kept,
    } = graphs::serve(system, 2, requests, depth)?;
    Ok(Done {
        spent,
        ops: 2 * requests,
        result: ("nodes counted", 2 * requests * graphs::nodes(depth), sum),
        latency: Some(between.quantiles()),
        _kept: kept,
    })
}

pub(super) fn rings(run: &Run, system: &System) -> Result<Done, Failure> {
    let (count, hops) = (run.count("rings"), run.count("hops"));
    let (spent, places) = rings::turn(system, count, 10, hops)?;
    let expected = rings::sum_of_places(count, 10, hops);
    Ok(Done {
        spent,
        ops: count * hops,
        result: (
            "sum of the places at which the tokens end",
            expected,
            places,
        ),
        latency: None,
        _kept: Box::new(()),
    })
}

pub(super) fn mailbox(run: &Run, system: &System) -> Result<Done, Failure> {
    let (senders, items) = (run.count("senders"), run.count("items"));
    let (spent, sum) = mailbox::fill(system, senders, items, 1_000)?;
    let expected = mailbox::sum_of_items(senders, items);
    Ok(Done {
        spent,
        ops: senders * items,
        result: ("sum of the items", expected, sum),
        latency: None,
        _kept: Box::new(()),
    })
}
