//! The operations on a count, alone.
//!
//! Protocol: table 7 of the PACT paper, and beyond it the drop of a reference and more than one
//! thread. An increment is a clone into a reserved place; the clones are dropped outside the timer.
//! A pair is a clone and its drop, in two calls that are not inlined, so that neither is optimised
//! with the other.
//!
//! Variants with a plain name, and `…_owner`, run on the thread that made the object, and on no
//! other. `…_other`: on another thread, while the thread that made the object sleeps.
//! `…_contended`: two threads on one object, neither of which made it; `…_owner_and_other`: two
//! threads, one of which made it; then the time is the mean of both. Variants take turns, for many
//! rounds, in one process; a round is short, so few are interrupted.
//!
//! Timed: a row's time is that of its pairs, `increment_ns` that of an increment: both in the
//! median round. An operation is a pair.

use super::pointers::{VALUE, VARIANTS};
use crate::prelude::*;
use std::hint::black_box;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Clones that live at once: they fit into a first-level cache.
const SLOTS: u64 = 2_048;

pub(in crate::workloads) const REFCOUNT: Bench = Bench::new(
    Group::Counts,
    "refcount",
    "increments, and clones with their drops, of counted pointers",
    &[
        Param::count("clones", 20_000, 500, "clones of a variant in a round"),
        Param::count("rounds", 501, 1, "rounds, of which the median counts"),
    ],
    run,
);

/// The times of a variant in one round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    increments: Duration,
    pairs: Spent,
    /// The sum of the values that were read through the clones.
    read: u64,
}

/// On this thread alone.
pub(super) fn alone<P: Clone + Deref<Target = u64>>(pointer: &P, clones: u64) -> Measured {
    let (increments, read) = increments(pointer, clones);
    let meter = Meter::start();
    pairs(pointer, clones);
    Measured {
        increments,
        pairs: meter.stop(),
        read,
    }
}

/// On another thread, while this one, which made the object, does nothing.
pub(super) fn on_another<P: Clone + Sync + Deref<Target = u64>>(
    pointer: &P,
    clones: u64,
) -> Measured {
    thread::scope(|scope| join(scope.spawn(|| alone(pointer, clones))))
}

/// On two other threads at once, while this one does nothing.
pub(super) fn between_two<P: Clone + Sync + Deref<Target = u64>>(
    pointer: &P,
    clones: u64,
) -> Measured {
    let race = Race::default();
    thread::scope(|scope| {
        let first = scope.spawn(|| race.run(pointer, clones));
        let second = scope.spawn(|| race.run(pointer, clones));
        mean(join(first), join(second))
    })
}

/// On this thread, which made the object, and on another at once.
pub(super) fn with_another<P: Clone + Sync + Deref<Target = u64>>(
    pointer: &P,
    clones: u64,
) -> Measured {
    let race = Race::default();
    thread::scope(|scope| {
        let other = scope.spawn(|| race.run(pointer, clones));
        mean(race.run(pointer, clones), join(other))
    })
}

fn join(thread: thread::ScopedJoinHandle<'_, Measured>) -> Measured {
    thread.join().expect("clones do not panic")
}

fn mean(one: Measured, other: Measured) -> Measured {
    Measured {
        increments: (one.increments + other.increments) / 2,
        pairs: Spent {
            wall: (one.pairs.wall + other.pairs.wall) / 2,
            cpu: (one.pairs.cpu + other.pairs.cpu) / 2,
        },
        read: u64::midpoint(one.read, other.read),
    }
}

/// Two threads that disturb each other as long as either measures.
#[derive(Default)]
struct Race {
    ready: AtomicUsize,
    done: AtomicUsize,
}

impl Race {
    /// Measures beside the other, and goes on until the other has measured too.
    fn run<P: Clone + Deref<Target = u64>>(&self, pointer: &P, clones: u64) -> Measured {
        Race::wait(&self.ready, thread::yield_now);
        let measured = alone(pointer, clones);
        Race::wait(&self.done, || pairs(pointer, SLOTS));
        measured
    }

    /// Until both have come here.
    fn wait(both: &AtomicUsize, meanwhile: impl Fn()) {
        // Relaxed: the threads share nothing but the number.
        both.fetch_add(1, Ordering::Relaxed);
        while both.load(Ordering::Relaxed) < 2 {
            meanwhile();
        }
    }
}

/// The time of the clones without their drops, and the sum of the values they point to.
fn increments<P: Clone + Deref<Target = u64>>(pointer: &P, clones: u64) -> (Duration, u64) {
    let mut slots = Vec::with_capacity(SLOTS as usize);
    let (mut time, mut read, mut left) = (Duration::ZERO, 0, clones);
    while left > 0 {
        let now = left.min(SLOTS);
        let began = Instant::now();
        slots.extend((0..now as usize).map(|_| black_box(pointer).clone()));
        time += began.elapsed();
        read += slots.drain(..).map(|clone: P| *clone).sum::<u64>();
        left -= now;
    }
    (time, read)
}

fn pairs<P: Clone>(pointer: &P, clones: u64) {
    for _ in 0..clones {
        give_up(black_box(copy(black_box(pointer))));
    }
}

#[inline(never)]
fn copy<P: Clone>(pointer: &P) -> P {
    pointer.clone()
}

#[inline(never)]
fn give_up<P>(pointer: P) {
    drop(pointer);
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (clones, rounds) = (run.count("clones"), run.count("rounds"));
    let mut measured = vec![Vec::new(); VARIANTS.len()];
    for _ in 0..rounds {
        for ((_, measure), results) in VARIANTS.iter().zip(&mut measured) {
            results.push(measure(clones));
        }
    }
    let rows = VARIANTS.iter().zip(measured);
    rows.map(|((name, _), results)| row(run, name, results))
        .collect()
}

/// The row of a variant, from what all rounds have measured.
pub(super) fn row(
    run: &Run,
    variant: &'static str,
    mut of: Vec<Measured>,
) -> Result<Figures, Failure> {
    let clones = run.count("clones");
    let read = of.iter().map(|it| it.read).sum();
    let expected = of.len() as u64 * clones * VALUE;
    let check = run.check("sum of what the clones point to", expected, read)?;
    let middle = of.len() / 2;
    of.sort_unstable_by_key(|it| it.increments);
    let increment = of[middle].increments.as_nanos() as f64 / clones as f64;
    of.sort_unstable_by_key(|it| it.pairs.wall);
    let mut figures = Figures::new(of[middle].pairs, clones, check);
    figures.add("increment_ns", increment);
    figures.params.push(("variant", Value::Choice(variant)));
    Ok(figures)
}
