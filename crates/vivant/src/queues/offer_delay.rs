//! When a worker wakes a sleeping one for the work in its queue (an offer).
//!
//! Waking a thread costs more than most turns, so work is offered only if it outlasts that: when
//! the queue has been non-empty for the **offer delay**, or when the waiting actors will take as
//! long, by the mean of the last runs. A worker that was woken for an offer and found too little
//! work doubles the delay of all workers (`steal_policy.rs`). A worker that found enough work
//! resets it to the minimum.
//!
//! No progress depends on this: a worker with a queue is awake and will run it, and if a turn holds
//! the worker up the clock offers its queue (K1, `replacement.rs`).

use crate::sync::{AtomicU32, Ordering};

/// Minimum of the offer delay: a few times the 12–21 µs that waking costs under a hypervisor.
pub(crate) const OFFER_DELAY_MIN_NS: u32 = 50_000;

/// Maximum of the offer delay: one attempt in this time costs nothing, and the load may have
/// changed.
const OFFER_DELAY_MAX_NS: u32 = 40_000_000;

/// The state of offers that all workers of a system share.
pub(crate) struct OfferDelay {
    ns: AtomicU32,
    /// Set if an offer was made and the worker that it wakes has not yet woken.
    offered: AtomicU32,
}

impl OfferDelay {
    pub(crate) fn new() -> OfferDelay {
        OfferDelay {
            ns: AtomicU32::new(OFFER_DELAY_MIN_NS),
            offered: AtomicU32::new(0),
        }
    }

    /// Returns the offer delay in nanoseconds. All accesses are relaxed: a heuristic about speed.
    pub(crate) fn ns(&self) -> u64 {
        u64::from(self.ns.load(Ordering::Relaxed))
    }

    /// A worker is woken because of an offer.
    pub(crate) fn record_offer(&self) {
        self.offered.store(1, Ordering::Relaxed);
    }

    /// Called by a worker that wakes. Returns true if it was woken because of an offer.
    pub(crate) fn take_offer(&self) -> bool {
        self.offered.load(Ordering::Relaxed) != 0 && self.offered.swap(0, Ordering::Relaxed) != 0
    }

    /// An offer was unproductive: doubles the delay.
    pub(crate) fn double(&self) {
        let ns = self.ns.load(Ordering::Relaxed);
        self.ns.store(
            ns.saturating_mul(2).min(OFFER_DELAY_MAX_NS),
            Ordering::Relaxed,
        );
    }

    /// An offer was productive: resets the delay to the minimum.
    pub(crate) fn reset(&self) {
        self.ns.store(OFFER_DELAY_MIN_NS, Ordering::Relaxed);
    }
}
