//! Random programs of collections: their seeds, the pacing of their heaps, and refused memory.

use crate::seeds;
use fastrand::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vivant_heap::{Pacing, Stress, When};

/// A pacing of the seed, under which a heap verifies itself and may refuse memory.
pub(crate) fn pacing(random: &mut Rng, seed: u64) -> Pacing {
    let mut pacing = Pacing::default();
    pacing.nursery = 1 << (8 + random.usize(..10));
    pacing.first = 1 << (8 + random.usize(..10));
    pacing.growth = 1.0 + random.usize(..20) as f64 / 10.0;
    let when = [When::Paced, When::Young, When::All, When::Chance];
    let stress = Stress::new(when[random.usize(..9).min(3)], seed);
    pacing.stress = Some(match random.usize(..3) {
        0 => stress.refusing(20),
        _ => stress,
    });
    pacing
}

/// Runs an operation; none if there was no memory for it.
pub(crate) fn unless_refused<R>(operation: impl FnOnce() -> R) -> Option<R> {
    let done = catch_unwind(AssertUnwindSafe(operation));
    done.map_err(|panic| {
        let says = panic.downcast_ref::<String>().map_or("", String::as_str);
        assert!(says.starts_with("no memory"), "{says}");
    })
    .ok()
}

/// A program here takes as long as 100 other tests: if a test run requests many seeds, it uses
/// fewer here.
const LONG: u64 = 100;

/// Runs a test with many seeds.
pub(crate) fn with_seeds(test: impl Fn(u64)) {
    let requested = seeds::seeds(LONG);
    let last = match requested.start {
        0 => (requested.end / LONG).max(1),
        _ => requested.end,
    };
    for seed in requested.start..last {
        seeds::run(seed, || test(seed));
    }
}
