//! Time and chance of the machine.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::time::{Instant, SystemTime};

/// When the first system of this process began.
static FIRST_BEGAN: OnceLock<Instant> = OnceLock::new();

pub(crate) struct Real {
    began: Instant,
    first_began: Instant,
    seed: u64,
}

#[allow(
    clippy::disallowed_methods,
    reason = "this file is where the machine's clocks are read"
)]
impl Real {
    pub(super) fn new() -> Real {
        // The hasher's keys come from the operating system: entropy without a dependency.
        let began = Instant::now();
        Real {
            began,
            first_began: *FIRST_BEGAN.get_or_init(|| began),
            seed: RandomState::new().hash_one(0),
        }
    }

    /// Nanoseconds from the first system of this process to this one.
    pub(super) fn began_ns(&self) -> u64 {
        self.began.duration_since(self.first_began).as_nanos() as u64
    }

    pub(super) fn now_ns(&self) -> u64 {
        // 2⁶⁴ ns are 584 years.
        self.began.elapsed().as_nanos() as u64
    }

    /// Elsewhere it is not available: there every long turn counts as computing.
    pub(super) fn thread_cpu_ns(&self) -> u64 {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            use rustix::time::{ClockId, clock_gettime};
            let time = clock_gettime(ClockId::ThreadCPUTime);
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        self.now_ns()
    }

    pub(super) fn wall() -> SystemTime {
        SystemTime::now()
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }
}
