//! Immutable collections: those of the heap, of `imbl` and of `rpds`, beside those of `std`, which
//! change in place.
//!
//! Protocol: our own. Keys and values are `u64`; keys are in no order, those of a vector are its
//! indices. `insert`: entries come one by one, and each makes a new version, which replaces the
//! previous one. `collect`: the same entries at once. `change`: each value is inserted again, in
//! another order, and each makes a new version. `get`: each key is looked up. Small collections are
//! made repeatedly, up to the requested number of operations.
//!
//! `imbl` and `rpds` count their nodes with atomics, so threads may share them as heaps share ours;
//! they free replaced nodes at once. Ours leave it to the heap: `Heap::pace` is called, and timed,
//! after each turn of 1,024 operations.
//!
//! Timed: `wall_s` is the median of the rounds, in which all take turns. `relative_time` is
//! relative to `std` with its default.

use super::keyed::{self, Done, Load, Side, TURN, mixed};
use crate::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use vivant_collections::val;
use vivant_heap::{Heap, Mutator, Pacing, PageSource, Root};

pub(super) const PERSISTENT: Bench = Bench::new(
    Group::Heaps,
    "persistent",
    "collections that never change, beside imbl, rpds and std",
    &[
        Param::count("elements", 100_000, 500, "entries of a collection"),
        Param::count("operations", 1_000_000, 500, "operations, at least"),
        Param::count("rounds", 5, 1, "rounds, of which the median counts"),
    ],
    run,
);

const OPERATIONS: [&str; 4] = ["insert", "collect", "change", "get"];

const SIDES: [Side<4>; 12] = [
    ("hash", "std", plain::<HashMap<u64, u64>>),
    ("hash", "val", versions::<Hashed>),
    ("hash", "imbl", plain::<imbl::HashMap<u64, u64>>),
    ("hash", "rpds", plain::<rpds::HashTrieMapSync<u64, u64>>),
    ("ordered", "std", plain::<BTreeMap<u64, u64>>),
    ("ordered", "val", versions::<Ordered>),
    ("ordered", "imbl", plain::<imbl::OrdMap<u64, u64>>),
    (
        "ordered",
        "rpds",
        plain::<rpds::RedBlackTreeMapSync<u64, u64>>,
    ),
    ("vector", "std", plain::<Vec<u64>>),
    ("vector", "val", versions::<Sequence>),
    ("vector", "imbl", plain::<imbl::Vector<u64>>),
    ("vector", "rpds", plain::<rpds::VectorSync<u64>>),
];

/// A collection that is a value by itself.
trait Plain: Sized {
    fn new() -> Self;
    fn with(self, key: u64, value: u64) -> Self;
    fn changed(self, key: u64, value: u64) -> Self {
        self.with(key, value)
    }
    fn of(entries: impl Iterator<Item = (u64, u64)>) -> Self;
    fn look(&self, key: u64) -> Option<u64>;
    fn entries(&self) -> usize;
}

macro_rules! plain_maps {
    ($($map:ty, $new:ident, $self:ident $key:ident $value:ident => $with:expr, $entries:ident;)*) => {$(
        impl Plain for $map {
            fn new() -> Self {
                Self::$new()
            }
            #[allow(unused_mut, reason = "some change in place")]
            fn with(mut $self, $key: u64, $value: u64) -> Self {
                $with
            }
            fn of(entries: impl Iterator<Item = (u64, u64)>) -> Self {
                entries.collect()
            }
            fn look(&self, key: u64) -> Option<u64> {
                self.get(&key).copied()
            }
            fn entries(&self) -> usize {
                self.$entries()
            }
        }
    )*};
}

plain_maps! {
    HashMap<u64, u64>, new, self key value => { self.insert(key, value); self }, len;
    BTreeMap<u64, u64>, new, self key value => { self.insert(key, value); self }, len;
    imbl::HashMap<u64, u64>, new, self key value => self.update(key, value), len;
    imbl::OrdMap<u64, u64>, new, self key value => self.update(key, value), len;
    rpds::HashTrieMapSync<u64, u64>, new_sync, self key value => self.insert(key, value), size;
    rpds::RedBlackTreeMapSync<u64, u64>, new_sync, self key value => self.insert(key, value), size;
}

macro_rules! plain_vectors {
    ($($vec:ty, $new:expr, $self:ident $key:ident $value:ident => $with:expr, $changed:expr;)*) => {$(
        impl Plain for $vec {
            fn new() -> Self {
                $new
            }
            #[allow(unused_mut, reason = "some change in place")]
            fn with(mut $self, _: u64, $value: u64) -> Self {
                $with
            }
            #[allow(unused_mut, reason = "some change in place")]
            fn changed(mut $self, $key: u64, $value: u64) -> Self {
                $changed
            }
            fn of(entries: impl Iterator<Item = (u64, u64)>) -> Self {
                entries.map(|(_, value)| value).collect()
            }
            fn look(&self, key: u64) -> Option<u64> {
                self.get(key as usize).copied()
            }
            fn entries(&self) -> usize {
                self.len()
            }
        }
    )*};
}

plain_vectors! {
    Vec<u64>, Vec::new(), self key value =>
        { self.push(value); self }, { self[key as usize] = value; self };
    // A clone shares all: then both are versions.
    imbl::Vector<u64>, imbl::Vector::new(), self key value =>
        { let mut next = self.clone(); next.push_back(value); next },
        self.update(key as usize, value);
    rpds::VectorSync<u64>, rpds::Vector::new_sync(), self key value =>
        self.push_back(value), { let next = self.set(key as usize, value); next.unwrap_or(self) };
}

fn plain<C: Plain>(load: &Load) -> [Done; 4] {
    let mut last = C::new();
    let insert = load.timed(|| {
        let all = load.insert.iter();
        last = all.fold(C::new(), |version, &key| version.with(key, !key));
        last.entries() as u64
    });
    let collect = load.timed(|| {
        last = C::of(load.insert.iter().map(|&key| (key, !key)));
        last.entries() as u64
    });
    let change = load.timed(|| {
        let all = load.get.iter();
        let before = std::mem::replace(&mut last, C::new());
        last = all.fold(before, |version, &key| version.changed(key, !key));
        last.entries() as u64
    });
    let get = load.timed(|| load.evens(|key| last.look(key)));
    [insert, collect, change, get]
}

/// A collection of a heap.
trait Version: Root {
    fn new<'gc>() -> Self::Of<'gc>;
    fn with<'gc>(of: &Self::Of<'gc>, m: &Mutator<'gc>, key: u64, value: u64) -> Self::Of<'gc>;
    fn changed<'gc>(of: &Self::Of<'gc>, m: &Mutator<'gc>, key: u64, value: u64) -> Self::Of<'gc> {
        Self::with(of, m, key, value)
    }
    fn of<'gc>(m: &Mutator<'gc>, entries: impl Iterator<Item = (u64, u64)>) -> Self::Of<'gc>;
    fn look(of: &Self::Of<'_>, key: u64) -> Option<u64>;
    fn entries(of: &Self::Of<'_>) -> usize;
}

root!(Hashed = val::Map<'gc, u64, u64>);
root!(Ordered = val::OrdMap<'gc, u64, u64>);
root!(Sequence = val::Vec<'gc, u64>);

macro_rules! maps {
    ($($root:ident $map:ident)*) => {$(
        impl Version for $root {
            fn new<'gc>() -> Self::Of<'gc> {
                val::$map::new()
            }
            fn with<'gc>(of: &Self::Of<'gc>, m: &Mutator<'gc>, key: u64, value: u64) -> Self::Of<'gc> {
                of.insert(m, key, value)
            }
            fn of<'gc>(m: &Mutator<'gc>, entries: impl Iterator<Item = (u64, u64)>) -> Self::Of<'gc> {
                val::$map::from_iter(m, entries)
            }
            fn look(of: &Self::Of<'_>, key: u64) -> Option<u64> {
                of.get(&key).copied()
            }
            fn entries(of: &Self::Of<'_>) -> usize {
                of.len()
            }
        }
    )*};
}

maps!(Hashed Map Ordered OrdMap);

impl Version for Sequence {
    fn new<'gc>() -> Self::Of<'gc> {
        val::Vec::new()
    }
    fn with<'gc>(of: &Self::Of<'gc>, m: &Mutator<'gc>, _: u64, value: u64) -> Self::Of<'gc> {
        of.push(m, value)
    }
    fn changed<'gc>(of: &Self::Of<'gc>, m: &Mutator<'gc>, key: u64, value: u64) -> Self::Of<'gc> {
        of.set(m, key as usize, value)
    }
    fn of<'gc>(m: &Mutator<'gc>, entries: impl Iterator<Item = (u64, u64)>) -> Self::Of<'gc> {
        val::Vec::from_iter(m, entries.map(|(_, value)| value))
    }
    fn look(of: &Self::Of<'_>, key: u64) -> Option<u64> {
        of.get(key as usize).copied()
    }
    fn entries(of: &Self::Of<'_>) -> usize {
        of.len()
    }
}

fn versions<R: Version>(load: &Load) -> [Done; 4] {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<R>::new(&source, Pacing::default(), |_| R::new());
    let insert = load.timed(|| {
        heap.turn(|_, of| *of = R::new());
        for keys in load.insert.chunks(TURN) {
            heap.turn(|m, of| {
                for &key in keys {
                    *of = R::with(of, m, key, !key);
                }
            });
            heap.pace();
        }
        heap.turn(|_, of| R::entries(of)) as u64
    });
    let collect = load.timed(|| {
        heap.turn(|m, of| *of = R::of(m, load.insert.iter().map(|&key| (key, !key))));
        heap.pace();
        heap.turn(|_, of| R::entries(of)) as u64
    });
    let change = load.timed(|| {
        for keys in load.get.chunks(TURN) {
            heap.turn(|m, of| {
                for &key in keys {
                    *of = R::changed(of, m, key, !key);
                }
            });
            heap.pace();
        }
        heap.turn(|_, of| R::entries(of)) as u64
    });
    let get = load.timed(|| heap.turn(|_, of| load.evens(|key| R::look(of, key))));
    [insert, collect, change, get]
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (mixed, indices) = (Load::new(run, mixed), Load::new(run, |number| number));
    keyed::compare(run, "kind", OPERATIONS, &SIDES, |kind| match kind {
        "vector" => &indices,
        _ => &mixed,
    })
}
