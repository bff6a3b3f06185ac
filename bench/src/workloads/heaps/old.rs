//! Lasting objects, put into the holes of an old generation.
//!
//! Protocol: 4,000,000 objects of four sizes, in groups of 10,000, fill the memory; a random fifth
//! of them is dropped, and as many new ones of random sizes are made in their places, which stay.
//! The heap marks first; then each new object is allocated in the nursery, and evacuated into a
//! hole that a sweep finds for it, and all of that is timed. `Box` uses the allocator, which has
//! the holes on its lists.
//!
//! Timed: the new objects. An operation is one of them.

use super::sides::{self, BOX, BOX_MIMALLOC, HEAP, Outcome, Pauses, ROUNDS, SIDE, Work};
use crate::prelude::*;
use fastrand::Rng;
use std::mem;
use vivant_heap::{Gc, Heap, Mut, Mutator, Object, Pacing, PageSource};

pub(in crate::workloads) const HEAP_OLD: Bench = Bench::new(
    Group::Heaps,
    "heap_old",
    "objects that stay, put into the holes of a full memory, in a heap and with `Box`",
    &[
        Param::count("objects", 4_000_000, 20_000, "objects that fill the memory").at_least(GROUP),
        ROUNDS,
        SIDE,
    ],
    |run| {
        let expected = Expected::of(groups(run));
        let result = ("sum over the objects", expected.sum);
        sides::compare(run, &HEAP_OLD, WORKS, result, expected.new)
    },
)
.child(|run| sides::print(run, WORKS));

const WORKS: &[(&str, Work)] = &[(HEAP, heap), (BOX, boxed), (BOX_MIMALLOC, boxed)];

/// The same numbers for each side, and in every run.
const SEED: u64 = 1;

/// Objects of a group.
const GROUP: u64 = 10_000;

fn groups(run: &Run) -> u64 {
    run.count("objects") / GROUP
}

/// One of four sizes: 16, 24, 40 or 72 bytes.
fn size(value: u64) -> u64 {
    value >> 20 & 3
}

/// Whether an object is dropped.
fn is_given_up(chance: &mut Rng) -> bool {
    chance.u8(..5) == 0
}

/// What comes out, without any memory.
struct Expected {
    new: u64,
    sum: u64,
}

impl Expected {
    fn of(groups: u64) -> Expected {
        let mut chance = Rng::with_seed(SEED);
        let mut sum = 0_u64;
        let values: Vec<u64> = (0..groups * GROUP).map(|_| chance.u64(..)).collect();
        let mut holes = 0;
        for value in values {
            match is_given_up(&mut chance) {
                true => holes += 1,
                false => sum = sum.wrapping_add(value),
            }
        }
        (0..holes).for_each(|_| sum = sum.wrapping_add(chance.u64(..)));
        Expected { new: holes, sum }
    }
}

/// An object in a heap, or none any more.
#[derive(Object)]
enum Place<'gc> {
    Empty,
    Two(Gc<'gc, [u64; 2]>),
    Three(Gc<'gc, [u64; 3]>),
    Five(Gc<'gc, [u64; 5]>),
    Nine(Gc<'gc, [u64; 9]>),
}

impl<'gc> Place<'gc> {
    fn new(m: &Mutator<'gc>, value: u64) -> Place<'gc> {
        match size(value) {
            0 => Place::Two(m.alloc([value; 2])),
            1 => Place::Three(m.alloc([value; 3])),
            2 => Place::Five(m.alloc([value; 5])),
            _ => Place::Nine(m.alloc([value; 9])),
        }
    }

    fn value(&self) -> u64 {
        match self {
            Place::Empty => 0,
            Place::Two(it) => it[1],
            Place::Three(it) => it[2],
            Place::Five(it) => it[4],
            Place::Nine(it) => it[8],
        }
    }
}

// A heap with groups of objects.
root!(Groups = Vec<Gc<'gc, Mut<Vec<Place<'gc>>>>>);

fn heap(run: &Run) -> Outcome {
    let mut chance = Rng::with_seed(SEED);
    let mut heap =
        Heap::<Groups>::new(&PageSource::new().into(), Pacing::default(), |_| Vec::new());
    for _ in 0..groups(run) {
        heap.turn(|m, groups| {
            let places = (0..GROUP).map(|_| Place::new(m, chance.u64(..))).collect();
            groups.push(m.alloc(Mut::new(places)));
        });
        heap.pace();
    }
    heap.turn(|m, groups| {
        for group in groups {
            for place in group.borrow_mut(m).iter_mut() {
                if is_given_up(&mut chance) {
                    *place = Place::Empty;
                }
            }
        }
    });
    heap.collect();
    let (_, figures) = sides::timed(|pauses: &mut Pauses| {
        for group in 0..groups(run) as usize {
            heap.turn(|m, groups| {
                for place in groups[group].borrow_mut(m).iter_mut() {
                    if matches!(place, Place::Empty) {
                        *place = Place::new(m, chance.u64(..));
                    }
                }
            });
            pauses.pace(&mut heap);
        }
        heap.collect_young();
        0
    });
    let result = heap.turn(|_, groups| {
        let sum = |group: &[Place<'_>]| {
            group
                .iter()
                .fold(0, |sum: u64, it| sum.wrapping_add(it.value()))
        };
        let sums = groups.iter().map(|group| sum(&group.borrow()));
        sums.fold(0, u64::wrapping_add)
    });
    (result, figures)
}

enum Boxed {
    Empty,
    Two(Box<[u64; 2]>),
    Three(Box<[u64; 3]>),
    Five(Box<[u64; 5]>),
    Nine(Box<[u64; 9]>),
}

impl Boxed {
    fn new(value: u64) -> Boxed {
        match size(value) {
            0 => Boxed::Two(Box::new([value; 2])),
            1 => Boxed::Three(Box::new([value; 3])),
            2 => Boxed::Five(Box::new([value; 5])),
            _ => Boxed::Nine(Box::new([value; 9])),
        }
    }

    fn value(&self) -> u64 {
        match self {
            Boxed::Empty => 0,
            Boxed::Two(it) => it[1],
            Boxed::Three(it) => it[2],
            Boxed::Five(it) => it[4],
            Boxed::Nine(it) => it[8],
        }
    }
}

fn boxed(run: &Run) -> Outcome {
    let mut chance = Rng::with_seed(SEED);
    let mut groups: Vec<Vec<Boxed>> = (0..groups(run))
        .map(|_| (0..GROUP).map(|_| Boxed::new(chance.u64(..))).collect())
        .collect();
    for place in groups.iter_mut().flatten() {
        if is_given_up(&mut chance) {
            *place = Boxed::Empty;
        }
    }
    let (_, figures) = sides::timed(|_| {
        for place in groups.iter_mut().flatten() {
            if matches!(place, Boxed::Empty) {
                *place = Boxed::new(chance.u64(..));
            }
        }
        0
    });
    let values = groups.iter().flatten().map(Boxed::value);
    let result = values.fold(0, u64::wrapping_add);
    // Their deallocation is not measured.
    mem::forget(groups);
    (result, figures)
}
