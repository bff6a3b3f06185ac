//! Maps in a collected heap, and those of `std`.
//!
//! Protocol: our own. Keys and values are `u64`; keys are in no order. `insert`: a map is filled, in turns of 1,024 entries with a call of
//! `Heap::pace` after each where it lies in a heap, and dies. `get`: each key of a map is looked up, in another order than that of insertion.
//! Small maps are made so often that there are as many operations as are asked for.
//!
//! Timed: `wall_s` is the median of the rounds, in which all take turns. An operation is one entry. `relative_time` is that of `std` with its
//! default as 1; `std_fixed` is its hash map with the hasher of the heap's.

use crate::bench::{Bench, Group};
use crate::failure::Failure;
use crate::meter::{Meter, Spent};
use crate::param::{Param, Value};
use crate::row::Figures;
use crate::run::Run;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::hint::black_box;
use std::sync::Arc;
use vivant_heap::{Heap, Mutator, Pacing, Root, Source, gc};

pub(super) const COLLECTIONS: Bench = Bench {
    name: "collections",
    about: "maps in a collected heap, beside those of std",
    group: Group::Heaps,
    peer_ops: None,
    params: &[
        Param::count("elements", 100_000, 1_000, "entries of a map"),
        Param::count("operations", 1_000_000, 1_000, "operations, at least"),
        Param::count("rounds", 5, 1, "rounds, of which the median counts"),
    ],
    run,
    child: None,
};

/// Entries that are put in during one turn.
const TURN: usize = 1024;

/// What is measured: a name for each side, and what it does. The first of a kind is the one by which the others are divided.
type Side = (&'static str, &'static str, fn(&Load) -> [Done; 2]);

const SIDES: [Side; 5] = [
    ("hash", "std", |load| standard::<HashMap<u64, u64>>(load)),
    ("hash", "std_fixed", |load| {
        standard::<HashMap<u64, u64, gc::FixedState>>(load)
    }),
    ("hash", "gc", |load| collected::<Hashed>(load)),
    ("btree", "std", |load| standard::<BTreeMap<u64, u64>>(load)),
    ("btree", "gc", |load| collected::<Ordered>(load)),
];

/// What to do.
struct Load {
    /// Keys in the order of insertion, and in that of look-up.
    insert: Vec<u64>,
    get: Vec<u64>,
    repeats: u64,
}

/// What it took, and the sum of all values that were found.
struct Done {
    spent: Spent,
    sum: u64,
}

/// A map of `std`.
trait Standard: Default {
    fn put(&mut self, key: u64, value: u64);
    fn look(&self, key: u64) -> Option<u64>;
    fn entries(&self) -> usize;
}

impl<S: BuildHasher + Default> Standard for HashMap<u64, u64, S> {
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

impl Standard for BTreeMap<u64, u64> {
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

fn standard<M: Standard>(load: &Load) -> [Done; 2] {
    let meter = Meter::start();
    let mut entries = 0;
    let mut last = M::default();
    for _ in 0..load.repeats {
        let mut map = M::default();
        for &key in &load.insert {
            map.put(key, !key);
        }
        entries += map.entries();
        last = black_box(map);
    }
    let insert = Done {
        spent: meter.stop(),
        sum: entries as u64,
    };
    let meter = Meter::start();
    let mut sum = 0;
    for _ in 0..load.repeats {
        let found = load.get.iter().filter_map(|&key| last.look(key));
        sum += found.filter(|value| value % 2 == 0).count() as u64;
    }
    let spent = meter.stop();
    [insert, Done { spent, sum }]
}

/// A map of a heap.
trait Collected: Root {
    fn new<'gc>() -> Self::Of<'gc>;
    fn put<'gc>(map: &mut Self::Of<'gc>, m: &Mutator<'gc>, key: u64, value: u64);
    fn look(map: &Self::Of<'_>, key: u64) -> Option<u64>;
    fn entries(map: &Self::Of<'_>) -> usize;
}

struct Hashed;

impl Root for Hashed {
    type Of<'gc> = gc::HashMap<'gc, u64, u64>;
}

struct Ordered;

impl Root for Ordered {
    type Of<'gc> = gc::BTreeMap<'gc, u64, u64>;
}

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
    let source = Arc::new(Source::new());
    let mut heap = Heap::<R>::new(&source, Pacing::default(), |_| R::new());
    let meter = Meter::start();
    let mut entries = 0;
    for _ in 0..load.repeats {
        heap.turn(|_, map| *map = R::new());
        for keys in load.insert.chunks(TURN) {
            heap.turn(|m, map| {
                for &key in keys {
                    R::put(map, m, key, !key);
                }
            });
            heap.pace();
        }
        entries += heap.turn(|_, map| R::entries(map));
    }
    let insert = Done {
        spent: meter.stop(),
        sum: entries as u64,
    };
    let meter = Meter::start();
    let mut sum = 0;
    for _ in 0..load.repeats {
        sum += heap.turn(|_, map| {
            let found = load.get.iter().filter_map(|&key| R::look(map, key));
            found.filter(|value| value % 2 == 0).count() as u64
        });
    }
    let spent = meter.stop();
    [insert, Done { spent, sum }]
}

/// A number for a number, in no order.
fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let elements = run.count("elements");
    let repeats = run.count("operations").div_ceil(elements);
    let insert: Vec<u64> = (0..elements).map(mixed).collect();
    let mut get = insert.clone();
    get.sort_unstable_by_key(|&key| mixed(key));
    let even = insert.iter().filter(|&key| !key % 2 == 0).count() as u64;
    let expected = [elements * repeats, even * repeats];
    let load = Load {
        insert,
        get,
        repeats,
    };
    let mut rounds: [[Vec<Done>; 2]; 5] = Default::default();
    for _ in 0..run.count("rounds") {
        for ((_, _, work), done) in SIDES.iter().zip(&mut rounds) {
            let [insert, get] = work(&load);
            done[0].push(insert);
            done[1].push(get);
        }
    }
    let mut rows = Vec::new();
    for (number, (operation, what)) in [("insert", "entries"), ("get", "even values")]
        .into_iter()
        .enumerate()
    {
        let mut base = None;
        for ((map, side, _), done) in SIDES.iter().zip(&mut rounds) {
            let done = &mut done[number];
            let mut check = String::new();
            for done in &*done {
                check = run.check(what, expected[number], done.sum)?;
            }
            done.sort_by_key(|done| done.spent.wall);
            let middle = done.swap_remove(done.len() / 2).spent;
            let wall = middle.wall.as_secs_f64();
            if *side == "std" {
                base = Some(wall);
            }
            let mut figures = Figures::new(middle, elements * repeats, check);
            figures.params = vec![
                ("map", Value::Choice(map)),
                ("operation", Value::Choice(operation)),
                ("side", Value::Choice(side)),
            ];
            if let Some(base) = base {
                figures.extra.insert("relative_time", (wall / base).into());
            }
            rows.push(figures);
        }
    }
    Ok(rows)
}
