//! Maps in a collected heap, and those of `std`.
//!
//! Protocol: our own. Keys and values are `u64`; keys are in no order. `insert`: a map is filled,
//! in turns of 1,024 entries with a call of `Heap::pace` after each if it lies in a heap, and dies.
//! `get`: each key of a map is looked up, in another order than that of insertion. Small maps are
//! made repeatedly, up to the requested number of operations.
//!
//! Timed: `wall_s` is the median of the rounds, in which all take turns. An operation is one entry.
//! `relative_time` is relative to `std` with its default; `std_fixed` is its hash map with the
//! hasher of the heap's.

use super::keyed::{self, Done, Load, Side, TURN, mixed};
use crate::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use vivant_collections::gc;
use vivant_heap::{Heap, Mutator, Pacing, PageSource, Root};

pub(super) const COLLECTIONS: Bench = Bench::new(
    Group::Heaps,
    "collections",
    "maps in a collected heap, beside those of std",
    &[
        Param::count("elements", 100_000, 1_000, "entries of a map"),
        Param::count("operations", 1_000_000, 1_000, "operations, at least"),
        Param::count("rounds", 5, 1, "rounds, of which the median counts"),
    ],
    run,
);

const SIDES: [Side<2>; 5] = [
    ("hash", "std", |load| standard::<HashMap<u64, u64>>(load)),
    ("hash", "std_fixed", |load| {
        standard::<HashMap<u64, u64, gc::FixedState>>(load)
    }),
    ("hash", "gc", |load| collected::<Hashed>(load)),
    ("btree", "std", |load| standard::<BTreeMap<u64, u64>>(load)),
    ("btree", "gc", |load| collected::<Ordered>(load)),
];

/// A map of `std`.
trait Standard: Default {
    fn put(&mut self, key: u64, value: u64);
    fn look(&self, key: u64) -> Option<u64>;
    fn entries(&self) -> usize;
}

macro_rules! standard {
    ($($map:ty)*) => {$(
        impl Standard for $map {
            fn put(&mut self, key: u64, value: u64) {
                self.insert(key, value);
            }
            fn look(&self, key: u64) -> Option<u64> {
                self.get(&key).copied()
            }
            fn entries(&self) -> usize {
                self.len()
            }
        }
    )*};
}

standard!(HashMap<u64, u64> HashMap<u64, u64, gc::FixedState> BTreeMap<u64, u64>);

fn standard<M: Standard>(load: &Load) -> [Done; 2] {
    let mut last = M::default();
    let insert = load.timed(|| {
        last = M::default();
        load.insert.iter().for_each(|&key| last.put(key, !key));
        last.entries() as u64
    });
    let get = load.timed(|| load.evens(|key| last.look(key)));
    [insert, get]
}

/// A map of a heap.
trait Collected: Root {
    fn new<'gc>() -> Self::Of<'gc>;
    fn put<'gc>(map: &mut Self::Of<'gc>, m: &Mutator<'gc>, key: u64, value: u64);
    fn look(map: &Self::Of<'_>, key: u64) -> Option<u64>;
    fn entries(map: &Self::Of<'_>) -> usize;
}

root!(Hashed = gc::HashMap<'gc, u64, u64>);
root!(Ordered = gc::BTreeMap<'gc, u64, u64>);

macro_rules! collected {
    ($($root:ident $map:ident)*) => {$(
        impl Collected for $root {
            fn new<'gc>() -> Self::Of<'gc> {
                gc::$map::new()
            }
            fn put<'gc>(map: &mut Self::Of<'gc>, m: &Mutator<'gc>, key: u64, value: u64) {
                map.insert(m, key, value);
            }
            fn look(map: &Self::Of<'_>, key: u64) -> Option<u64> {
                map.get(&key).copied()
            }
            fn entries(map: &Self::Of<'_>) -> usize {
                map.len()
            }
        }
    )*};
}

collected!(Hashed HashMap Ordered BTreeMap);

fn collected<R: Collected>(load: &Load) -> [Done; 2] {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<R>::new(&source, Pacing::default(), |_| R::new());
    let insert = load.timed(|| {
        heap.turn(|_, map| *map = R::new());
        for keys in load.insert.chunks(TURN) {
            heap.turn(|m, map| {
                for &key in keys {
                    R::put(map, m, key, !key);
                }
            });
            heap.pace();
        }
        heap.turn(|_, map| R::entries(map)) as u64
    });
    let get = load.timed(|| heap.turn(|_, map| load.evens(|key| R::look(map, key))));
    [insert, get]
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let load = Load::new(run, mixed);
    keyed::compare(run, "map", ["insert", "get"], &SIDES, |_| &load)
}
