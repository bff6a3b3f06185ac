//! [`GroupPass`]: runs the group marks of a system, in pieces: each between two runs of a worker,
//! or between two runs of the member that it waits for.

use super::group_round::{GroupRound, NextPiece};
use super::pause_start::PauseStart;
use crate::actor::{Shared, Signals};
use crate::candidates::ActorKey;
use crate::gc_state::GroupCandidates;
use crate::run::Idle;
use crate::sync::{Arc, Mutex, lock};
use std::mem;

/// A group mark that waits for a member tries again after this time, if the member has not paused
/// before.
const WAIT_NS: u64 = 1_000_000;

/// A group mark that waits for members of which the own marks run tries again after this time.
const BUSY_WAIT_NS: u64 = 10_000_000;

/// The round of group marks that runs.
#[derive(Default)]
pub(super) struct GroupPass(Mutex<GroupPlace>);

/// Where it is. The worker that continues it takes it out of the lock.
#[derive(Default)]
enum GroupPlace {
    #[default]
    NoRound,
    Waiting(Box<GroupRound>),
    Taken(MissedRequest),
}

/// Whether a worker was requested to begin or continue the round while another one had it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MissedRequest {
    None,
    Some,
}

/// The right to continue the round, or to begin one. One worker has it.
struct GroupTurn<'p> {
    system: &'p Shared,
    place: &'p GroupPass,
    /// What is left of the round; none if it is over.
    round: Option<Box<GroupRound>>,
}

impl Drop for GroupTurn<'_> {
    /// After a panic too: else no group mark would ever run again.
    fn drop(&mut self) {
        let left = self.round.take();
        let left = left.map_or(GroupPlace::NoRound, GroupPlace::Waiting);
        let taken = mem::replace(&mut *lock(&self.place.0), left);
        if let GroupPlace::Taken(MissedRequest::Some) = taken {
            // What was due then may have come too late for the piece that ran.
            request_piece(self.system);
        }
    }
}

/// Some worker continues the round, or begins one, as soon as it can.
fn request_piece(system: &Shared) {
    system.candidates.request_pass();
    // The caller may be a thread that looks for no requests.
    system.idle.wake_one();
}

impl GroupPass {
    /// Does a piece, if a round runs or is due, and no other worker does it. The caller may
    /// hold an actor between two of its runs, which is visited then, if it is a member.
    pub(super) fn run(&self, system: &Arc<Shared>, held: Option<&mut Idle>) {
        let is_worker = held.is_none();
        let turn = match is_worker {
            true => self.take(system),
            // Its caller is in a hurry: it begins none.
            false => self.take_waiting(system),
        };
        let Some(mut turn) = turn else { return };
        let round = match turn.round.take() {
            None if is_worker => GroupRound::begin(system),
            round => round,
        };
        let pause = held.as_ref().map(|held| {
            let (id, place) = (held.id, held.place());
            (PauseStart::now(system), ActorKey { id, place })
        });
        let (left, next) = match round {
            Some(round) => round.run(system, held),
            None => (None, NextPiece::None),
        };
        if let Some((pause, key)) = pause {
            pause.end(system, key);
        }
        turn.round = left;
        drop(turn);
        // After the round was put back: another worker may take the request at once.
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
            NextPiece::MuchLater => GroupCandidates::retry_in(system, BUSY_WAIT_NS),
            NextPiece::None => {}
        }
        if GroupCandidates::of(system).is_closed() {
            self.close(system);
        }
    }

    /// The right to begin or continue the round. If another worker has it, that worker
    /// requests a further piece afterwards.
    fn take<'p>(&'p self, system: &'p Shared) -> Option<GroupTurn<'p>> {
        let mut place = lock(&self.0);
        let round = match mem::replace(&mut *place, GroupPlace::Taken(MissedRequest::None)) {
            GroupPlace::NoRound => None,
            GroupPlace::Waiting(round) => Some(round),
            GroupPlace::Taken(_) => {
                *place = GroupPlace::Taken(MissedRequest::Some);
                return None;
            }
        };
        Some(GroupTurn {
            system,
            place: self,
            round,
        })
    }

    /// The right to continue the round, if one waits.
    fn take_waiting<'p>(&'p self, system: &'p Shared) -> Option<GroupTurn<'p>> {
        let mut place = lock(&self.0);
        match mem::replace(&mut *place, GroupPlace::Taken(MissedRequest::None)) {
            GroupPlace::Waiting(round) => Some(GroupTurn {
                system,
                place: self,
                round: Some(round),
            }),
            other => {
                *place = other;
                None
            }
        }
    }

    /// The system ends. A worker that has taken the round ends it.
    pub(super) fn close(&self, system: &Shared) {
        if let Some(mut turn) = self.take_waiting(system) {
            // The members' marks go on alone.
            turn.round = None;
        }
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
