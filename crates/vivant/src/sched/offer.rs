//! When a worker wakes a sleeping one for the work in its queue (an offer).
//!
//! Waking a thread costs more than most turns, so work is offered only if it outlasts that: when
//! the queue has been non-empty for the **patience** (the offer delay), or when the waiting actors
//! will take as long, by the mean of the last runs. A worker that was woken in vain doubles the
//! patience of all workers (`steal_policy.rs`). A worker that found enough work resets it to the
//! minimum.
//!
//! No progress depends on this: a worker with a queue is awake and will run it, and if a turn holds
//! the worker up the clock offers its queue (K1, `replacement.rs`).

use crate::sync::{AtomicU32, Ordering};

/// Minimum of the patience: a few times the 12–21 µs that waking costs under a hypervisor.
pub(crate) const PATIENCE_MIN_NS: u32 = 50_000;

/// Maximum of the patience: one attempt in this time costs nothing, and the load may have changed.
const PATIENCE_MAX_NS: u32 = 40_000_000;

/// Period over which turns are counted, in nanoseconds: long enough to contain a sender's long turn
/// and its receiver's many short ones.
const COUNTED_NS: u64 = 1_000_000;

/// The state of offers that all workers of a system share.
pub(crate) struct OfferDelay {
    ns: AtomicU32,
    /// Set if an offer was made and the worker that it wakes has not yet woken.
    offered: AtomicU32,
}

impl OfferDelay {
    pub(crate) fn new() -> OfferDelay {
        OfferDelay {
            ns: AtomicU32::new(PATIENCE_MIN_NS),
            offered: AtomicU32::new(0),
        }
    }

    /// Returns the patience in nanoseconds. All accesses are relaxed: a heuristic about speed.
    pub(crate) fn ns(&self) -> u64 {
        u64::from(self.ns.load(Ordering::Relaxed))
    }

    /// A worker is woken because of an offer.
    pub(crate) fn offers(&self) {
        self.offered.store(1, Ordering::Relaxed);
    }

    /// Called by a worker that wakes. Returns true if it was woken because of an offer.
    pub(crate) fn was_offered(&self) -> bool {
        self.offered.load(Ordering::Relaxed) != 0 && self.offered.swap(0, Ordering::Relaxed) != 0
    }

    /// An offer was in vain: doubles the patience.
    pub(crate) fn grows(&self) {
        let ns = self.ns.load(Ordering::Relaxed);
        self.ns
            .store(ns.saturating_mul(2).min(PATIENCE_MAX_NS), Ordering::Relaxed);
    }

    /// An offer was worth it: resets the patience to the minimum.
    pub(crate) fn ends(&self) {
        self.ns.store(PATIENCE_MIN_NS, Ordering::Relaxed);
    }
}

/// A worker's statistics of its own speed.
#[derive(Default)]
pub(crate) struct Pace {
    looked_ns: u64,
    /// Time and number of turns at which the count of turns in a millisecond began.
    counted: (u64, u64),
    /// Time since which the queue has not been empty, as far as the samples tell.
    surplus_since_ns: Option<u64>,
}

impl Pace {
    /// A sample between two rounds, after `runs` runs. Returns the mean time of a run since the
    /// last sample, and whether the queue has been non-empty for `patience_ns`.
    pub(crate) fn look(
        &mut self,
        now_ns: u64,
        runs: u32,
        queued: usize,
        patience_ns: u64,
    ) -> (u64, Surplus) {
        let mean_ns = now_ns.saturating_sub(self.looked_ns) / u64::from(runs.max(1));
        self.looked_ns = now_ns;
        if queued == 0 {
            self.surplus_since_ns = None;
            return (mean_ns, Surplus::Passing);
        }
        let since_ns = *self.surplus_since_ns.get_or_insert(now_ns);
        if now_ns - since_ns < patience_ns {
            return (mean_ns, Surplus::Passing);
        }
        // The next offer has to wait for the patience again.
        self.surplus_since_ns = Some(now_ns);
        (mean_ns, Surplus::Lasting)
    }

    /// Returns the number of turns in a millisecond, if enough time has passed since they were last
    /// counted.
    pub(crate) fn turns_per_ms(&mut self, now_ns: u64, turns: u64) -> Option<u32> {
        let (then_ns, then) = self.counted;
        let ns = now_ns.saturating_sub(then_ns);
        if ns < COUNTED_NS {
            return None;
        }
        self.counted = (now_ns, turns);
        let done = turns.saturating_sub(then) * 1_000_000 / ns;
        Some(done.min(u64::from(u32::MAX)) as u32)
    }

    /// Starts the statistics anew after a sleep.
    pub(crate) fn woke(&mut self, now_ns: u64, turns: u64) {
        self.looked_ns = now_ns;
        self.counted = (now_ns, turns);
        self.surplus_since_ns = None;
    }
}

/// Whether there is more work than one worker should do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Surplus {
    Passing,
    Lasting,
}
