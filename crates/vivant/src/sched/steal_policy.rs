//! The steal policy of a worker without work: from which worker it steals, and whether the steal
//! pays.
//!
//! Actors that exchange messages all the time run faster on one worker than on two: each message
//! between the two crosses from one processor's cache to another's, which costs more than a short
//! turn. No queue length shows this; the number of turns that both workers process in a millisecond
//! does. So a theft starts a **trial**, an evaluation of the steal. If thief and victim together
//! process no more turns than the victim did alone, the thief gives its queue back, sleeps, and the
//! patience of all workers grows (`offer.rs`).
//!
//! A worker that got its work otherwise, from the common queue, is evaluated once it has been busy
//! for a while with short turns beside another worker: it gives its queue to that worker, which
//! will offer again the work that is worth it.

use crate::actor::{Tenure, WorkerShared};
use crate::queues::{OfferDelay, PATIENCE_MIN_NS};
use crate::sync::{Arc, Ordering};

/// Length of a trial: a few hundred crossings between caches.
const TRIAL_NS: u64 = 300_000;

/// Time for which a worker is busy before its work is evaluated.
const UNTRIED_NS: u64 = 1_000_000;

/// If a worker processes fewer turns in a millisecond, they are long: worth more than moving them
/// costs, so there is no trial.
const SHORT_TURNS_PER_MS: u32 = 200;

/// In per cent of the victim's turns alone: a lower result is not worth a second worker.
const WORTH_PERCENT: u64 = 110;

/// The steal policy of one worker since it woke.
pub(super) struct StealPolicy {
    state: StealState,
    evaluation: StealEvaluation,
}

/// Whether a worker without work may steal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StealState {
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
        /// The victim's turns in a millisecond before the theft.
        before: u64,
        began_ns: u64,
        /// Turns of both workers when the trial began.
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
    pub(super) fn woken(now_ns: u64, patience: &OfferDelay) -> StealPolicy {
        let state = if patience.was_offered() {
            StealState::Offered
        } else {
            StealState::Ready
        };
        StealPolicy {
            state,
            evaluation: StealEvaluation::None { since_ns: now_ns },
        }
    }

    /// Called by a worker without work. Returns true if it may steal.
    pub(super) fn is_hungry(&mut self, now_ns: u64, patience: &OfferDelay) -> bool {
        match self.state {
            StealState::Ready | StealState::Offered => true,
            StealState::Satisfied => false,
            StealState::Stole { at_ns } => {
                let lasted = now_ns.saturating_sub(at_ns) >= u64::from(PATIENCE_MIN_NS);
                if !lasted {
                    // The stolen work was finished at once: another attempt does not pay.
                    patience.grows();
                    self.state = StealState::Satisfied;
                }
                lasted
            }
        }
    }

    pub(super) fn stole(&mut self, victim: Arc<WorkerShared>, own: &WorkerShared, now_ns: u64) {
        self.state = StealState::Stole { at_ns: now_ns };
        if let StealEvaluation::Running { .. } = self.evaluation {
            return;
        }
        let before = victim.turns_per_ms.load(Ordering::Relaxed);
        // A surplus victim may leave its seat before the trial is over.
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
    pub(super) fn rests(&self, patience: &OfferDelay) {
        if self.state == StealState::Offered {
            patience.grows();
        }
    }

    /// Called between two rounds. Returns whether the worker keeps its queue. `others` returns the
    /// regular workers before this one.
    pub(super) fn verdict<'s>(
        &mut self,
        own: &WorkerShared,
        others: impl FnOnce() -> Vec<Arc<WorkerShared>> + 's,
        now_ns: u64,
        patience: &OfferDelay,
    ) -> StealVerdict {
        let give_to = match &self.evaluation {
            StealEvaluation::Over => return StealVerdict::Keep,
            StealEvaluation::None { since_ns } => {
                if now_ns.saturating_sub(*since_ns) < UNTRIED_NS {
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
                if ns < TRIAL_NS {
                    return StealVerdict::Keep;
                }
                let done = (victim.turns() + own.turns()).saturating_sub(*turns);
                if pays(*before, done, ns) {
                    patience.ends();
                    None
                } else {
                    patience.grows();
                    Some(victim.clone())
                }
            }
        };
        self.evaluation = StealEvaluation::Over;
        match give_to {
            None => StealVerdict::Keep,
            Some(other) => {
                self.state = StealState::Satisfied;
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
    fn two_workers_must_do_more_than_one() {
        assert!(pays(10_000, 6_000, 300_000));
        assert!(!pays(10_000, 3_100, 300_000));
        assert!(!pays(10_000, 1_500, 300_000));
    }
}
