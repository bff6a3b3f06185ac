//! Cuts of a program on threads, one after the other.

use super::tests::{Records, begin, order};
use super::{Coordinator, Outcome, Step};
use crate::oracle::Dice;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::system::System;
use std::thread;

const CUTS: usize = if cfg!(miri) { 2 } else { 150 };

/// A cut that is not complete after this number of steps hangs.
const STEPS_MAX: usize = 100_000_000;

/// The threads end, also after a panic.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn bank_on(workers: usize, outside: usize) {
    let system = System::builder().workers(workers).build();
    let accounts = begin(&system);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 0..outside {
            let (accounts, is_over) = (&accounts, &is_over);
            scope.spawn(move || {
                let mut dice = Dice::new(seed as u64);
                while !is_over.load(Ordering::Relaxed) {
                    order(accounts, &mut dice);
                    thread::yield_now();
                }
            });
        }
        let _over = Over(&is_over);
        (0..CUTS).for_each(|_| take(&system));
    });
    let _report = system.shutdown();
}

fn take(system: &System) {
    let shared = system.shared();
    let mut coordinator = Coordinator::new(shared);
    let records = Arc::new(Records::default());
    coordinator.begin(shared, records.clone());
    for _ in 0..STEPS_MAX {
        match coordinator.step(shared) {
            Step::More => {}
            Step::Waits => thread::yield_now(),
            Step::Complete(outcome) => {
                assert_eq!(outcome, Outcome::Consistent);
                return records.check();
            }
        }
    }
    panic!("the cut is not complete");
}

#[test]
fn a_bank_on_two_threads_loses_nothing_in_a_cut() {
    bank_on(2, 1);
}

#[test]
fn a_bank_on_eight_threads_loses_nothing_in_a_cut() {
    bank_on(8, 2);
}
