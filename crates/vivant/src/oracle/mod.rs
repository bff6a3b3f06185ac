//! The oracle: the single interface through which time and chance enter the runtime (R4,
//! R5).
//!
//! Two implementations exist so far: [`Real`] reads the machine, [`Simulated`] computes from a
//! seed. Record and replay will be two more. Nothing else in the crate reads a clock or draws a
//! random number; the scheduler's choices under simulation are drawn from here too.

#[cfg(test)]
mod dice;
mod real;
mod simulated;

use crate::sync::{AtomicU64, Ordering};
#[cfg(test)]
pub(crate) use dice::Dice;
use real::Real;
pub(crate) use simulated::Simulated;
use std::time::{Duration, SystemTime};

/// The source of time and chance of a system.
pub(crate) struct Oracle {
    /// As of the last tick, or of the last step of virtual time. Here and not in the
    /// implementations, because every turn reads it.
    coarse_ms: AtomicU64,
    kind: OracleKind,
}

pub(crate) enum OracleKind {
    Real(Real),
    Simulated(Simulated),
}

impl Oracle {
    pub(crate) fn real() -> Oracle {
        Oracle::of(OracleKind::Real(Real::new()))
    }

    pub(crate) fn simulated(seed: u64) -> Oracle {
        Oracle::of(OracleKind::Simulated(Simulated::new(seed)))
    }

    fn of(kind: OracleKind) -> Oracle {
        Oracle {
            coarse_ms: AtomicU64::new(0),
            kind,
        }
    }

    /// Nanoseconds since the system began. In a restored system those of its lives together.
    pub(crate) fn now_ns(&self) -> u64 {
        match &self.kind {
            OracleKind::Real(real) => real.now_ns(),
            OracleKind::Simulated(simulated) => simulated.now_ns(),
        }
    }

    /// From here on `now_ns` continues at `ns`, where another life of the system has ended. Called
    /// before the system does anything.
    pub(crate) fn continue_at(&self, ns: u64) {
        match &self.kind {
            OracleKind::Real(real) => real.continue_at(ns),
            OracleKind::Simulated(simulated) => simulated.advance_to(ns),
        }
        self.tick();
    }

    /// The time `in_ns` from now, on a clock that all systems of the process share: a limit of one
    /// system is seen in turns of another one.
    pub(crate) fn limit_ns(&self, in_ns: u64) -> u64 {
        let now_ns = self.now_ns().saturating_add(self.began_ns());
        let now_ns = now_ns.saturating_sub(self.continued_ns());
        now_ns.saturating_add(in_ns)
    }

    /// Returns a limit on the clock of this system; zero if it was before the system began.
    pub(crate) fn on_this_clock(&self, limit_ns: u64) -> u64 {
        let limit_ns = limit_ns.saturating_add(self.continued_ns());
        limit_ns.saturating_sub(self.began_ns())
    }

    /// What `now_ns` was when the system began.
    fn continued_ns(&self) -> u64 {
        match &self.kind {
            OracleKind::Real(real) => real.continued_ns(),
            OracleKind::Simulated(_) => 0,
        }
    }

    /// When the system began, on the shared clock. Virtual time has its own.
    fn began_ns(&self) -> u64 {
        match &self.kind {
            OracleKind::Real(real) => real.began_ns(),
            OracleKind::Simulated(_) => 0,
        }
    }

    /// CPU time of this thread in nanoseconds. A system call: used for threads in slow turns.
    pub(crate) fn thread_cpu_ns(&self) -> u64 {
        match &self.kind {
            OracleKind::Real(real) => real.thread_cpu_ns(),
            OracleKind::Simulated(simulated) => simulated.now_ns(),
        }
    }

    /// Milliseconds since the system began, as of the last tick: one load. While the system works,
    /// a tick is one millisecond; while it is idle the value does not change, and the first worker
    /// to wake corrects it.
    #[inline]
    pub(crate) fn coarse_ms(&self) -> u64 {
        // Relaxed: an independent number; being late by a tick is what coarse means.
        self.coarse_ms.load(Ordering::Relaxed)
    }

    /// Updates the coarse clock.
    pub(crate) fn tick(&self) {
        // Max, because two threads may tick at once and the clock must not run backwards.
        self.coarse_ms
            .fetch_max(self.now_ns() / 1_000_000, Ordering::Relaxed);
    }

    /// The simulated implementation, in a simulation.
    pub(crate) fn simulation(&self) -> Option<&Simulated> {
        match &self.kind {
            OracleKind::Real(_) => None,
            OracleKind::Simulated(simulated) => Some(simulated),
        }
    }

    /// Advances virtual time, in a simulation.
    pub(crate) fn advance_to(&self, ns: u64) {
        if let Some(simulated) = self.simulation() {
            simulated.advance_to(ns);
            self.tick();
        }
    }

    /// Calendar time. A simulation begins at 2000-01-01 00:00 UTC.
    pub(crate) fn wall(&self) -> SystemTime {
        const YEAR_2000: Duration = Duration::from_secs(946_684_800);
        match &self.kind {
            OracleKind::Real(_) => Real::wall(),
            OracleKind::Simulated(simulated) => {
                SystemTime::UNIX_EPOCH + YEAR_2000 + Duration::from_nanos(simulated.now_ns())
            }
        }
    }

    /// The number from which every actor's random stream is derived.
    pub(crate) fn seed(&self) -> u64 {
        match &self.kind {
            OracleKind::Real(real) => real.seed(),
            OracleKind::Simulated(simulated) => simulated.seed(),
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): from a state to the next one and a number. Implemented
/// here because seeds that users write down must mean the same in every version.
pub(crate) fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

/// A number below `bound` (which is at least one) from a uniform 64-bit one; the bias is below 2⁻³²
/// for small bounds.
pub(crate) fn below(number: u64, bound: u64) -> u64 {
    ((u128::from(number) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_matches_its_published_vector() {
        let mut state = 1_234_567;
        let mut numbers = [0; 3];
        for number in &mut numbers {
            (state, *number) = split_mix(state);
        }
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn below_stays_below() {
        assert_eq!(below(u64::MAX, 7), 6);
        assert_eq!(below(0, 7), 0);
    }
}
