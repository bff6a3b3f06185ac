//! The commit of a group of unreachable actors: all of them become dying, or none. A large group is
//! held and examined a few members at a time.

use super::detection_pass::visit_references;
use crate::actor::{CommitResult, OutgoingReference, Shared, TraceCoverage};
use crate::candidates::ActorKey;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::run::Idle;

/// Held members that are passed over at the cost of the examination of one actor.
const MEMBERS_PER_COST: usize = 8;

/// The outcome of a commit.
pub(super) enum CommitOutcome {
    /// Each ends in its next run, which the caller starts. In order of creation.
    Committed(Vec<Idle>),
    /// Aborted: a member has a reference from outside, or may have.
    Aborted,
}

/// A group before its commit.
#[must_use = "who is held is to be let go"]
pub(super) struct GroupCommit {
    /// In order of creation.
    group: Vec<ActorKey>,
    /// The members held so far: a prefix of `group`.
    held: Vec<Idle>,
    /// Number of addresses of each member in the states examined so far.
    internal: Vec<u32>,
    step: CommitStep,
    /// The counts that an injected fault uses instead.
    #[cfg(test)]
    stale: Option<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CommitStep {
    /// The next member is to be held.
    Holding,
    /// All are held; the state of this one is examined next.
    Examining(usize),
    /// A member cannot become dying: the held ones are released.
    Releasing,
}

impl GroupCommit {
    pub(super) fn of(group: Vec<ActorKey>) -> GroupCommit {
        GroupCommit {
            held: Vec::with_capacity(group.len()),
            internal: vec![0; group.len()],
            group,
            step: CommitStep::Holding,
            #[cfg(test)]
            stale: None,
        }
    }

    pub(super) fn group(&self) -> &[ActorKey] {
        &self.group
    }

    /// An injected fault: the counts of the pass are used, and not counted again.
    #[cfg(test)]
    pub(super) fn use_stale_counts(&mut self, internal: Vec<u32>) {
        self.stale = Some(internal);
    }

    /// Continues for about `left` examinations of an actor, which it subtracts from `left`. Commits
    /// the group if its members are idle and all their addresses are in each other's states.
    pub(super) fn run_piece(&mut self, system: &Shared, left: &mut usize) -> Option<CommitOutcome> {
        while *left > 0 {
            let cost = match self.step {
                CommitStep::Holding if self.held.len() == self.group.len() => {
                    // U3: from here on no member runs, so none gives its addresses away.
                    self.step = CommitStep::Examining(0);
                    0
                }
                CommitStep::Holding => self.hold_next(system),
                CommitStep::Examining(at) if at == self.held.len() => match self.commit(system) {
                    CommitResult::Dying => {
                        *left = left.saturating_sub(1 + self.held.len() / MEMBERS_PER_COST);
                        return Some(CommitOutcome::Committed(std::mem::take(&mut self.held)));
                    }
                    CommitResult::Aborted => {
                        self.step = CommitStep::Releasing;
                        self.held.len() / MEMBERS_PER_COST
                    }
                },
                CommitStep::Examining(at) => self.examine(at),
                CommitStep::Releasing => match self.held.pop() {
                    None => return Some(CommitOutcome::Aborted),
                    Some(idle) => {
                        idle.park();
                        usize::from(self.held.len().is_multiple_of(MEMBERS_PER_COST))
                    }
                },
            };
            *left = left.saturating_sub(cost);
        }
        None
    }

    /// Aborts the commit early: releases the held members.
    pub(super) fn abort(self) {
        self.held.into_iter().for_each(Idle::park);
    }

    fn hold_next(&mut self, system: &Shared) -> usize {
        let key = self.group[self.held.len()];
        let cell = system.actor(key.id, key.place);
        match cell.and_then(|cell| cell.hold_idle().ok()) {
            Some(idle) => self.held.push(idle),
            None => self.step = CommitStep::Releasing,
        }
        1
    }

    fn examine(&mut self, at: usize) -> usize {
        #[cfg(test)]
        if let Some(stale) = self.stale.take() {
            self.internal = stale;
            self.step = CommitStep::Examining(self.held.len());
            return 0;
        }
        let idle = &mut self.held[at];
        let (group, internal) = (&self.group, &mut self.internal);
        let mut addresses = 0;
        let count = |one: OutgoingReference| {
            addresses += 1;
            if let Ok(at) = group.binary_search_by_key(&one.who.id, |member| member.id) {
                internal[at] += 1;
            }
        };
        self.step = match idle.root_reason().is_none()
            && visit_references(idle, count) != TraceCoverage::Faulty
        {
            true => CommitStep::Examining(at + 1),
            false => CommitStep::Releasing,
        };
        usize::from(at.is_multiple_of(MEMBERS_PER_COST)) + addresses / MEMBERS_PER_COST
    }

    /// U4, in one piece: an exchange for each member, while upgrades of them wait.
    fn commit(&self, system: &Shared) -> CommitResult {
        let upgrade_waits = || system.verdict.has_waiting_upgrade();
        system
            .verdict
            .run_locked(|| commit_members(&self.held, &self.internal, upgrade_waits))
    }
}

/// U4: each member by its exact count. An upgrade from no address waits meanwhile for the outcome.
fn commit_members(
    held: &[Idle],
    internal: &[u32],
    upgrade_waits: impl Fn() -> bool,
) -> CommitResult {
    for (at, (idle, internal)) in held.iter().zip(internal).enumerate() {
        if upgrade_waits() || idle.commit_dying(*internal) == CommitResult::Aborted {
            #[cfg(test)]
            if is_planted(InjectedFault::ForgottenAbort) {
                return CommitResult::Aborted;
            }
            held[..at].iter().for_each(Idle::abort_dying);
            return CommitResult::Aborted;
        }
    }
    CommitResult::Dying
}
