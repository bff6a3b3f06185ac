//! Who is muted by whom: the real book, as models use it.

use crate::runtime::mute::{Marks, Mutes, Muting, Pressure};
use std::collections::BTreeMap;

/// Who is muted by whom: the real book, or one with a planted bug. Actors are numbers.
pub(crate) trait Book {
    type Load;
    fn load() -> Self::Load;
    fn first(load: &Self::Load) -> usize;
    fn add(load: &Self::Load) -> usize;
    fn subtract(&self, load: &Self::Load, count: u32, marks: Marks) -> bool;
    fn closed(load: &Self::Load);
    fn depth(load: &Self::Load) -> usize;
    fn mute(
        &self,
        sender: (usize, &Self::Load),
        receiver: (usize, &Self::Load),
        marks: Marks,
    ) -> Muting<usize>;
    fn unmuted(&self, load: &Self::Load);
    fn recovered(&self, actor: (usize, &Self::Load)) -> Vec<usize>;
    fn ended(&self, actor: (usize, &Self::Load)) -> Vec<usize>;
    fn counts(&self) -> BTreeMap<u64, usize>;
    /// Whether a bug is planted in what the holder does.
    fn slip(&self) -> Slip {
        Slip::None
    }
}

/// Bugs of the holder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slip {
    None,
    /// The first of a batch that comes behind a backlog is not counted, as if it were the first of all.
    BatchNotCounted,
    /// The holder does not count before it has seen a number of messages, not even when its backlog is empty.
    CountLate,
}

impl Book for Mutes<usize> {
    type Load = Pressure;
    fn load() -> Pressure {
        Pressure::new()
    }
    fn first(load: &Pressure) -> usize {
        load.first()
    }
    fn add(load: &Pressure) -> usize {
        load.add()
    }
    fn subtract(&self, load: &Pressure, count: u32, marks: Marks) -> bool {
        load.subtract(count, marks)
    }
    fn closed(load: &Pressure) {
        load.closed();
    }
    fn depth(load: &Pressure) -> usize {
        load.depth()
    }
    fn mute(
        &self,
        sender: (usize, &Pressure),
        receiver: (usize, &Pressure),
        marks: Marks,
    ) -> Muting<usize> {
        let named = |(number, load)| (number as u64, load);
        Mutes::mute(self, named(sender), sender.0, named(receiver), marks)
    }
    fn unmuted(&self, load: &Pressure) {
        Mutes::unmuted(self, load);
    }
    fn recovered(&self, actor: (usize, &Pressure)) -> Vec<usize> {
        Mutes::recovered(self, (actor.0 as u64, actor.1))
    }
    fn ended(&self, actor: (usize, &Pressure)) -> Vec<usize> {
        Mutes::ended(self, (actor.0 as u64, actor.1))
    }
    fn counts(&self) -> BTreeMap<u64, usize> {
        let mut counts = BTreeMap::new();
        for (by, _) in self.pairs(|sender| *sender as u64) {
            *counts.entry(by).or_default() += 1;
        }
        counts
    }
}
