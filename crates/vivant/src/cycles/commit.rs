//! The verdict: the commit of a group. All of its actors become dying, or none. A large group is
//! held and examined a few members at a time.

use super::detection_pass::shown;
use crate::actor::{CommitResult, OutgoingReference, Shared, Sight};
use crate::candidates::Who;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::run::Idle;

/// Held members that are passed over at the cost of the examination of one actor.
const STRIDE: usize = 8;

/// The outcome of a verdict.
pub(super) enum Outcome {
    /// Each ends in its next run, which the caller starts. In order of creation.
    End(Vec<Idle>),
    /// Aborted: a member has a reference from outside, or may have.
    LetOff,
}

/// A group before its verdict.
#[must_use = "who is held is to be let go"]
pub(super) struct Case {
    /// In order of creation.
    group: Vec<Who>,
    /// The members held so far: a prefix of `group`.
    held: Vec<Idle>,
    /// Number of addresses of each member in the states examined so far.
    known: Vec<u32>,
    step: Step,
    /// The counts that an injected fault uses instead.
    #[cfg(test)]
    stale: Option<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The next member is to be held.
    Holding,
    /// All are held; the state of this one is examined next.
    LookingInto(usize),
    /// A member cannot become dying: the held ones are released.
    LettingGo,
}

impl Case {
    pub(super) fn of(group: Vec<Who>) -> Case {
        Case {
            held: Vec::with_capacity(group.len()),
            known: vec![0; group.len()],
            group,
            step: Step::Holding,
            #[cfg(test)]
            stale: None,
        }
    }

    pub(super) fn group(&self) -> &[Who] {
        &self.group
    }

    /// An injected fault: the counts of the pass are used, and not counted again.
    #[cfg(test)]
    pub(super) fn trusts(&mut self, known: Vec<u32>) {
        self.stale = Some(known);
    }

    /// Continues for about `left` examinations of an actor, which it subtracts from `left`. Commits
    /// the group if its members are idle and all their addresses are in each other's states.
    pub(super) fn goes_on(&mut self, system: &Shared, left: &mut usize) -> Option<Outcome> {
        while *left > 0 {
            let cost = match self.step {
                Step::Holding if self.held.len() == self.group.len() => {
                    // U3: from here on no member runs, so none gives its addresses away.
                    self.step = Step::LookingInto(0);
                    0
                }
                Step::Holding => self.holds(system),
                Step::LookingInto(at) if at == self.held.len() => match self.commits(system) {
                    CommitResult::Dying => {
                        *left = left.saturating_sub(1 + self.held.len() / STRIDE);
                        return Some(Outcome::End(std::mem::take(&mut self.held)));
                    }
                    CommitResult::Aborted => {
                        self.step = Step::LettingGo;
                        self.held.len() / STRIDE
                    }
                },
                Step::LookingInto(at) => self.looks_into(at),
                Step::LettingGo => match self.held.pop() {
                    None => return Some(Outcome::LetOff),
                    Some(idle) => {
                        idle.park();
                        usize::from(self.held.len().is_multiple_of(STRIDE))
                    }
                },
            };
            *left = left.saturating_sub(cost);
        }
        None
    }

    /// Ends the verdict early: releases the held members.
    pub(super) fn breaks_off(self) {
        self.held.into_iter().for_each(Idle::park);
    }

    fn holds(&mut self, system: &Shared) -> usize {
        let who = self.group[self.held.len()];
        let cell = system.actor(who.id, who.place);
        match cell.and_then(|cell| cell.hold_idle().ok()) {
            Some(idle) => self.held.push(idle),
            None => self.step = Step::LettingGo,
        }
        1
    }

    fn looks_into(&mut self, at: usize) -> usize {
        #[cfg(test)]
        if let Some(stale) = self.stale.take() {
            self.known = stale;
            self.step = Step::LookingInto(self.held.len());
            return 0;
        }
        let idle = &mut self.held[at];
        let (group, known) = (&self.group, &mut self.known);
        let mut addresses = 0;
        let count = |one: OutgoingReference| {
            addresses += 1;
            if let Ok(at) = group.binary_search_by_key(&one.who.id, |member| member.id) {
                known[at] += 1;
            }
        };
        self.step = match idle.pin().is_none() && shown(idle, count) != Sight::Faulty {
            true => Step::LookingInto(at + 1),
            false => Step::LettingGo,
        };
        usize::from(at.is_multiple_of(STRIDE)) + addresses / STRIDE
    }

    /// U4, in one piece: an exchange for each member, while upgrades of them wait.
    fn commits(&self, system: &Shared) -> CommitResult {
        let disputed = || system.verdict.is_disputed();
        system
            .verdict
            .during(|| sentence(&self.held, &self.known, disputed))
    }
}

/// U4: each member by its exact count. An upgrade from no address waits meanwhile for the outcome.
fn sentence(held: &[Idle], known: &[u32], disputed: impl Fn() -> bool) -> CommitResult {
    for (at, (idle, known)) in held.iter().zip(known).enumerate() {
        if disputed() || idle.commit_dying(*known) == CommitResult::Aborted {
            #[cfg(test)]
            if is_planted(InjectedFault::ForgottenPardon) {
                return CommitResult::Aborted;
            }
            held[..at].iter().for_each(Idle::abort_dying);
            return CommitResult::Aborted;
        }
    }
    CommitResult::Dying
}
