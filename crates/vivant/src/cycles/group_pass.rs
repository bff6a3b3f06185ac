//! [`GroupPass`]: runs the group mark of a system, in pieces: each between two runs of a worker, or
//! between two runs of the member that it waits for.

use crate::actor::{Shared, Signals};
use crate::candidates::ActorKey;
use crate::gc_state::{AnyTags, GroupBegin, GroupCandidates, GroupEnd, GroupResult};
use crate::run::{Idle, Occupied};
use crate::sync::{Arc, Mutex, lock};
use std::mem;
use vivant_heap::{GroupMark, GroupProgress, HeapShares, Member, Members, Visit};

/// Time that a worker spends on it between two rounds.
const SLICE_NS: u64 = 200_000;

/// Members of one group mark at most: each of them must end a turn from time to time, or the group
/// mark is dissolved.
const MEMBERS_MAX: usize = 256;

/// A group mark that waits for a member tries again after this time, if the member has not paused
/// before.
const WAIT_NS: u64 = 1_000_000;

/// The group mark that runs.
#[derive(Default)]
pub(super) struct GroupPass(Mutex<GroupPlace>);

/// Where it is. The worker that continues it takes it out of the lock.
#[derive(Default)]
enum GroupPlace {
    #[default]
    NoGroup,
    Waiting(Box<RunningGroup>),
    Taken(MissedRequest),
}

/// Whether a worker was requested to begin or continue the group mark while another one had it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MissedRequest {
    None,
    Some,
}

/// The right to continue the group mark, or to begin one. One worker has it.
struct GroupTurn<'p> {
    system: &'p Shared,
    place: &'p GroupPass,
    /// What is left of the group mark; none if it is over.
    group: Option<Box<RunningGroup>>,
}

impl Drop for GroupTurn<'_> {
    /// After a panic too: else no group mark would ever run again.
    fn drop(&mut self) {
        let left = self.group.take();
        let left = left.map_or(GroupPlace::NoGroup, GroupPlace::Waiting);
        let taken = mem::replace(&mut *lock(&self.place.0), left);
        if let GroupPlace::Taken(MissedRequest::Some) = taken {
            // What was due then may have come too late for the piece that ran.
            request_piece(self.system);
        }
    }
}

/// Some worker continues the group mark, or begins one, as soon as it can.
fn request_piece(system: &Shared) {
    system.candidates.request_pass();
    // The caller may be a thread that looks for no requests.
    system.idle.wake_one();
}

/// When a worker continues the group mark.
enum NextPiece {
    Now,
    /// When one of these has paused; in some time at the latest.
    Later(Vec<ActorKey>),
    None,
}

struct RunningGroup {
    mark: GroupMark,
    members: Vec<ActorKey>,
    /// The members that it waits for, because they run turns.
    waits_for: Vec<ActorKey>,
    /// Whether all candidates are members.
    coverage: GroupResult,
    took_ns: u64,
}

impl GroupPass {
    /// Does a piece, if a group mark runs or is due, and no other worker does it. The caller may
    /// hold an actor between two of its runs, which is visited then, if it is a member.
    pub(super) fn run(&self, system: &Arc<Shared>, held: Option<&mut Idle>) {
        let is_worker = held.is_none();
        let turn = match is_worker {
            true => self.take(system),
            // Its caller is in a hurry: it begins none.
            false => self.take_waiting(system),
        };
        let Some(mut turn) = turn else { return };
        let group = match turn.group.take() {
            None if is_worker => RunningGroup::begin(system),
            group => group,
        };
        let (left, next) = match group {
            Some(group) => group.run(system, held),
            None => (None, NextPiece::None),
        };
        turn.group = left;
        drop(turn);
        // After the group mark was put back: another worker may take the request at once.
        match next {
            // This worker looks for requests before it sleeps.
            NextPiece::Now if is_worker => system.candidates.request_pass(),
            NextPiece::Now => request_piece(system),
            NextPiece::Later(active) => {
                active.into_iter().for_each(|member| {
                    if let Some(cell) = system.actor(member.id, member.place) {
                        cell.signal(Signals::VISIT);
                    }
                });
                GroupCandidates::retry_in(system, WAIT_NS);
            }
            NextPiece::None => {}
        }
        if GroupCandidates::of(system).is_closed() {
            self.close();
        }
    }

    /// The right to begin or continue the group mark. If another worker has it, that worker
    /// requests a further piece afterwards.
    fn take<'p>(&'p self, system: &'p Shared) -> Option<GroupTurn<'p>> {
        let mut place = lock(&self.0);
        let group = match mem::replace(&mut *place, GroupPlace::Taken(MissedRequest::None)) {
            GroupPlace::NoGroup => None,
            GroupPlace::Waiting(group) => Some(group),
            GroupPlace::Taken(_) => {
                *place = GroupPlace::Taken(MissedRequest::Some);
                return None;
            }
        };
        Some(GroupTurn {
            system,
            place: self,
            group,
        })
    }

    /// The right to continue the group mark, if one waits.
    fn take_waiting<'p>(&'p self, system: &'p Shared) -> Option<GroupTurn<'p>> {
        let mut place = lock(&self.0);
        match mem::replace(&mut *place, GroupPlace::Taken(MissedRequest::None)) {
            GroupPlace::Waiting(group) => Some(GroupTurn {
                system,
                place: self,
                group: Some(group),
            }),
            other => {
                *place = other;
                None
            }
        }
    }

    /// The system ends. A worker that has taken the group mark ends it.
    pub(super) fn close(&self) {
        let mut place = lock(&self.0);
        if let GroupPlace::Waiting(_) = *place {
            // The members' marks go on alone.
            *place = GroupPlace::NoGroup;
        }
    }
}

impl RunningGroup {
    /// The group mark of all candidates, or of as many as it can have.
    fn begin(system: &Arc<Shared>) -> Option<Box<RunningGroup>> {
        let now_ns = system.oracle.now_ns();
        let candidates = GroupCandidates::of(system);
        let due = candidates.take_due(now_ns)?;
        let (ended, known): (Vec<_>, Vec<_>) = due
            .candidates
            .into_iter()
            .partition(|key| system.actor(key.id, key.place).is_none());
        ended.into_iter().for_each(|key| candidates.remove(key));
        let (mut members, mut productive) = (Vec::new(), 0);
        let mut coverage = due.coverage;
        for key in known {
            if due.tags == AnyTags::No {
                break;
            }
            if members.len() == MEMBERS_MAX {
                // By halves, so that actors made one after the other are members together.
                candidates.begin_next_with(members[MEMBERS_MAX / 2]);
                coverage = GroupResult::Truncated;
                break;
            }
            let visited = hold(system, key).map(|mut idle| {
                let (mut shares, mut emptied) = (HeapShares::Nothing, 0);
                let visited = visit_idle(&mut idle, &mut |mut heap| {
                    (shares, emptied) = (heap.shares(), heap.emptied());
                });
                productive += usize::from(candidates.was_productive(key, emptied));
                let is_candidate = visited == Visit::Done && shares == HeapShares::Both;
                if !is_candidate {
                    // While it is held: it calls for a group mark when that has changed.
                    candidates.remove(key);
                }
                idle.park();
                is_candidate
            });
            match visited {
                Ok(false) => {}
                Err(Visit::Ended) => candidates.remove(key),
                // It is in use, so it shares what it did when it was added.
                Ok(true) | Err(_) => members.push(key),
            }
        }
        candidates.begin_group(&GroupBegin {
            members: members.len(),
            productive,
        });
        let took_ns = system.oracle.now_ns() - now_ns;
        if members.len() < 2 {
            let covered = members.len();
            candidates.end_group(
                system,
                &GroupEnd {
                    result: coverage,
                    covered,
                    took_ns,
                },
            );
            return None;
        }
        Some(Box::new(RunningGroup {
            mark: GroupMark::new(members.len()),
            members,
            waits_for: Vec::new(),
            coverage,
            took_ns,
        }))
    }

    /// Continues it for a slice of time; one step in a simulation. Returns what is left of it.
    fn run(
        mut self: Box<Self>,
        system: &Arc<Shared>,
        mut held: Option<&mut Idle>,
    ) -> (Option<Box<RunningGroup>>, NextPiece) {
        let began_ns = system.oracle.now_ns();
        let slice_ns = match system.stage().is_none() {
            true => SLICE_NS,
            false => 0,
        };
        self.waits_for.clear();
        let progress = loop {
            let mut members = MemberActors {
                system,
                members: &self.members,
                held: held.as_deref_mut(),
                waits_for: &mut self.waits_for,
            };
            let progress = self.mark.step(&mut members);
            let spent_ns = system.oracle.now_ns() - began_ns;
            if progress != GroupProgress::More || spent_ns >= slice_ns {
                break progress;
            }
        };
        self.took_ns += system.oracle.now_ns() - began_ns;
        match progress {
            GroupProgress::More => (Some(self), NextPiece::Now),
            GroupProgress::Wait => {
                let active = self.waits_for.clone();
                (Some(self), NextPiece::Later(active))
            }
            GroupProgress::Committed | GroupProgress::Dissolved => {
                self.end(system, progress);
                (None, NextPiece::None)
            }
        }
    }

    fn end(self, system: &Arc<Shared>, progress: GroupProgress) {
        let mut result = self.coverage;
        if progress == GroupProgress::Dissolved {
            result = GroupResult::Dissolved;
            for member in self.waits_for {
                GroupCandidates::of(system).leave_out_once(member);
            }
        }
        let covered = match result {
            GroupResult::Truncated => MEMBERS_MAX / 2,
            _ => self.members.len(),
        };
        GroupCandidates::of(system).end_group(
            system,
            &GroupEnd {
                result,
                covered,
                took_ns: self.took_ns,
            },
        );
    }
}

/// The members' actors.
struct MemberActors<'s> {
    system: &'s Arc<Shared>,
    members: &'s [ActorKey],
    /// An actor between two of its runs.
    held: Option<&'s mut Idle>,
    /// Members that were not visited, because they run turns.
    waits_for: &'s mut Vec<ActorKey>,
}

fn hold(system: &Shared, key: ActorKey) -> Result<Idle, Visit> {
    let cell = system.actor(key.id, key.place).ok_or(Visit::Ended)?;
    cell.hold_idle().map_err(|occupied| match occupied {
        Occupied::Active => Visit::Active,
        Occupied::Ended => Visit::Ended,
    })
}

/// Visits the heap of an idle actor. An actor without a heap has ended, for a group mark.
fn visit(system: &Shared, key: ActorKey, visit: &mut dyn FnMut(Member<'_>)) -> Visit {
    match hold(system, key) {
        Ok(mut idle) => {
            let visited = visit_idle(&mut idle, visit);
            idle.park();
            visited
        }
        Err(failed) => failed,
    }
}

fn visit_idle(idle: &mut Idle, visit: &mut dyn FnMut(Member<'_>)) -> Visit {
    let mut visited = Visit::Ended;
    idle.sharer(&mut |heap| {
        visit(heap.member());
        visited = Visit::Done;
    });
    visited
}

// SAFETY: an actor is held during a visit: no turn of it runs then (C1, X11).
unsafe impl Members for MemberActors<'_> {
    fn visit(&mut self, member: usize, body: &mut dyn FnMut(Member<'_>)) -> Visit {
        let key = self.members[member];
        let held = self.held.as_deref_mut();
        let visited = match held.filter(|held| held.id == key.id) {
            Some(held) => visit_idle(held, body),
            None => visit(self.system, key, body),
        };
        if visited == Visit::Active {
            self.waits_for.push(key);
        }
        visited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Simulation;

    #[test]
    fn a_request_that_finds_the_group_mark_taken_is_repeated() {
        let simulation = Simulation::new(1);
        let system = simulation.system().shared();
        let place = GroupPass::default();
        let turn = place.take(system).expect("nothing runs");
        system.candidates.clear_request();
        assert!(place.take(system).is_none());
        assert!(place.take(system).is_none(), "the first one has it still");
        assert!(!system.candidates.is_pass_requested());
        drop(turn);
        assert!(system.candidates.is_pass_requested());
    }

    #[test]
    fn a_run_of_a_member_that_comes_too_late_misses_no_request() {
        let simulation = Simulation::new(1);
        let system = simulation.system().shared();
        let place = GroupPass::default();
        assert!(place.take_waiting(system).is_none());
        let turn = place.take(system).expect("the run has given it back");
        system.candidates.clear_request();
        assert!(place.take_waiting(system).is_none());
        drop(turn);
        assert!(!system.candidates.is_pass_requested());
    }
}
