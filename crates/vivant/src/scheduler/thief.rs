//! A worker that has nothing to do, and what it knows of taking the work of others.
//!
//! Actors that talk to each other all the time run faster on one worker than on two: each message
//! between two crosses from one processor's cache to another's, which costs more than a short turn.
//! No count of what waits in a queue tells; what both workers get done in a millisecond does. So a
//! theft is a **trial**: if thief and victim together get no more done than the victim did alone,
//! the thief gives back what it has, sleeps, and the patience of all grows (`offer.rs`).
//!
//! A worker that came by its work otherwise, from the common queue, is tried once it has been busy
//! for a while with short turns beside another: it gives its queue to that one, which will offer
//! again what is worth it.

use super::offer::{PATIENCE_MIN_NS, Patience};
use super::seat::{Seat, Tenure};
use crate::sync::{Arc, Ordering};

/// How long a trial lasts: a few hundred crossings between caches.
const TRIAL_NS: u64 = 300_000;

/// For how long a worker is busy before its work is tried.
const UNTRIED_NS: u64 = 1_000_000;

/// Fewer turns in a millisecond are long ones: worth more than what it costs to move them, so
/// nothing is tried.
const SHORT_TURNS_PER_MS: u32 = 200;

/// In per cent of what the victim did alone: less is not worth a second worker.
const WORTH_PERCENT: u64 = 110;

/// Since it woke.
pub(super) struct Thief {
    appetite: Appetite,
    trial: Trial,
}

/// Whether a worker that has nothing may take from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Appetite {
    Hungry,
    /// As `Hungry`; it was woken because of an offer.
    Invited,
    /// It took something then.
    Stole {
        at_ns: u64,
    },
    /// It has given back what it had: it sleeps until more is offered.
    Sated,
}

enum Trial {
    /// What it does it took from the common queue, or from a victim of whom nothing was known;
    /// since then.
    None {
        since_ns: u64,
    },
    Running {
        victim: Arc<Seat>,
        /// The victim's turns in a millisecond before.
        before: u64,
        began_ns: u64,
        /// Turns of both when it began.
        turns: u64,
    },
    Over,
}

/// What a worker must do with its queue.
#[must_use]
pub(super) enum Verdict {
    Keep,
    /// It belongs to this worker.
    GiveTo(Arc<Seat>),
}

impl Thief {
    pub(super) fn woken(now_ns: u64, patience: &Patience) -> Thief {
        let appetite = if patience.was_offered() {
            Appetite::Invited
        } else {
            Appetite::Hungry
        };
        Thief {
            appetite,
            trial: Trial::None { since_ns: now_ns },
        }
    }

    /// It has nothing to do: whether it may take from others.
    pub(super) fn is_hungry(&mut self, now_ns: u64, patience: &Patience) -> bool {
        match self.appetite {
            Appetite::Hungry | Appetite::Invited => true,
            Appetite::Sated => false,
            Appetite::Stole { at_ns } => {
                let lasted = now_ns.saturating_sub(at_ns) >= u64::from(PATIENCE_MIN_NS);
                if !lasted {
                    // What it took was done at once: not worth another try.
                    patience.grows();
                    self.appetite = Appetite::Sated;
                }
                lasted
            }
        }
    }

    pub(super) fn stole(&mut self, victim: Arc<Seat>, own: &Seat, now_ns: u64) {
        self.appetite = Appetite::Stole { at_ns: now_ns };
        if let Trial::Running { .. } = self.trial {
            return;
        }
        let before = victim.turns_per_ms.load(Ordering::Relaxed);
        // A surplus victim may leave its seat before the trial is over.
        self.trial = if before == 0 {
            // Nothing is known yet of what the victim does alone.
            Trial::None { since_ns: now_ns }
        } else if before < SHORT_TURNS_PER_MS || victim.tenure == Tenure::Surplus {
            Trial::Over
        } else {
            let turns = victim.turns() + own.turns();
            Trial::Running {
                victim,
                before: u64::from(before),
                began_ns: now_ns,
                turns,
            }
        };
    }

    /// It goes to sleep.
    pub(super) fn rests(&self, patience: &Patience) {
        if self.appetite == Appetite::Invited {
            patience.grows();
        }
    }

    /// Between two rounds: whether to go on. `others`: the regular workers before this one.
    pub(super) fn verdict<'s>(
        &mut self,
        own: &Seat,
        others: impl FnOnce() -> Vec<Arc<Seat>> + 's,
        now_ns: u64,
        patience: &Patience,
    ) -> Verdict {
        let give_to = match &self.trial {
            Trial::Over => return Verdict::Keep,
            Trial::None { since_ns } => {
                if now_ns.saturating_sub(*since_ns) < UNTRIED_NS {
                    return Verdict::Keep;
                }
                let busy = |seat: &Arc<Seat>| seat.has_short_turns() && seat.has_waiting();
                if own.has_short_turns() {
                    others().into_iter().find(busy)
                } else {
                    None
                }
            }
            Trial::Running {
                victim,
                before,
                began_ns,
                turns,
            } => {
                let ns = now_ns.saturating_sub(*began_ns);
                if ns < TRIAL_NS {
                    return Verdict::Keep;
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
        self.trial = Trial::Over;
        match give_to {
            None => Verdict::Keep,
            Some(other) => {
                self.appetite = Appetite::Sated;
                Verdict::GiveTo(other)
            }
        }
    }
}

impl Seat {
    fn has_short_turns(&self) -> bool {
        self.turns_per_ms.load(Ordering::Relaxed) >= SHORT_TURNS_PER_MS
    }
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
