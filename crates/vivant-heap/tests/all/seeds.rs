//! The seeds of random programs: `VIVANT_SEED` names one, `VIVANT_SEEDS` their number. The
//! collections' tests include this file.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Returns the requested seeds, or a number of them that `unless_requested` returns.
pub(crate) fn seeds(unless_requested: u64) -> Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    match number("VIVANT_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("VIVANT_SEEDS").unwrap_or(unless_requested),
    }
}

/// Runs a program of a seed. A failure prints the seed.
pub(crate) fn run(seed: u64, program: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(program)) {
        eprintln!("VIVANT_SEED={seed} fails");
        resume_unwind(panic);
    }
}
