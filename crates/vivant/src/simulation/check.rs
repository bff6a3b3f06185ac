//! A test under many seeds.

use super::rerun::{Recording, SeededRun, rerun};
use super::variables::number;
use super::{Faults, Simulation};
use crate::failures::message_of;
use std::panic;

/// Number of seeds of a test.
///
/// The environment overrides it: `VIVANT_SEED=17` runs that seed alone, `VIVANT_SEEDS=10000` that
/// many seeds.
#[derive(Clone, Copy, Debug)]
pub struct Seeds(pub u64);

impl Seeds {
    fn chosen(self) -> Box<dyn Iterator<Item = u64>> {
        if let Some(seed) = number("VIVANT_SEED") {
            return Box::new(std::iter::once(seed));
        }
        Box::new(0..number("VIVANT_SEEDS").unwrap_or(self.0))
    }
}

/// Runs `test` once for each seed. `#[vivant::test]` calls this; call it yourself in tests that
/// choose their faults.
///
/// # Panics
///
/// When `test` does, after printing the seed, how to rerun it, and whether another run of the same
/// seed had the same turns; and when the simulation complains, because then the seed does not
/// determine the run.
#[allow(
    clippy::print_stderr,
    reason = "a failing test's seed is for whoever reads its output"
)]
pub fn check(name: &str, seeds: Seeds, faults: &Faults, test: impl Fn(&Simulation)) {
    for seed in seeds.chosen() {
        let run = SeededRun::of(seed, faults, &test, Recording::Off);
        if let Err(payload) = &run.outcome {
            let test_name = name.rsplit("::").next().unwrap_or(name);
            eprintln!(
                "\n{name} failed under seed {seed} after {} turns, at virtual time {:?}: {}\n\
                 Rerun it alone with: VIVANT_SEED={seed} cargo test {test_name}\n\
                 With VIVANT_TRACE=1 before it, its turns are printed.\n\
                 It is run again, to see whether its seed determines it.",
                run.turns,
                run.now,
                message_of(&**payload),
            );
            eprintln!("\n{}\n", rerun(seed, faults, &test, &run));
        }
        if let Err(payload) = run.outcome {
            panic::resume_unwind(payload);
        }
    }
}
