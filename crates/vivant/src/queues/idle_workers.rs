//! [`IdleWorkers`]: the workers of a system that sleep, and when one of them is woken for the work
//! of another.

use super::offer_delay::OfferDelay;
use super::sleep::{CondvarParker, Sleepers};

/// Without threads no worker ever sleeps, and none is woken.
pub(crate) struct IdleWorkers {
    pub(crate) sleepers: Sleepers<CondvarParker>,
    pub(crate) offer_delay: OfferDelay,
}

impl IdleWorkers {
    pub(crate) fn new() -> IdleWorkers {
        IdleWorkers {
            sleepers: Sleepers::new(),
            offer_delay: OfferDelay::new(),
        }
    }

    /// Wakes a sleeper, if there is one.
    pub(crate) fn wake_one(&self) {
        self.sleepers.wake_one();
    }

    /// Wakes a sleeper for the work in a worker's queue.
    #[cold]
    pub(crate) fn offer(&self) {
        if self.sleepers.asleep() > 0 {
            self.offer_delay.record_offer();
            self.sleepers.wake_one();
        }
    }
}
