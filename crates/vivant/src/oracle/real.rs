//! Time and chance of the machine.

use crate::sync::{AtomicU64, Ordering};
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::time::{Instant, SystemTime};

/// When the first system of this process began.
static FIRST_BEGAN: OnceLock<Instant> = OnceLock::new();

pub(crate) struct Real {
    began: Instant,
    first_began: Instant,
    seed: u64,
    /// What the clock of the system was when it began.
    continued_ns: AtomicU64,
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
            continued_ns: AtomicU64::new(0),
        }
    }

    /// Nanoseconds from the first system of this process to this one.
    pub(super) fn began_ns(&self) -> u64 {
        self.began.duration_since(self.first_began).as_nanos() as u64
    }

    pub(super) fn now_ns(&self) -> u64 {
        // 2⁶⁴ ns are 584 years.
        self.continued_ns() + self.began.elapsed().as_nanos() as u64
    }

    pub(super) fn continued_ns(&self) -> u64 {
        // Relaxed: written before another thread has the system.
        self.continued_ns.load(Ordering::Relaxed)
    }

    pub(super) fn continue_at(&self, ns: u64) {
        let elapsed_ns = self.began.elapsed().as_nanos() as u64;
        let began_at_ns = ns.saturating_sub(elapsed_ns);
        self.continued_ns.store(began_at_ns, Ordering::Relaxed);
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
