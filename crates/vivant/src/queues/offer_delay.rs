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
