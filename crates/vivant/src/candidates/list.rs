//! [`CycleCandidates`]: the list of cycle candidates, and the schedule of detection passes. Plain
//! data: it has no lock and no clock.
//!
//! P1 Candidates present when the timer fires are examined without another wait, unless passes turn
//! out to be unproductive. P2 While the list is not empty and no pass runs, a timer is set. P3 A
//! pause depends on the number of actors examined in vain, and not on how long the worker was
//! preempted meanwhile. P4 A throttled actor runs again when a pass begins, or ends, that leaves no
//! overload; and when the system ends. As long as there is an overload, a pass is running, or
//! called for.

use super::findings::{Candidate, Findings, Reach};
use std::collections::VecDeque;

/// When twice as many wait, all but the last this many are examined without delay: those have had
/// time to become idle.
const MANY: usize = if cfg!(test) { 2 } else { 1_024 };

/// While this many wait, a worker spends more time on a pass.
const BUSY: usize = MANY + MANY / 4;

/// With this many a pass begins, even during a pause: the limit of the list.
const TOO_MANY: usize = 64 * MANY;

/// Candidate overload: while this many wait, an actor that makes more is throttled until they were
/// examined (P4).
const CROWDED: usize = 2 * MANY;

const _: () = assert!(
    CROWDED >= 2 * MANY,
    "a crowd does not wait for the timer (P4)"
);

/// Limit of new candidates in one pass, and of those examined again.
const AT_ONCE: usize = 4 * MANY;

/// Unproductive passes take at most one part in this many of one worker's time.
const SHARE: u64 = 100;

/// Limit of the duration that is charged for each actor. A worker that was preempted did not work
/// on the pass (P3).
const ACTOR_NS_MAX: u64 = 2_000;

/// `R` is the right to run an actor.
pub(crate) struct CycleCandidates<R> {
    /// Not examined since, the oldest first.
    fresh: VecDeque<Candidate>,
    /// Examined while actors around them ran (U5), or in a pass that was cut off.
    again: VecDeque<Candidate>,
    /// How many of the oldest of each are to be examined now.
    due: Due,
    /// With this many to be examined again, a pass does not wait for the timer.
    again_max: usize,
    call: Call,
    timer: Timer,
    /// End of the pause after an unproductive pass.
    pause_until_ns: u64,
    /// Throttled actors: they have made candidates under overload, and want to run.
    held_back: Vec<R>,
    hours: Hours,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Due {
    fresh: usize,
    again: usize,
}

/// Whether a pass is called for.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Call {
    /// When the timer fires, or there are many.
    #[default]
    Later,
    /// A worker will run a pass, or does: over new candidates.
    Now,
    /// Also over those to be examined again.
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Timer {
    #[default]
    None,
    /// A timer set for another time is ignored when it fires.
    At(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hours {
    #[default]
    Open,
    /// The system ends, and all actors with it.
    Over,
}

/// What the caller is to do.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Then {
    Nothing,
    /// Make a worker run a pass.
    DetectionPass,
    /// Call `ring` at this time.
    RingAt(u64),
}

/// Scan quota: how long a worker works on a pass between two rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScanQuota {
    OnePiece,
    Slice,
}

/// Whether an actor that makes candidates is throttled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CandidateOverload {
    None,
    /// There are many, and passes are productive.
    Waiting,
}

impl<R> Default for CycleCandidates<R> {
    fn default() -> Self {
        CycleCandidates {
            fresh: VecDeque::new(),
            again: VecDeque::new(),
            due: Due::default(),
            again_max: 0,
            call: Call::default(),
            timer: Timer::default(),
            pause_until_ns: 0,
            held_back: Vec::new(),
            hours: Hours::default(),
        }
    }
}

impl<R> CycleCandidates<R> {
    /// Adds candidates.
    pub(crate) fn take_in(
        &mut self,
        candidates: impl IntoIterator<Item = Candidate>,
        now_ns: u64,
        idle_after_ns: u64,
    ) -> Then {
        if self.hours == Hours::Over {
            return Then::Nothing;
        }
        self.fresh.extend(candidates);
        self.then(now_ns, idle_after_ns)
    }

    /// The timer set for `at_ns` fires: all candidates are due.
    pub(crate) fn ring(&mut self, at_ns: u64) -> Then {
        if self.timer != Timer::At(at_ns) {
            return Then::Nothing;
        }
        self.timer = Timer::None;
        if self.hours == Hours::Over || self.is_empty() {
            return Then::Nothing;
        }
        self.due = Due {
            fresh: self.fresh.len(),
            again: self.again.len(),
        };
        self.call = Call::All;
        Then::DetectionPass
    }

    /// Takes the candidates to examine now, and the reach of the pass, if one is to begin.
    pub(crate) fn begin(&mut self) -> Option<(Vec<Candidate>, Reach)> {
        if self.call == Call::Later {
            return None;
        }
        let fresh = self.due.fresh.min(AT_ONCE);
        let again = self.due.again.min(AT_ONCE);
        self.due.fresh -= fresh;
        self.due.again -= again;
        let reach = match again {
            0 => Reach::Near,
            _ => Reach::Far,
        };
        let again = self.again.drain(..again);
        Some((again.chain(self.fresh.drain(..fresh)).collect(), reach))
    }

    /// A pass has ended.
    pub(crate) fn end(&mut self, findings: Findings, now_ns: u64, idle_after_ns: u64) -> Then {
        if self.hours == Hours::Over {
            return Then::Nothing;
        }
        let left = findings.left.len();
        findings
            .left
            .into_iter()
            .rev()
            .for_each(|candidate| self.fresh.push_front(candidate));
        self.again.extend(findings.again);
        if findings.ended < findings.looked_at / 4 {
            let pause_ns = pause_ns(findings.took_ns, findings.looked_at);
            self.pause_until_ns = self.pause_until_ns.max(now_ns + pause_ns);
            self.due = Due::default();
        } else {
            self.due.fresh += left;
        }
        if self.call == Call::All && self.due.again == 0 {
            // A pass waits for the timer until as many new ones have come.
            self.again_max = 2 * self.again.len();
        }
        self.call = Call::Later;
        self.then(now_ns, idle_after_ns)
    }

    /// The system ends: returns the throttled actors.
    pub(crate) fn close(&mut self) -> Vec<R> {
        let closed = CycleCandidates {
            hours: Hours::Over,
            ..CycleCandidates::default()
        };
        std::mem::replace(self, closed).held_back
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.hours == Hours::Over
    }

    pub(crate) fn scan_quota(&self) -> ScanQuota {
        match self.fresh.len() {
            BUSY.. => ScanQuota::Slice,
            _ => ScanQuota::OnePiece,
        }
    }

    pub(crate) fn overload(&self, now_ns: u64) -> CandidateOverload {
        match self.fresh.len() {
            CROWDED.. if now_ns >= self.pause_until_ns => CandidateOverload::Waiting,
            _ => CandidateOverload::None,
        }
    }

    /// Throttles an actor that has made candidates, under overload. It is given back if there is
    /// none.
    pub(crate) fn hold_back(&mut self, actor: R, now_ns: u64) -> Option<R> {
        match self.overload(now_ns) {
            CandidateOverload::Waiting => {
                self.held_back.push(actor);
                None
            }
            CandidateOverload::None => Some(actor),
        }
    }

    /// Returns the throttled actors, if the overload is over. Call it after `begin` and `end`: only
    /// these end an overload.
    pub(crate) fn let_go(&mut self, now_ns: u64) -> Vec<R> {
        match self.overload(now_ns) {
            CandidateOverload::Waiting => Vec::new(),
            CandidateOverload::None => std::mem::take(&mut self.held_back),
        }
    }

    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.again.is_empty()
    }

    /// Whether there are enough that a pass does not wait for the timer.
    fn are_many(&self) -> bool {
        self.fresh.len() >= 2 * MANY || self.have_doubled()
    }

    fn have_doubled(&self) -> bool {
        self.again.len() >= self.again_max.max(MANY)
    }

    fn then(&mut self, now_ns: u64, idle_after_ns: u64) -> Then {
        if self.call != Call::Later {
            return Then::Nothing;
        }
        let pauses = now_ns < self.pause_until_ns;
        if self.are_many() && !pauses || self.fresh.len() >= TOO_MANY {
            self.due.fresh = self.due.fresh.max(self.fresh.len().saturating_sub(MANY));
        }
        if self.have_doubled() && !pauses {
            self.due.again = self.again.len();
        }
        if self.due != Due::default() {
            self.call = match self.due.again {
                0 => Call::Now,
                _ => Call::All,
            };
            return Then::DetectionPass;
        }
        if self.is_empty() {
            return Then::Nothing;
        }
        let at_ns = match self.are_many() {
            true => self.pause_until_ns,
            false => self.pause_until_ns.max(now_ns + idle_after_ns),
        };
        match self.timer {
            Timer::At(set_ns) if set_ns <= at_ns => Then::Nothing,
            _ => {
                self.timer = Timer::At(at_ns);
                Then::RingAt(at_ns)
            }
        }
    }
}

/// Pause in nanoseconds after an unproductive pass.
fn pause_ns(took_ns: u64, looked_at: usize) -> u64 {
    SHARE * took_ns.min(ACTOR_NS_MAX * looked_at as u64)
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
