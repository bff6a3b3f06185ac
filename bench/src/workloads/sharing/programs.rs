//! The programs of the Orca paper, of which `orca` makes a table; those with trees are in `work`.

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
    pub(super) check: String,
    /// Its actors.
    pub(super) _kept: Box<dyn Any>,
}

pub(super) type Program = fn(&Run, &System) -> Result<Done, Failure>;

/// Levels of the tree that goes round.
const LEVELS: u64 = 16;

/// A ring, in which a region goes round.
pub(super) fn heavyring(run: &Run, system: &System) -> Result<Done, Failure> {
    go_round(run, Owned::<Region>::new(system.clone(), 64, LEVELS - 1)?)
}

/// The same with an immutable tree.
pub(super) fn heavyring_val(run: &Run, system: &System) -> Result<Done, Failure> {
    go_round(run, Shared::new(system.clone(), 64, LEVELS - 1)?)
}

fn go_round(run: &Run, mut ring: impl Ring + 'static) -> Result<Done, Failure> {
    let spent = ring.tree(0, 640)?;
    Ok(Done {
        spent,
        ops: 640,
        check: run.check("visits", 641, ring.counts()?.visits)?,
        _kept: Box::new(ring),
    })
}

pub(super) fn rings(run: &Run, system: &System) -> Result<Done, Failure> {
    let (count, hops) = (run.count("rings"), run.count("hops"));
    let (spent, places) = rings::turn(system, count, 10, hops)?;
    let expected = rings::sum_of_places(count, 10, hops);
    Ok(Done {
        spent,
        ops: count * hops,
        check: run.check(
            "sum of the places at which the tokens end",
            expected,
            places,
        )?,
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
        check: run.check("sum of the items", expected, sum)?,
        _kept: Box::new(()),
    })
}
