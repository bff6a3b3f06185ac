//! Time and chance of the machine.

use std::hash::{BuildHasher, RandomState};
use std::time::{Instant, SystemTime};

pub(crate) struct Real {
    began: Instant,
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
            seed: RandomState::new().hash_one(0),
        }
    }

    pub(super) fn now_ns(&self) -> u64 {
        // 2⁶⁴ ns are 584 years.
        self.began.elapsed().as_nanos() as u64
    }

    pub(super) fn wall() -> SystemTime {
        SystemTime::now()
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }
}
