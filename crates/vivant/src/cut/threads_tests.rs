//! Cuts of a program on threads, one after the other.

use super::Outcome;
use super::beside_threads::{Over, take_beside_threads};
use super::tests::{Records, begin, order};
use crate::oracle::Dice;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::system::System;
use std::thread;

const CUTS: usize = if cfg!(miri) { 2 } else { 150 };

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
    let records = Arc::new(Records::default());
    let outcome = take_beside_threads(system.shared(), records.clone());
    assert_eq!(outcome, Outcome::Consistent);
    records.check();
}

#[test]
fn a_bank_on_two_threads_loses_nothing_in_a_cut() {
    bank_on(2, 1);
}

#[test]
fn a_bank_on_eight_threads_loses_nothing_in_a_cut() {
    bank_on(8, 2);
}
