//! Random test programs, one for each seed. Compiled for tests only.

use super::injected_fault;
use super::injected_fault::InjectedFault;
use crate::orca::count_audit::CountAudit;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, catch_unwind, resume_unwind};

/// Runs the programs of `most` seeds, or of as many as `VIVANT_SEEDS` says, and prints the seed
/// that fails. Returns how many there were.
pub(crate) fn run(most: u64, program: impl Fn(u64) + RefUnwindSafe) -> u64 {
    let asked = std::env::var("VIVANT_SEEDS").ok();
    let seeds = asked.and_then(|seeds| seeds.parse().ok()).unwrap_or(most);
    for seed in 0..seeds {
        if let Err(panic) = catch_unwind(|| program(seed)) {
            eprintln!("seed {seed}");
            resume_unwind(panic);
        }
    }
    seeds
}

/// Asserts that each of these injected faults makes one of the first programs fail.
#[track_caller]
pub(crate) fn catch(faults: &[InjectedFault], program: impl Fn(u64)) {
    for &fault in faults {
        let caught = (0..20).any(|seed| {
            let run = AssertUnwindSafe(|| injected_fault::with(fault, || program(seed)));
            let caught = catch_unwind(run);
            injected_fault::with(InjectedFault::Nothing, || ());
            CountAudit::discard();
            caught.is_err()
        });
        assert!(caught, "{fault:?}");
    }
}
