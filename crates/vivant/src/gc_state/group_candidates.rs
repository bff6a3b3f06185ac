//! [`GroupCandidates`]: the actors that may be on a cycle of references across heaps, and when the
//! next group mark begins. See [README.md](../cycles/README.md).

use crate::actor::Shared;
use crate::candidates::ActorKey;
use crate::services::{Action, Alarm, SystemCall, ns};
use crate::sync::{Arc, Mutex, MutexGuard, lock};
use std::collections::BTreeMap;
use std::mem;
use vivant_heap::CyclesSuspected;

/// A group mark begins this part of `idle_after` after an actor has called for it: actors that
/// share objects become idle at about the same time.
const DELAY_PART: u64 = 8;

/// Unproductive group marks take this part of one worker's time at most.
const TIME_PART: u64 = 10;

/// Unproductive group marks double the time to the next one, up to this factor.
const BACK_OFF_MAX: u64 = 64;

/// The candidates of a system.
#[derive(Default)]
pub(crate) struct GroupCandidates(Mutex<CandidateList>);

#[derive(Default)]
struct CandidateList {
    /// Living actors with imports and exports, by number: in the order of their creation (R5).
    known: BTreeMap<u64, Known>,
    /// When the next group mark begins, if one was called for.
    due_ns: Option<u64>,
    /// The end of the last group mark, and how long it took.
    ended_ns: u64,
    took_ns: u64,
    /// Whether a worker continues the group mark in some time, although no member has paused.
    retry: Retry,
    /// Factor of the time to the next group mark, less one. Zero if the last one was productive.
    back_off: u64,
    rounds: usize,
    is_closed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Retry {
    #[default]
    None,
    Set,
}

struct Known {
    place: u32,
    tags: AnyTags,
    next: NextGroup,
    /// Objects that group marks had emptied in it when it was last a member: they go on to do so
    /// after their commit.
    emptied: u64,
}

/// Whether a candidate may be a member of the next group mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextGroup {
    Joins,
    /// It was in use when a group mark was dissolved, which perhaps waited for it.
    LeftOut,
}

/// The candidates of a group mark that is due.
pub(crate) struct DueGroup {
    pub(crate) candidates: Vec<ActorKey>,
    /// Whether any of them has tags: each cycle passes through an actor with tags.
    pub(crate) tags: AnyTags,
    /// `Partial` if some candidates are left out.
    pub(crate) coverage: GroupResult,
    /// Number of rounds before this one.
    pub(crate) round: usize,
}

/// Whether a candidate, or any of them, has tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AnyTags {
    Yes,
    No,
}

/// An actor's call for a group mark.
pub(super) struct GroupCall {
    pub(super) tags: AnyTags,
    pub(super) suspected: CyclesSuspected,
    /// Objects that group marks have emptied in it.
    pub(super) emptied: u64,
}

/// The result of a round of group marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GroupResult {
    /// All candidates were surveyed, and each group mark was committed.
    Complete,
    /// Some candidates were left out, because they were never idle.
    Partial,
    /// A group mark was dissolved: a member was never idle, or could not wait.
    Dissolved,
}

impl GroupCandidates {
    pub(crate) fn of(system: &Shared) -> &GroupCandidates {
        system.extensions.part()
    }

    fn list(&self) -> MutexGuard<'_, CandidateList> {
        lock(&self.0)
    }

    /// An actor calls for a group mark.
    pub(super) fn add(system: &Arc<Shared>, key: ActorKey, call: &GroupCall) {
        let mut list = GroupCandidates::of(system).list();
        let known = list.known.entry(key.id).or_insert(Known {
            place: key.place,
            tags: call.tags,
            next: NextGroup::Joins,
            emptied: 0,
        });
        (known.place, known.tags) = (key.place, call.tags);
        if known.emptied < call.emptied {
            list.back_off = 0;
        }
        let delay_ns = match call.suspected {
            CyclesSuspected::Growing => 0,
            _ => ns(system.config.idle_after) / DELAY_PART,
        };
        list.call(system, delay_ns);
    }

    /// The candidates, if a group mark is due.
    pub(crate) fn take_due(&self, now_ns: u64) -> Option<DueGroup> {
        let mut list = self.list();
        list.due_ns.filter(|due_ns| *due_ns <= now_ns)?;
        list.due_ns = None;
        let (mut candidates, mut tags) = (Vec::new(), AnyTags::No);
        let mut coverage = GroupResult::Complete;
        for (id, known) in &mut list.known {
            if known.tags == AnyTags::Yes {
                tags = AnyTags::Yes;
            }
            match mem::replace(&mut known.next, NextGroup::Joins) {
                NextGroup::Joins => candidates.push(ActorKey {
                    id: *id,
                    place: known.place,
                }),
                NextGroup::LeftOut => coverage = GroupResult::Partial,
            }
        }
        list.rounds += 1;
        Some(DueGroup {
            candidates,
            tags,
            coverage,
            round: list.rounds - 1,
        })
    }

    /// Counts of a detached heap have changed, or it is new: it takes part in the next round.
    pub(super) fn call_for_detached(system: &Arc<Shared>) {
        let mut list = GroupCandidates::of(system).list();
        if !list.known.is_empty() {
            list.call(system, ns(system.config.idle_after) / DELAY_PART);
        }
    }

    /// The next group mark leaves this candidate out.
    pub(crate) fn leave_out_once(&self, key: ActorKey) {
        if let Some(known) = self.list().known.get_mut(&key.id) {
            known.next = NextGroup::LeftOut;
        }
    }

    /// An actor has ended, or shares nothing any more.
    pub(crate) fn remove(&self, key: ActorKey) {
        self.list().known.remove(&key.id);
    }

    /// These candidates of a round are surveyed: group marks have emptied so many objects in each.
    pub(crate) fn end_survey(&self, surveyed: impl Iterator<Item = (ActorKey, u64)>) {
        let mut list = self.list();
        let mut is_productive = false;
        for (key, emptied) in surveyed {
            if let Some(known) = list.known.get_mut(&key.id) {
                is_productive |= mem::replace(&mut known.emptied, emptied) < emptied;
            }
        }
        list.back_off = match is_productive {
            true => 0,
            false => (2 * list.back_off + 1).min(BACK_OFF_MAX - 1),
        };
    }

    /// A round is over, which took so many nanoseconds of work.
    pub(crate) fn end_round(&self, system: &Arc<Shared>, result: GroupResult, took_ns: u64) {
        let mut list = self.list();
        (list.ended_ns, list.took_ns) = (system.oracle.now_ns(), took_ns);
        // The request of a call that came meanwhile was taken for the round that ran.
        let was_called = list.due_ns.take().is_some();
        let delay_ns = ns(system.config.idle_after) / DELAY_PART;
        if result != GroupResult::Complete {
            let factor = list.back_off + 1;
            list.call(system, delay_ns.saturating_mul(factor));
        } else if was_called {
            list.call(system, delay_ns);
        }
    }

    /// The system ends.
    pub(crate) fn close(&self) {
        let mut list = self.list();
        list.is_closed = true;
        list.due_ns = None;
        list.known.clear();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.list().is_closed
    }
}

impl CandidateList {
    /// Schedules the next group mark, unless one is scheduled that begins sooner.
    fn call(&mut self, system: &Arc<Shared>, in_ns: u64) {
        if self.is_closed {
            return;
        }
        let now_ns = system.oracle.now_ns();
        let due_ns = now_ns.saturating_add(in_ns).max(self.not_before_ns());
        if self.due_ns.is_none_or(|before| due_ns < before) {
            self.due_ns = Some(due_ns);
            GroupCandidates::request_at(system, due_ns - now_ns);
        }
    }

    fn not_before_ns(&self) -> u64 {
        let factor = match self.back_off {
            0 => 1,
            back_off => TIME_PART * (back_off + 1),
        };
        self.ended_ns
            .saturating_add(self.took_ns.saturating_mul(factor))
    }
}

/// A worker continues the group mark, or begins one.
static CONTINUE_GROUP_MARK: SystemCall<Arc<Shared>> = SystemCall {
    name: "group mark",
    call: |system, _| {
        GroupCandidates::of(system).list().retry = Retry::None;
        system.candidates.request_pass();
        system.idle.wake_one();
    },
};

impl GroupCandidates {
    /// A worker continues the group mark in so many nanoseconds, unless that is set already.
    pub(crate) fn retry_in(system: &Arc<Shared>, in_ns: u64) {
        let before = mem::replace(&mut GroupCandidates::of(system).list().retry, Retry::Set);
        if before == Retry::None {
            GroupCandidates::request_at(system, in_ns);
        }
    }

    /// A worker continues the group mark, or begins one, in so many nanoseconds.
    fn request_at(system: &Arc<Shared>, in_ns: u64) {
        let action = Action::Call(&CONTINUE_GROUP_MARK, [0, 0]);
        system.set_timer(in_ns, Alarm::Once(action));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Simulation;

    fn due(candidates: &GroupCandidates) -> (Vec<u64>, GroupResult) {
        let due = candidates.take_due(u64::MAX).expect("a group mark is due");
        let ids = due.candidates.iter().map(|key| key.id).collect();
        (ids, due.coverage)
    }

    #[test]
    fn candidates_that_run_are_left_out_once() {
        let simulation = Simulation::new(1);
        let system = simulation.system().shared();
        let candidates = GroupCandidates::of(system);
        let key = |id| ActorKey { id, place: 0 };
        let add = |id, tags| {
            let call = GroupCall {
                tags,
                suspected: CyclesSuspected::Idle,
                emptied: 0,
            };
            GroupCandidates::add(system, key(id), &call);
        };
        let call = || add(2, AnyTags::No);
        (1..4).for_each(|id| add(id, AnyTags::Yes));
        assert_eq!(due(candidates), (vec![1, 2, 3], GroupResult::Complete));
        candidates.leave_out_once(key(3));
        call();
        assert_eq!(due(candidates), (vec![1, 2], GroupResult::Partial));
        call();
        assert_eq!(due(candidates), (vec![1, 2, 3], GroupResult::Complete));
        candidates.close();
    }
}
