//! References that are dropped by a thread which did not make the object.
//!
//! Protocol: the sensitivity study of the PACT paper (7.5, figure 10), where it is the worst case
//! of biased counts. The main thread makes 1,000,000 objects with one reference each; then it
//! computes something, and drops its remaining references. Meanwhile a second thread drops its
//! share of the references, R of all, spread evenly. With biased counts the main thread merges its
//! queue at regular intervals, and when the second thread is done; the other pointers have no
//! queue. The paper gives neither the interval nor the computation; here these are 10,000 steps,
//! and 20,000,000 steps of a pseudo-random generator.
//!
//! Timed: everything, from the first object to the last. An operation is an object. `relative_time`
//! and `relative_memory` are relative to `Arc` at the same R.

use super::pointers::{QUEUED as BY_POINTER, SHARED_WORDS};
use super::sides::{POINTER, add_relative};
use crate::prelude::*;
use crate::workloads::sides::{self, ROUNDS};
use std::hint::black_box;
use std::ops::Deref;
use std::thread;

/// R: of ten objects, the number that the second thread drops; the first value runs all ratios.
const RATIOS: &[&str] = &[
    "all", "0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0",
];

/// Number of steps between two merges of the main thread's queue.
const INTERVAL: usize = 10_000;

pub(in crate::workloads) const QUEUED: Bench = Bench::new(
    Group::Queued,
    "queued",
    "references that are dropped by another thread than the one that made the object",
    &[
        Param::count("objects", 1_000_000, 1_000, "objects"),
        Param::count("steps", 20_000_000, 1_000, "steps that main computes"),
        ROUNDS,
        Param::choice("ratio", RATIOS, "share of the other thread"),
        Param::choice(POINTER, SHARED_WORDS, "which pointer"),
    ],
    run,
)
.child(child);

/// The content of the objects.
pub(super) struct Object([u64; 4]);

impl Object {
    pub(super) fn new(value: u64) -> Object {
        Object([value; 4])
    }
}

/// Runs the workload, and returns the sum of the dropped objects' values.
pub(super) fn work<P: Deref<Target = Object> + Send>(
    run: &Run,
    make: impl Fn(u64) -> P,
    merge: fn(),
) -> u64 {
    let of_ten = of_ten(run.choice("ratio"));
    let objects = run.count("objects");
    let (mut kept, mut given) = (Vec::new(), Vec::new());
    for value in 0..objects {
        let its = if value % 10 < of_ten {
            &mut given
        } else {
            &mut kept
        };
        its.push(make(value));
    }
    thread::scope(|scope| {
        let other = scope.spawn(|| given.into_iter().map(give_up).sum::<u64>());
        compute(run.count("steps"), merge);
        let mut sum = 0;
        for (at, object) in kept.into_iter().enumerate() {
            sum += give_up(object);
            if at % INTERVAL == 0 {
                merge();
            }
        }
        sum += other.join().expect("nothing there panics");
        merge();
        sum
    })
}

fn give_up<P: Deref<Target = Object>>(object: P) -> u64 {
    object.0[0]
}

/// Work that takes time and cannot be optimised away: a chain of dependent steps (an xorshift; the
/// states of `fastrand` are a counter, so its steps do not depend on each other).
fn compute(steps: u64, merge: fn()) {
    let mut left = steps;
    let mut state = 88_172_645_463_325_252_u64;
    while left > 0 {
        let now = left.min(INTERVAL as u64);
        for _ in 0..now {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }
        left -= now;
        merge();
    }
    black_box(state);
}

/// How many of ten; the word for all ratios stands before them.
fn of_ten(ratio: &str) -> u64 {
    let at = RATIOS.iter().position(|word| *word == ratio);
    at.and_then(|at| at.checked_sub(1))
        .expect("the parent names one ratio") as u64
}

fn child(run: &Run) -> Result<(), Failure> {
    let pointer = run.choice(POINTER);
    let named = BY_POINTER.iter().find(|(name, _)| *name == pointer);
    let (_, work) = named.expect("the parent names one pointer");
    sides::print(sides::timed(|| work(run)))
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let objects = run.count("objects");
    let ratios = sides::chosen(run, "ratio", RATIOS[1..].iter().copied());
    let pointers = sides::chosen(run, POINTER, SHARED_WORDS[1..].iter().copied());
    let side = |ratio, pointer| {
        vec![
            ("ratio", Value::Choice(ratio)),
            (POINTER, Value::Choice(pointer)),
        ]
    };
    let sides = ratios
        .into_iter()
        .flat_map(|ratio| pointers.iter().map(move |pointer| side(ratio, *pointer)))
        .collect();
    let expected = ("sum over the objects", objects * (objects - 1) / 2);
    let mut rows = sides::compare(run, &QUEUED, sides, expected, |_| Ok(()))?;
    add_relative(&mut rows);
    rows.iter_mut().for_each(|figures| figures.ops = objects);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    #[test]
    fn ratios_are_tenths() {
        assert_eq!(super::of_ten("0.0"), 0);
        assert_eq!(super::of_ten("0.3"), 3);
        assert_eq!(super::of_ten("1.0"), 10);
    }
}
