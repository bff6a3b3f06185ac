//! Collections that never change: those of the heap, of `imbl` and of `rpds`, beside those of `std`, which change in place.
//!
//! Protocol: our own. Keys and values are `u64`; keys are in no order, those of a vector are its indices. `insert`: entries come one by one, and each
//! gives a new version, which takes the place of the one before. `collect`: the same entries at once. `change`: each value is put in again, in another order,
//! and each gives a new version. `get`: each key is looked up. Small collections are made so often that there are as many operations as
//! are asked for.
//!
//! `imbl` and `rpds` count their nodes with atomics, so that threads may share them as heaps share ours; what is replaced they free at once. Ours leave it
//! to the heap: `Heap::pace` is called, and timed, after each turn of 1,024 operations.
//!
//! Timed: `wall_s` is the median of the rounds, in which all take turns. `relative_time` is that of `std` with its default as 1.

use crate::bench::{Bench, Group};
use crate::failure::Failure;
use crate::meter::{Meter, Spent};
use crate::param::{Param, Value};
use crate::row::Figures;
use crate::run::Run;
use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::sync::Arc;
use vivant_heap::{Heap, Mutator, Pacing, Root, Source, val};

pub(super) const PERSISTENT: Bench = Bench {
    name: "persistent",
    about: "collections that never change, beside imbl, rpds and std",
    group: Group::Heaps,
    peer_ops: None,
    params: &[
        Param::count("elements", 100_000, 500, "entries of a collection"),
        Param::count("operations", 1_000_000, 500, "operations, at least"),
        Param::count("rounds", 5, 1, "rounds, of which the median counts"),
    ],
    run,
    child: None,
};

/// Operations of one turn.
const TURN: usize = 1024;

const OPERATIONS: [&str; 4] = ["insert", "collect", "change", "get"];

/// A kind, whose it is, and what it does. The first of a kind is the one by which the others are divided.
type Side = (&'static str, &'static str, fn(&Load) -> [Done; 4]);

const SIDES: [Side; 12] = [
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

/// What to do.
struct Load {
    /// Keys in the order of insertion, and in that of change and look-up.
    insert: Vec<u64>,
    get: Vec<u64>,
    repeats: u64,
}

/// What it took, and how many entries, or even values, there were.
struct Done {
    spent: Spent,
    sum: u64,
}

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

impl Plain for Vec<u64> {
    fn new() -> Self {
        Vec::new()
    }
    fn with(mut self, _: u64, value: u64) -> Self {
        self.push(value);
        self
    }
    fn changed(mut self, key: u64, value: u64) -> Self {
        self[key as usize] = value;
        self
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

impl Plain for imbl::Vector<u64> {
    fn new() -> Self {
        imbl::Vector::new()
    }
    /// A clone shares all: then both are versions.
    fn with(self, _: u64, value: u64) -> Self {
        let mut next = self.clone();
        next.push_back(value);
        next
    }
    fn changed(self, key: u64, value: u64) -> Self {
        self.update(key as usize, value)
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

impl Plain for rpds::VectorSync<u64> {
    fn new() -> Self {
        rpds::Vector::new_sync()
    }
    fn with(self, _: u64, value: u64) -> Self {
        self.push_back(value)
    }
    fn changed(self, key: u64, value: u64) -> Self {
        let next = self.set(key as usize, value);
        next.unwrap_or(self)
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

fn plain<C: Plain>(load: &Load) -> [Done; 4] {
    let mut last = C::new();
    let insert = timed(load, || {
        let all = load.insert.iter();
        last = all.fold(C::new(), |version, &key| version.with(key, !key));
        last.entries() as u64
    });
    let collect = timed(load, || {
        last = C::of(load.insert.iter().map(|&key| (key, !key)));
        last.entries() as u64
    });
    let change = timed(load, || {
        let all = load.get.iter();
        let before = std::mem::replace(&mut last, C::new());
        last = all.fold(before, |version, &key| version.changed(key, !key));
        last.entries() as u64
    });
    let get = timed(load, || evens(load, |key| last.look(key)));
    [insert, collect, change, get]
}

/// What each repetition gives, added up.
fn timed(load: &Load, mut once: impl FnMut() -> u64) -> Done {
    let meter = Meter::start();
    let sum = (0..load.repeats).map(|_| black_box(once())).sum();
    let spent = meter.stop();
    Done { spent, sum }
}

fn evens(load: &Load, look: impl Fn(u64) -> Option<u64>) -> u64 {
    let found = load.get.iter().filter_map(|&key| look(key));
    found.filter(|value| value % 2 == 0).count() as u64
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

struct Hashed;

impl Root for Hashed {
    type Of<'gc> = val::Map<'gc, u64, u64>;
}

struct Ordered;

impl Root for Ordered {
    type Of<'gc> = val::OrdMap<'gc, u64, u64>;
}

struct Sequence;

impl Root for Sequence {
    type Of<'gc> = val::Vec<'gc, u64>;
}

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
    let source = Arc::new(Source::new());
    let mut heap = Heap::<R>::new(&source, Pacing::default(), |_| R::new());
    let insert = timed(load, || {
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
    let collect = timed(load, || {
        heap.turn(|m, of| *of = R::of(m, load.insert.iter().map(|&key| (key, !key))));
        heap.pace();
        heap.turn(|_, of| R::entries(of)) as u64
    });
    let change = timed(load, || {
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
    let get = timed(load, || {
        heap.turn(|_, of| evens(load, |key| R::look(of, key)))
    });
    [insert, collect, change, get]
}

/// A number for a number, in no order.
fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

fn load(insert: Vec<u64>, repeats: u64) -> Load {
    let mut get = insert.clone();
    get.sort_unstable_by_key(|&key| mixed(!key));
    Load {
        insert,
        get,
        repeats,
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let elements = run.count("elements");
    let repeats = run.count("operations").div_ceil(elements);
    let loads = [
        load((0..elements).map(mixed).collect(), repeats),
        load((0..elements).collect(), repeats),
    ];
    let of_kind = |kind: &str| &loads[usize::from(kind == "vector")];
    let mut rounds: [[Vec<Done>; 4]; 12] = Default::default();
    for _ in 0..run.count("rounds") {
        for ((kind, _, work), done) in SIDES.iter().zip(&mut rounds) {
            for (done, new) in done.iter_mut().zip(work(of_kind(kind))) {
                done.push(new);
            }
        }
    }
    let mut rows = Vec::new();
    for (number, operation) in OPERATIONS.into_iter().enumerate() {
        let mut base = None;
        for ((kind, side, _), done) in SIDES.iter().zip(&mut rounds) {
            let (what, expected) = match operation {
                "get" => ("even values", evens(of_kind(kind), |key| Some(!key))),
                _ => ("entries", elements),
            };
            let done = &mut done[number];
            let mut check = String::new();
            for done in &*done {
                check = run.check(what, expected * repeats, done.sum)?;
            }
            done.sort_by_key(|done| done.spent.wall);
            let middle = done.swap_remove(done.len() / 2).spent;
            let wall = middle.wall.as_secs_f64();
            if *side == "std" {
                base = Some(wall);
            }
            let mut figures = Figures::new(middle, elements * repeats, check);
            figures.params = vec![
                ("kind", Value::Choice(kind)),
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
