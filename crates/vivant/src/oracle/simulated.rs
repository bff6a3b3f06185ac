//! Time and chance from a seed: virtual time does not pass until the simulation advances it.

use super::{below, split_mix};
use crate::sync::{AtomicU64, Mutex, Ordering, lock};

pub(crate) struct Simulated {
    now_ns: AtomicU64,
    seed: u64,
    /// The stream of the scheduler's choices and the faults; actors have their own.
    choices: Mutex<u64>,
}

impl Simulated {
    pub(super) fn new(seed: u64) -> Simulated {
        // Seeds written down are small and close to each other: one step makes their streams differ
        // widely.
        Simulated {
            now_ns: AtomicU64::new(0),
            seed,
            choices: Mutex::new(split_mix(seed).1),
        }
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn now_ns(&self) -> u64 {
        // Relaxed: one thread runs a simulation; another may read the time for a report.
        self.now_ns.load(Ordering::Relaxed)
    }

    /// Advances virtual time.
    pub(super) fn advance_to(&self, ns: u64) {
        self.now_ns.fetch_max(ns, Ordering::Relaxed);
    }

    /// A choice among `count` alternatives (at least one).
    pub(crate) fn choose(&self, count: usize) -> usize {
        let mut choices = lock(&self.choices);
        let (state, number) = split_mix(*choices);
        *choices = state;
        below(number, count as u64) as usize
    }

    /// True in `per_million` of a million draws. Draws nothing when that is zero, so that a fault
    /// that is off changes no other choice.
    pub(crate) fn happens(&self, per_million: u32) -> bool {
        per_million > 0 && self.choose(1_000_000) < per_million as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_is_off_changes_no_other_choice() {
        let (without, with) = (Simulated::new(1), Simulated::new(1));
        for _ in 0..20 {
            assert!(!with.happens(0));
            assert_eq!(with.choose(1_000), without.choose(1_000));
        }
    }
}
