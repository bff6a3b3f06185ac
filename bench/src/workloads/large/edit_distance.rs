//! Distances of strings, by tries of known results: graphs that grow, are read all the time, and
//! die.
//!
//! Protocol: `edit-distance` of the Alligator paper, with generated strings. The distance of each
//! ordered pair of 18 strings is computed by its definition, one letter after the other. The result
//! for a pair of ends of both strings is kept in a trie over the bits of their lengths; the trie
//! dies with the pair. A pair is a turn, so the trie dies in the nursery, whatever its size.
//!
//! Timed: all pairs. The service times are those of the pairs, between two completions. An
//! operation is a pair of ends.

use super::chance::mixed;
use super::completions::Completions;
use super::window::Window;
use crate::prelude::*;
use vivant::heap::{Leaf, Mutator};
use vivant::prelude::*;

pub(in crate::workloads) const EDIT_DISTANCE: Bench = Bench::new(
    Group::Large,
    "edit_distance",
    "distances of strings, by tries of known results",
    &[
        Param::count("strings", 18, 4, "strings, of which all pairs are taken"),
        Param::count("letters", 250, 30, "letters of a string"),
        PAUSES,
    ],
    run,
);

/// Random strings of four letters.
fn string(number: u64, letters: u64) -> Vec<u8> {
    let letter = |at| (mixed(number << 32 | at) >> 20 & 3) as u8;
    (0..letters).map(letter).collect()
}

/// A trie: its value, and its two children, by the next bit.
#[derive(Object, Default)]
struct Trie<'gc> {
    value: Option<Gc<'gc, u64>>,
    below: [Option<Node<'gc>>; 2],
}

type Node<'gc> = Gc<'gc, Mut<Trie<'gc>>>;

/// The node of a pair of numbers, each of `width` bits, the lowest bits first. It is made if there
/// is none.
fn node<'gc>(m: &Mutator<'gc>, root: Node<'gc>, width: u32, ends: (usize, usize)) -> Node<'gc> {
    let (mut at, mut bits) = (root, (1 << width | ends.0) << width | ends.1);
    while bits > 1 {
        let below = at.borrow().below[bits & 1];
        at = below.unwrap_or_else(|| {
            let fresh = m.alloc(Mut::new(Trie::default()));
            at.borrow_mut(m).below[bits & 1] = Some(fresh);
            fresh
        });
        bits >>= 1;
    }
    at
}

/// A pair of strings, and the known results for it.
struct Pair<'a, 'gc> {
    m: &'a Mutator<'gc>,
    strings: [&'a [u8]; 2],
    known: Node<'gc>,
    /// Bits of a length.
    width: u32,
    found: u64,
}

impl Pair<'_, '_> {
    /// The distance of the strings from these places on.
    fn distance(&mut self, one: usize, other: usize) -> u64 {
        let place = node(self.m, self.known, self.width, (one, other));
        if let Some(value) = place.borrow().value {
            return *value;
        }
        let [left, right] = self.strings;
        let distance = if one == left.len() {
            (right.len() - other) as u64
        } else if other == right.len() {
            (left.len() - one) as u64
        } else if left[one] == right[other] {
            self.distance(one + 1, other + 1)
        } else {
            let changed = self.distance(one + 1, other + 1);
            let without = self.distance(one + 1, other);
            1 + changed.min(without).min(self.distance(one, other + 1))
        };
        self.found += 1;
        let value = self.m.alloc(distance);
        place.borrow_mut(self.m).value = Some(value);
        distance
    }
}

#[derive(Actor)]
struct DistancesState<'gc> {
    strings: Vec<Gc<'gc, [u8]>>,
    times: Leaf<Completions>,
}

#[behaviours]
impl<'gc> DistancesState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Distances>, strings: u64, letters: u64) -> Self {
        let string = |number| t.alloc_slice(string(number, letters));
        DistancesState {
            strings: (0..strings).map(string).collect(),
            times: Leaf(Completions::all()),
        }
    }

    /// Answers with the sum of all distances, and with how many pairs of ends were found; a pair is
    /// a step.
    fn all(
        &mut self,
        t: &Turn<'gc, Distances>,
        #[locals] (pair, sum, found): (usize, u64, u64),
    ) -> Step<(usize, u64, u64), (u64, u64)> {
        let count = self.strings.len();
        if pair == count * count {
            return Step::Done((sum, found));
        }
        let known = t.alloc(Mut::new(Trie::default()));
        let strings = [&*self.strings[pair / count], &*self.strings[pair % count]];
        let mut both = Pair {
            m: t,
            strings,
            known,
            width: strings[0].len().ilog2() + 1,
            found: 0,
        };
        let distance = both.distance(0, 0);
        let found = found + both.found;
        self.times.0.one();
        Step::Again((pair + 1, sum + distance, found))
    }

    fn end(&mut self) -> Latencies {
        self.times.0.end()
    }
}

/// By the table of all ends, row by row.
fn distance(left: &[u8], right: &[u8]) -> u64 {
    let mut row: Vec<u64> = (0..=right.len() as u64).collect();
    for (above, one) in left.iter().enumerate() {
        let mut corner = row[0];
        row[0] = above as u64 + 1;
        for (at, other) in right.iter().enumerate() {
            let changed = corner + u64::from(one != other);
            corner = row[at + 1];
            row[at + 1] = changed.min(1 + corner).min(1 + row[at]);
        }
    }
    row[right.len()]
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (count, letters) = (run.count("strings"), run.count("letters"));
    let strings: Vec<_> = (0..count).map(|number| string(number, letters)).collect();
    let of_all = |one: &Vec<u8>| {
        strings
            .iter()
            .map(|other| distance(one, other))
            .sum::<u64>()
    };
    let expected = strings.iter().map(of_all).sum();
    let system = run.system();
    let distances = Distances::spawn(&system, count, letters);
    let window = Window::begin(run, &system);
    let (sum, found) = distances.all().ask_blocking()?;
    let seen = window.end();
    let check = run.check("sum of all distances", expected, sum)?;
    let mut figures = seen.figures(found, check);
    figures.latency = Some(distances.end().ask_blocking()?.quantiles());
    Ok(vec![figures])
}
