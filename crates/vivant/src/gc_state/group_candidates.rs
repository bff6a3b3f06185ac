//! [`GroupCandidates`]: the actors that may be on a cycle of references across heaps, and when the
//! next group mark begins. See [README.md](../cycles/README.md).

use crate::actor::Shared;
use crate::candidates::ActorKey;
use crate::services::{Alarm, ns};
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
    /// The number of the candidate that the next group mark begins with: more candidates than
    /// members take turns.
    next_first: u64,
    /// Members of group marks since the last call, or since one was productive: when all candidates
    /// have had their turn, no group mark follows without a call.
    covered: usize,
    /// Factor of the time to the next group mark, less one. Zero if the last one was productive.
    back_off: u64,
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
    /// Whether these are all candidates.
    pub(crate) coverage: GroupResult,
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

/// The result of a group mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GroupResult {
    /// It has marked all candidates.
    Complete,
    /// Some candidates were left out.
    Partial,
    /// There are more candidates than members.
    Truncated,
    /// It has marked nothing to its end: a member was never idle, or could not wait.
    Dissolved,
}

/// What is known of a group mark that begins.
pub(crate) struct GroupBegin {
    pub(crate) members: usize,
    /// Members in which group marks before it have emptied objects.
    pub(crate) productive: usize,
}

/// What is known of a group mark that is over.
pub(crate) struct GroupEnd {
    pub(crate) result: GroupResult,
    /// Candidates that need not be members soon.
    pub(crate) covered: usize,
    pub(crate) took_ns: u64,
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
        list.covered = 0;
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
        let first = list.next_first;
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
        let before = candidates.partition_point(|key| key.id < first);
        candidates.rotate_left(before);
        Some(DueGroup {
            candidates,
            tags,
            coverage,
        })
    }

    /// There are more candidates than members: the next group mark begins with this one.
    pub(crate) fn begin_next_with(&self, key: ActorKey) {
        self.list().next_first = key.id;
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

    /// Whether objects were emptied in this candidate since it was last a member.
    pub(crate) fn was_productive(&self, key: ActorKey, emptied: u64) -> bool {
        let mut list = self.list();
        let known = list.known.get_mut(&key.id);
        known.is_some_and(|known| mem::replace(&mut known.emptied, emptied) < emptied)
    }

    /// A group mark of so many members begins.
    pub(crate) fn begin_group(&self, begin: &GroupBegin) {
        let mut list = self.list();
        list.back_off = match begin.productive != 0 {
            true => 0,
            false if begin.members < 2 => list.back_off,
            false => (2 * list.back_off + 1).min(BACK_OFF_MAX - 1),
        };
    }

    /// A group mark is over.
    pub(crate) fn end_group(&self, system: &Arc<Shared>, end: &GroupEnd) {
        let mut list = self.list();
        (list.ended_ns, list.took_ns) = (system.oracle.now_ns(), end.took_ns);
        list.covered = match list.back_off == 0 {
            true => 0,
            false => list.covered.saturating_add(end.covered),
        };
        // The request of a call that came meanwhile was taken for the group mark that ran.
        let was_called = list.due_ns.take().is_some();
        let delay_ns = ns(system.config.idle_after) / DELAY_PART;
        let follows = match end.result {
            GroupResult::Complete => false,
            GroupResult::Truncated => list.covered < list.known.len(),
            GroupResult::Partial | GroupResult::Dissolved => true,
        };
        if follows {
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
        let shared = system.clone();
        let fire = move || {
            GroupCandidates::of(&shared).list().retry = Retry::None;
            shared.candidates.request_pass();
            shared.idle.wake_one();
        };
        system.set_timer(in_ns, Alarm::Once(Box::new(fire)));
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
    fn each_candidate_comes_first_and_those_that_run_are_left_out_once() {
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
        candidates.begin_next_with(key(2));
        call();
        assert_eq!(due(candidates), (vec![2, 3, 1], GroupResult::Complete));
        candidates.leave_out_once(key(3));
        call();
        assert_eq!(due(candidates), (vec![2, 1], GroupResult::Partial));
        call();
        assert_eq!(due(candidates), (vec![2, 3, 1], GroupResult::Complete));
        candidates.close();
    }
}
