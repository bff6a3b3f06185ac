//! The steal policy of a worker without work: from which worker it steals, and whether the steal
//! pays.
//!
//! Actors that exchange messages all the time run faster on one worker than on two: each message
//! between the two crosses from one processor's cache to another's, which costs more than a short
//! turn. No queue length shows this; the number of turns that both workers process in a millisecond
//! does. So a steal is **evaluated**. If the stealing worker and its victim together process no
//! more turns than the victim did alone, the stealing worker gives its queue back, sleeps, and the
//! offer delay of all workers grows (`offer_delay.rs`).
//!
//! A worker that got its work otherwise, from the common queue, is evaluated once it has been busy
//! for a while with short turns beside another worker: it gives its queue to that worker, which
//! will offer again the work that is worth it.

use crate::actor::{Tenure, WorkerShared};
use crate::queues::{OFFER_DELAY_MIN_NS, OfferDelay};
use crate::sync::{Arc, Ordering};

/// Length of an evaluation: a few hundred crossings between caches.
const EVALUATION_NS: u64 = 300_000;

/// Time for which a worker is busy before its work is evaluated.
const UNEVALUATED_NS: u64 = 1_000_000;

/// If a worker processes fewer turns in a millisecond, they are long: worth more than moving them
/// costs, so the steal is not evaluated.
const SHORT_TURNS_PER_MS: u32 = 200;

/// In per cent of the victim's turns alone: a lower result is not worth a second worker.
const WORTH_PERCENT: u64 = 110;

/// The steal policy of one worker since it woke.
pub(super) struct StealPolicy {
    state: PolicyState,
    evaluation: StealEvaluation,
}

/// Whether a worker without work may steal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PolicyState {
    Ready,
    /// As `Ready`; it was woken because of an offer.
    Offered,
    /// It stole at this time.
    Stole {
        at_ns: u64,
    },
    /// It has given its queue back: it sleeps until more work is offered.
    Satisfied,
}

enum StealEvaluation {
    /// Its work came from the common queue, or from a victim without a known speed; since this
    /// time.
    None {
        since_ns: u64,
    },
    Running {
        victim: Arc<WorkerShared>,
        /// The victim's turns in a millisecond before the steal.
        before: u64,
        began_ns: u64,
        /// Turns of both workers when the evaluation began.
        turns: u64,
    },
    Over,
}

/// What a worker must do with its queue.
#[must_use]
pub(super) enum StealVerdict {
    Keep,
    /// Give it to this worker.
    GiveTo(Arc<WorkerShared>),
}

impl StealPolicy {
    pub(super) fn woken(now_ns: u64, offer_delay: &OfferDelay) -> StealPolicy {
        let state = if offer_delay.take_offer() {
            PolicyState::Offered
        } else {
            PolicyState::Ready
        };
        StealPolicy {
            state,
            evaluation: StealEvaluation::None { since_ns: now_ns },
        }
    }

    /// Called by a worker without work. Returns true if it may steal.
    pub(super) fn may_steal(&mut self, now_ns: u64, offer_delay: &OfferDelay) -> bool {
        match self.state {
            PolicyState::Ready | PolicyState::Offered => true,
            PolicyState::Satisfied => false,
            PolicyState::Stole { at_ns } => {
                let lasted = now_ns.saturating_sub(at_ns) >= u64::from(OFFER_DELAY_MIN_NS);
                if !lasted {
                    // The stolen work was finished at once: another attempt does not pay.
                    offer_delay.double();
                    self.state = PolicyState::Satisfied;
                }
                lasted
            }
        }
    }

    pub(super) fn record_steal(
        &mut self,
        victim: Arc<WorkerShared>,
        own: &WorkerShared,
        now_ns: u64,
    ) {
        self.state = PolicyState::Stole { at_ns: now_ns };
        if let StealEvaluation::Running { .. } = self.evaluation {
            return;
        }
        let before = victim.turns_per_ms.load(Ordering::Relaxed);
        // A surplus victim may leave before the evaluation has ended.
        self.evaluation = if before == 0 {
            // The speed of the victim alone is not known yet.
            StealEvaluation::None { since_ns: now_ns }
        } else if before < SHORT_TURNS_PER_MS || victim.tenure == Tenure::Surplus {
            StealEvaluation::Over
        } else {
            let turns = victim.turns() + own.turns();
            StealEvaluation::Running {
                victim,
                before: u64::from(before),
                began_ns: now_ns,
                turns,
            }
        };
    }

    /// The worker goes to sleep.
    pub(super) fn before_sleep(&self, offer_delay: &OfferDelay) {
        if self.state == PolicyState::Offered {
            offer_delay.double();
        }
    }

    /// Called between two rounds. Returns whether the worker keeps its queue. `others` returns the
    /// regular workers before this one.
    pub(super) fn verdict<'s>(
        &mut self,
        own: &WorkerShared,
        others: impl FnOnce() -> Vec<Arc<WorkerShared>> + 's,
        now_ns: u64,
        offer_delay: &OfferDelay,
    ) -> StealVerdict {
        let give_to = match &self.evaluation {
            StealEvaluation::Over => return StealVerdict::Keep,
            StealEvaluation::None { since_ns } => {
                if now_ns.saturating_sub(*since_ns) < UNEVALUATED_NS {
                    return StealVerdict::Keep;
                }
                let busy = |worker_shared: &Arc<WorkerShared>| {
                    has_short_turns(worker_shared) && worker_shared.has_waiting()
                };
                if has_short_turns(own) {
                    others().into_iter().find(busy)
                } else {
                    None
                }
            }
            StealEvaluation::Running {
                victim,
                before,
                began_ns,
                turns,
            } => {
                let ns = now_ns.saturating_sub(*began_ns);
                if ns < EVALUATION_NS {
                    return StealVerdict::Keep;
                }
                let done = (victim.turns() + own.turns()).saturating_sub(*turns);
                if pays(*before, done, ns) {
                    offer_delay.reset();
                    None
                } else {
                    offer_delay.double();
                    Some(victim.clone())
                }
            }
        };
        self.evaluation = StealEvaluation::Over;
        match give_to {
            None => StealVerdict::Keep,
            Some(other) => {
                self.state = PolicyState::Satisfied;
                StealVerdict::GiveTo(other)
            }
        }
    }
}

fn has_short_turns(worker_shared: &WorkerShared) -> bool {
    worker_shared.turns_per_ms.load(Ordering::Relaxed) >= SHORT_TURNS_PER_MS
}

fn pays(before_per_ms: u64, turns: u64, ns: u64) -> bool {
    turns * 1_000_000 / ns.max(1) * 100 >= before_per_ms * WORTH_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steal_pays_if_both_workers_process_more_turns() {
        assert!(pays(10_000, 6_000, 300_000));
        assert!(!pays(10_000, 3_100, 300_000));
        assert!(!pays(10_000, 1_500, 300_000));
    }
}
