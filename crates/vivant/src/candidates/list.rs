//! [`CycleCandidates`]: the list of cycle candidates, and the schedule of detection passes. Plain
//! data: it has no lock and no clock.
//!
//! E1 Candidates present when the timer fires are examined without another wait, unless passes turn
//! out to be unproductive. E2 While the list is not empty and no pass runs, a timer is set. E3 A
//! pause depends on the number of actors examined by unproductive passes, and not on how long the
//! worker was preempted meanwhile. E4 A throttled actor runs again when a pass begins, or ends,
//! that leaves no overload; and when the system ends. As long as there is an overload, a pass is
//! running, or called for.

use super::findings::{Candidate, PassLimit, PassResult};
use std::collections::VecDeque;

/// When twice as many candidates wait, all but the last this many are examined without delay. The
/// last may not be idle yet.
const BATCH: usize = if cfg!(test) { 2 } else { 1_024 };

/// While this many wait, a worker spends more time on a pass.
const BUSY_MIN: usize = BATCH + BATCH / 4;

/// With this many candidates a pass begins, even during a pause: the limit of the list.
const WAITING_MAX: usize = 64 * BATCH;

/// Candidate overload: while this many wait, an actor that makes more is throttled until they were
/// examined (E4).
const OVERLOAD_MIN: usize = 2 * BATCH;

const _: () = assert!(
    OVERLOAD_MIN >= 2 * BATCH,
    "an overload does not wait for the timer (E4)"
);

/// Limit of the fresh candidates in one pass, and of the undecided ones.
const PASS_MAX: usize = 4 * BATCH;

/// Unproductive passes take at most one part in this many of one worker's time.
const PAUSE_FACTOR: u64 = 100;

/// Limit of the duration that is charged for each actor. A worker that was preempted did not work
/// on the pass (E3).
const ACTOR_NS_MAX: u64 = 2_000;

/// `R` is the right to run an actor.
pub(crate) struct CycleCandidates<R> {
    /// Not examined since, the oldest first.
    fresh: VecDeque<Candidate>,
    /// Examined while actors around them ran (U5), or in a pass that was cut off.
    undecided: VecDeque<Candidate>,
    /// Numbers of the oldest candidates of each list that are to be examined now.
    due: Due,
    /// With this many undecided candidates, a pass does not wait for the timer.
    undecided_threshold: usize,
    request: PassRequest,
    timer: PassTimer,
    /// End of the pause after an unproductive pass.
    pause_until_ns: u64,
    /// Throttled actors: they have made candidates under overload, and want to run.
    throttled: Vec<R>,
    shutdown: ShutdownState,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Due {
    fresh: usize,
    undecided: usize,
}

/// Whether a pass is called for.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum PassRequest {
    /// A pass begins when the timer fires, or there are enough candidates.
    #[default]
    None,
    /// A worker will run a pass, or does: over new candidates.
    Fresh,
    /// As `Fresh`, and over undecided candidates too.
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum PassTimer {
    #[default]
    None,
    /// A timer set for another time is ignored when it fires.
    At(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum ShutdownState {
    #[default]
    Running,
    /// The system ends, and all actors with it.
    ShutDown,
}

/// What the caller is to do.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FollowUp {
    Nothing,
    /// Make a worker run a pass.
    StartPass,
    /// Call `timer_fired` at this time.
    SetTimer(u64),
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
    /// Many candidates wait, and passes are productive.
    Waiting,
}

impl<R> Default for CycleCandidates<R> {
    fn default() -> Self {
        CycleCandidates {
            fresh: VecDeque::new(),
            undecided: VecDeque::new(),
            due: Due::default(),
            undecided_threshold: 0,
            request: PassRequest::default(),
            timer: PassTimer::default(),
            pause_until_ns: 0,
            throttled: Vec::new(),
            shutdown: ShutdownState::default(),
        }
    }
}

impl<R> CycleCandidates<R> {
    /// Adds candidates.
    pub(crate) fn add(
        &mut self,
        candidates: impl IntoIterator<Item = Candidate>,
        now_ns: u64,
        idle_after_ns: u64,
    ) -> FollowUp {
        if self.shutdown == ShutdownState::ShutDown {
            return FollowUp::Nothing;
        }
        self.fresh.extend(candidates);
        self.follow_up(now_ns, idle_after_ns)
    }

    /// The timer set for `at_ns` fires: all candidates are due.
    pub(crate) fn timer_fired(&mut self, at_ns: u64) -> FollowUp {
        if self.timer != PassTimer::At(at_ns) {
            return FollowUp::Nothing;
        }
        self.timer = PassTimer::None;
        if self.shutdown == ShutdownState::ShutDown || self.is_empty() {
            return FollowUp::Nothing;
        }
        self.due = Due {
            fresh: self.fresh.len(),
            undecided: self.undecided.len(),
        };
        self.request = PassRequest::All;
        FollowUp::StartPass
    }

    /// Takes the candidates to examine now, and the reach of the pass, if one is to begin.
    pub(crate) fn begin_pass(&mut self) -> Option<(Vec<Candidate>, PassLimit)> {
        if self.request == PassRequest::None {
            return None;
        }
        let fresh = self.due.fresh.min(PASS_MAX);
        let undecided = self.due.undecided.min(PASS_MAX);
        self.due.fresh -= fresh;
        self.due.undecided -= undecided;
        let limit = match undecided {
            0 => PassLimit::Normal,
            _ => PassLimit::Extended,
        };
        let undecided = self.undecided.drain(..undecided);
        Some((undecided.chain(self.fresh.drain(..fresh)).collect(), limit))
    }

    /// A pass has ended.
    pub(crate) fn end_pass(
        &mut self,
        pass_result: PassResult,
        now_ns: u64,
        idle_after_ns: u64,
    ) -> FollowUp {
        if self.shutdown == ShutdownState::ShutDown {
            return FollowUp::Nothing;
        }
        let unexamined = pass_result.unexamined.len();
        pass_result
            .unexamined
            .into_iter()
            .rev()
            .for_each(|candidate| self.fresh.push_front(candidate));
        self.undecided.extend(pass_result.undecided);
        if pass_result.unreachable < pass_result.examined / 4 {
            let pause_ns = pause_ns(pass_result.took_ns, pass_result.examined);
            self.pause_until_ns = self.pause_until_ns.max(now_ns + pause_ns);
            self.due = Due::default();
        } else {
            self.due.fresh += unexamined;
        }
        if self.request == PassRequest::All && self.due.undecided == 0 {
            // A pass waits for the timer until as many new ones have come.
            self.undecided_threshold = 2 * self.undecided.len();
        }
        self.request = PassRequest::None;
        self.follow_up(now_ns, idle_after_ns)
    }

    /// The system ends: returns the throttled actors.
    pub(crate) fn close(&mut self) -> Vec<R> {
        let closed = CycleCandidates {
            shutdown: ShutdownState::ShutDown,
            ..CycleCandidates::default()
        };
        std::mem::replace(self, closed).throttled
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.shutdown == ShutdownState::ShutDown
    }

    pub(crate) fn scan_quota(&self) -> ScanQuota {
        match self.fresh.len() {
            BUSY_MIN.. => ScanQuota::Slice,
            _ => ScanQuota::OnePiece,
        }
    }

    pub(crate) fn overload(&self, now_ns: u64) -> CandidateOverload {
        match self.fresh.len() {
            OVERLOAD_MIN.. if now_ns >= self.pause_until_ns => CandidateOverload::Waiting,
            _ => CandidateOverload::None,
        }
    }

    /// Throttles an actor that has made candidates, under overload. It is given back if there is
    /// none.
    pub(crate) fn throttle(&mut self, actor: R, now_ns: u64) -> Option<R> {
        match self.overload(now_ns) {
            CandidateOverload::Waiting => {
                self.throttled.push(actor);
                None
            }
            CandidateOverload::None => Some(actor),
        }
    }

    /// Returns the throttled actors, if the overload is over. Call it after `begin_pass` and
    /// `end_pass`: only these end an overload.
    pub(crate) fn release_throttled(&mut self, now_ns: u64) -> Vec<R> {
        match self.overload(now_ns) {
            CandidateOverload::Waiting => Vec::new(),
            CandidateOverload::None => std::mem::take(&mut self.throttled),
        }
    }

    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.undecided.is_empty()
    }

    /// Whether there are enough that a pass does not wait for the timer.
    fn are_enough(&self) -> bool {
        self.fresh.len() >= 2 * BATCH || self.have_doubled()
    }

    fn have_doubled(&self) -> bool {
        self.undecided.len() >= self.undecided_threshold.max(BATCH)
    }

    fn follow_up(&mut self, now_ns: u64, idle_after_ns: u64) -> FollowUp {
        if self.request != PassRequest::None {
            return FollowUp::Nothing;
        }
        let pauses = now_ns < self.pause_until_ns;
        if self.are_enough() && !pauses || self.fresh.len() >= WAITING_MAX {
            self.due.fresh = self.due.fresh.max(self.fresh.len().saturating_sub(BATCH));
        }
        if self.have_doubled() && !pauses {
            self.due.undecided = self.undecided.len();
        }
        if self.due != Due::default() {
            self.request = match self.due.undecided {
                0 => PassRequest::Fresh,
                _ => PassRequest::All,
            };
            return FollowUp::StartPass;
        }
        if self.is_empty() {
            return FollowUp::Nothing;
        }
        let at_ns = match self.are_enough() {
            true => self.pause_until_ns,
            false => self.pause_until_ns.max(now_ns + idle_after_ns),
        };
        match self.timer {
            PassTimer::At(set_ns) if set_ns <= at_ns => FollowUp::Nothing,
            _ => {
                self.timer = PassTimer::At(at_ns);
                FollowUp::SetTimer(at_ns)
            }
        }
    }
}

/// Pause in nanoseconds after an unproductive pass.
fn pause_ns(took_ns: u64, examined: usize) -> u64 {
    PAUSE_FACTOR * took_ns.min(ACTOR_NS_MAX * examined as u64)
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
