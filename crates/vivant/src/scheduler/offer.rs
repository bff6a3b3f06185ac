//! When a worker offers what waits in its queue to a sleeping one.
//!
//! Waking a thread costs more than most turns, so work is offered only if it outlasts that: when
//! the queue has not been empty for as long as **patience** says, or what waits in it will take as
//! long, by the mean of the last runs. Whoever was woken in vain doubles the patience of all
//! (`thief.rs`); whoever found work that was worth it ends it.
//!
//! Nothing depends on this for progress: a worker with a queue is awake and will come to it, and if
//! a turn holds it up the clock offers its queue (K1, `handover.rs`).

use crate::sync::{AtomicU32, Ordering};

/// The least time that work must last to be offered: a few times the 12–21 µs that waking costs
/// under a hypervisor.
pub(crate) const PATIENCE_MIN_NS: u32 = 50_000;

/// The most: an attempt every so often costs nothing, and the load may have changed.
const PATIENCE_MAX_NS: u32 = 40_000_000;

/// Over how long turns are counted: long enough that a sender's long turn and its receiver's many
/// short ones are both in it.
const COUNTED_NS: u64 = 1_000_000;

/// What all workers of a system know about offers.
pub(crate) struct Patience {
    ns: AtomicU32,
    /// Offers whose taker has not yet woken.
    offered: AtomicU32,
}

impl Patience {
    pub(crate) fn new() -> Patience {
        Patience {
            ns: AtomicU32::new(PATIENCE_MIN_NS),
            offered: AtomicU32::new(0),
        }
    }

    /// All relaxed: a guess about speed.
    pub(crate) fn ns(&self) -> u64 {
        u64::from(self.ns.load(Ordering::Relaxed))
    }

    /// Somebody is woken because of an offer.
    pub(crate) fn offers(&self) {
        self.offered.store(1, Ordering::Relaxed);
    }

    /// Asked by a worker that wakes: whether that was because of an offer.
    pub(crate) fn was_offered(&self) -> bool {
        self.offered.load(Ordering::Relaxed) != 0 && self.offered.swap(0, Ordering::Relaxed) != 0
    }

    /// An offer was in vain: whoever has more to do keeps it, for longer and longer.
    pub(crate) fn grows(&self) {
        let ns = self.ns.load(Ordering::Relaxed);
        self.ns
            .store(ns.saturating_mul(2).min(PATIENCE_MAX_NS), Ordering::Relaxed);
    }

    /// An offer was worth it.
    pub(crate) fn ends(&self) {
        self.ns.store(PATIENCE_MIN_NS, Ordering::Relaxed);
    }
}

/// What one worker knows about its own pace.
#[derive(Default)]
pub(crate) struct Pace {
    looked_ns: u64,
    /// When, and at which turn, the count of turns in a millisecond was begun.
    counted: (u64, u64),
    /// Since when the queue has not been empty, as far as the looks tell.
    surplus_since_ns: Option<u64>,
}

impl Pace {
    /// A look at the clock, between two rounds, after so many runs: returns the mean time of a run
    /// since the last one, and whether the queue has lasted for `patience_ns`.
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
        // The next offer needs new patience.
        self.surplus_since_ns = Some(now_ns);
        (mean_ns, Surplus::Lasting)
    }

    /// The turns done in a millisecond, if enough time has passed since they were last counted.
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

    /// The worker begins anew, after a sleep.
    pub(crate) fn woke(&mut self, now_ns: u64, turns: u64) {
        self.looked_ns = now_ns;
        self.counted = (now_ns, turns);
        self.surplus_since_ns = None;
    }
}

/// Whether there is more to do than one worker should do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Surplus {
    Passing,
    Lasting,
}
