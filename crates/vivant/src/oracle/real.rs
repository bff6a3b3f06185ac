//! Time and chance of the machine.

use crate::sync::{AtomicU64, Ordering};
use std::hash::{BuildHasher, RandomState};
use std::time::{Instant, SystemTime};

pub(crate) struct Real {
    began: Instant,
    coarse_ms: AtomicU64,
    seed: u64,
}

#[allow(
    clippy::disallowed_methods,
    reason = "this file is where the machine's clocks are read"
)]
impl Real {
    pub(super) fn new() -> Real {
        // The hasher's keys come from the operating system: entropy without a dependency.
        Real {
            began: Instant::now(),
            coarse_ms: AtomicU64::new(0),
            seed: RandomState::new().hash_one(0),
        }
    }

    pub(super) fn now_ns(&self) -> u64 {
        // 2⁶⁴ ns are 584 years.
        self.began.elapsed().as_nanos() as u64
    }

    pub(super) fn coarse_ms(&self) -> u64 {
        // Relaxed: a number on its own; being late by a tick is what coarse means.
        self.coarse_ms.load(Ordering::Relaxed)
    }

    pub(super) fn tick(&self) {
        // Max, because two threads may tick at once and the clock must not run backwards.
        self.coarse_ms
            .fetch_max(self.now_ns() / 1_000_000, Ordering::Relaxed);
    }

    pub(super) fn wall() -> SystemTime {
        SystemTime::now()
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }
}
