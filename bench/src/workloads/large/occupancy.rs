//! The occupancy of an old generation over time: how many of its blocks hold objects, by size
//! class.
//!
//! Protocol: figure 8 of the Alligator paper, where the program is a compiler; here it is our own.
//! An actor has a number of places for arrays of 1 to 128 words, most of them small. It fills the
//! places; replaces the arrays of random places, three times as many as there are; drops three
//! quarters of those that it draws, twice as many; and fills random places again. The heap is
//! collected as usual. After each eightieth part the actor reads the occupancy: of the three
//! smallest size classes that have objects (`class_32`, by bytes of a block) and of all (`overall`,
//! by bytes), in per cent, and the mebibytes of used blocks (`used_mib_…`). A block with a dead
//! object counts as used until it is swept. `kept_mib` are the words of the arrays that are there.
//!
//! Timed: everything but the last audit. An operation is one place that is filled, replaced or
//! looked at. Checked: each array has its content, and they are those of a model without a heap.

use super::chance::mixed;
use crate::prelude::*;
use serde_json::{Map, json};
use vivant::heap::ClassOccupancy;
use vivant::prelude::*;

pub(in crate::workloads) const OCCUPANCY: Bench = Bench::new(
    Group::Large,
    "occupancy",
    "used blocks of an old generation over time, by size class",
    &[Param::count("places", 1_000_000, 2_000, "places for arrays").at_least(SAMPLES)],
    run,
);

/// Looks at the occupancy.
const SAMPLES: u64 = 80;

/// Operations for each place: one to fill it, three to replace, two to drop, two to fill again.
const ROUNDS: u64 = 8;

/// Size classes that are shown.
const CLASSES: usize = 3;

/// Operations of a message.
const A_TURN: u64 = 1_000;

/// What an operation does with a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Put,
    Drop,
    Nothing,
}

fn operation(number: u64, places: u64) -> (usize, Operation) {
    let chance = mixed(number);
    let place = chance % places;
    let (place, operation) = match number / places {
        0 => (number, Operation::Put),
        4 | 5 if chance >> 40 & 3 == 0 => (place, Operation::Nothing),
        4 | 5 => (place, Operation::Drop),
        _ => (place, Operation::Put),
    };
    (place as usize, operation)
}

/// The words of an array: half of them have one or two, a quarter up to four, and so on.
fn words(number: u64) -> u64 {
    let chance = mixed(!number);
    let most = 2 << (chance >> 32 | 1 << 6).trailing_zeros();
    1 + (chance & 0xFFFF_FFFF) % most
}

/// An array that is there: its number, and 0 for none. Its words count from that number on.
fn content(number: u64) -> impl Iterator<Item = u64> {
    number..number + words(number)
}

/// One look.
struct Look {
    classes: Vec<ClassOccupancy>,
    kept_words: u64,
}

#[derive(Actor)]
struct PlacesState<'gc> {
    places: gc::Vec<'gc, Option<Gc<'gc, [u64]>>>,
    count: u64,
    kept_words: u64,
}

#[behaviours]
impl<'gc> PlacesState<'gc> {
    #[start]
    fn new(count: u64) -> Self {
        PlacesState {
            places: gc::Vec::new(),
            count,
            kept_words: 0,
        }
    }

    /// Does the operations of these numbers.
    fn work(&mut self, t: &Turn<'gc, Places>, from: u64, until: u64) {
        for number in from..until {
            let (place, operation) = operation(number, self.count);
            let array = match operation {
                Operation::Put => Some(t.alloc_iter(content(number + 1))),
                Operation::Drop => None,
                Operation::Nothing => continue,
            };
            self.kept_words += array.map_or(0, |array| array.len() as u64);
            match self.places.get_mut(t, place) {
                Some(slot) => {
                    self.kept_words -= slot.map_or(0, |array| array.len() as u64);
                    *slot = array;
                }
                None => self.places.push(t, array),
            }
        }
    }

    fn look(&self, t: &Turn<'gc, Places>) -> Look {
        Look {
            classes: t.occupancy(),
            kept_words: self.kept_words,
        }
    }

    /// The sum of the numbers of all arrays, without those that are broken.
    fn audit(&self) -> u64 {
        let number = |array: &Gc<'gc, [u64]>| {
            let number = array[0];
            array.iter().copied().eq(content(number)).then_some(number)
        };
        let arrays = self.places.iter().flatten();
        arrays.filter_map(number).sum()
    }
}

/// The sum of the numbers of all arrays at the end.
fn expected(places: u64) -> u64 {
    let mut model = vec![0; places as usize];
    for number in 0..places * ROUNDS {
        match operation(number, places) {
            (place, Operation::Put) => model[place] = number + 1,
            (place, Operation::Drop) => model[place] = 0,
            (_, Operation::Nothing) => {}
        }
    }
    model.iter().sum()
}

fn mib(bytes: usize) -> f64 {
    rounded(bytes as f64 / f64::from(1 << 20))
}

/// A tenth is exact enough.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn percent(used: usize, all: usize) -> f64 {
    rounded(100.0 * used as f64 / all.max(1) as f64)
}

/// Adds the figures over time.
fn add(figures: &mut Figures, looks: &[Look]) {
    let smallest = looks.last().map_or(&[][..], |look| &look.classes);
    for class in smallest.iter().take(CLASSES) {
        let bytes = class.block_bytes;
        let same = |it: &&ClassOccupancy| it.block_bytes == bytes;
        let of = |look: &Look| {
            look.classes
                .iter()
                .find(same)
                .map(|it| (it.used, it.blocks))
        };
        let all: Vec<_> = looks
            .iter()
            .map(|look| of(look).unwrap_or((0, 0)))
            .collect();
        let occupancy: Vec<_> = all.iter().map(|(used, all)| percent(*used, *all)).collect();
        let used: Vec<_> = all.iter().map(|(used, _)| mib(used * bytes)).collect();
        figures.add(&format!("class_{bytes}"), occupancy);
        figures.add(&format!("used_mib_{bytes}"), used);
    }
    let bytes = |look: &Look, of: fn(&ClassOccupancy) -> usize| {
        look.classes
            .iter()
            .map(|it| of(it) * it.block_bytes)
            .sum::<usize>()
    };
    let over = |look: &Look| percent(bytes(look, |it| it.used), bytes(look, |it| it.blocks));
    let overall: Vec<f64> = looks.iter().map(over).collect();
    let used: Vec<_> = looks
        .iter()
        .map(|it| mib(bytes(it, |it| it.used)))
        .collect();
    let kept: Vec<_> = looks
        .iter()
        .map(|it| mib(it.kept_words as usize * 8))
        .collect();
    // The growth of the first fill is left out.
    let settled = &overall[overall.len() / ROUNDS as usize..];
    let mean = |from: usize, until: usize| {
        let part = &settled[settled.len() * from / 7..settled.len() * until / 7];
        rounded(part.iter().sum::<f64>() / part.len().max(1) as f64)
    };
    let means: Map<_, _> = [
        ("replacing", mean(0, 3)),
        ("dropping", mean(3, 5)),
        ("filling", mean(5, 7)),
    ]
    .map(|(name, mean)| (name.to_owned(), json!(mean)))
    .into_iter()
    .collect();
    figures.add("means", means);
    figures.add("overall", overall);
    figures.add("used_mib", used);
    figures.add("kept_mib", kept);
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let places = run.count("places");
    let operations = places * ROUNDS;
    let system = run.system();
    let actor = Places::spawn(&system, places);
    let mut looks = Vec::new();
    let meter = Meter::start();
    for sample in 0..SAMPLES {
        let end = operations * (sample + 1) / SAMPLES;
        let mut at = operations * sample / SAMPLES;
        while at < end {
            let until = end.min(at + A_TURN);
            actor.work(at, until).ask_blocking()?;
            at = until;
        }
        looks.push(actor.look().ask_blocking()?);
    }
    let spent = meter.stop();
    let sum = actor.audit().ask_blocking()?;
    let check = run.check("sum over the arrays", expected(places), sum)?;
    let mut figures = Figures::new(spent, operations, check);
    add(&mut figures, &looks);
    Ok(vec![figures])
}
