//! The verdict: all of a group are condemned, or nobody is. A large group is held and looked at a
//! few members at a time.

use super::Acquaintance;
use super::graph::Who;
use super::look::{Sight, shown};
use crate::cell::{Idle, Verdict};
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::system::Shared;

/// So many members that are held are gone past at the cost of a look at one.
const STRIDE: usize = 8;

/// What came of it.
pub(super) enum Outcome {
    /// Each ends in its next run, which is the caller's to bring about. In order of creation.
    End(Vec<Idle>),
    /// Something keeps one of them, or may.
    LetOff,
}

/// A group before its verdict.
#[must_use = "who is held is to be let go"]
pub(super) struct Case {
    /// In order of creation.
    group: Vec<Who>,
    /// The first so many of them.
    held: Vec<Idle>,
    /// How many addresses of each are in the states of those that were looked into.
    known: Vec<u32>,
    step: Step,
    /// What a bug takes for that.
    #[cfg(test)]
    stale: Option<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The next is to be held.
    Holding,
    /// All are held; the state of this one is the next to be looked into.
    LookingInto(usize),
    /// One of them cannot be condemned: those that are held are let go.
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

    /// A bug: the counts are not looked for.
    #[cfg(test)]
    pub(super) fn trusts(&mut self, known: Vec<u32>) {
        self.stale = Some(known);
    }

    /// Goes on for about so many looks at an actor, which it takes from `left`: condemns the group
    /// if its members are idle and all their addresses are in each other's states.
    pub(super) fn goes_on(&mut self, system: &Shared, left: &mut usize) -> Option<Outcome> {
        while *left > 0 {
            let cost = match self.step {
                Step::Holding if self.held.len() == self.group.len() => {
                    // U3: from here on nobody of them runs, so nobody of them gives away what it
                    // knows.
                    self.step = Step::LookingInto(0);
                    0
                }
                Step::Holding => self.holds(system),
                Step::LookingInto(at) if at == self.held.len() => match self.condemns(system) {
                    Verdict::Condemned => {
                        *left = left.saturating_sub(1 + self.held.len() / STRIDE);
                        return Some(Outcome::End(std::mem::take(&mut self.held)));
                    }
                    Verdict::Free => {
                        self.step = Step::LettingGo;
                        self.held.len() / STRIDE
                    }
                },
                Step::LookingInto(at) => self.looks_into(at),
                Step::LettingGo => match self.held.pop() {
                    None => return Some(Outcome::LetOff),
                    Some(idle) => {
                        idle.let_go();
                        usize::from(self.held.len().is_multiple_of(STRIDE))
                    }
                },
            };
            *left = left.saturating_sub(cost);
        }
        None
    }

    /// Nobody goes on with this.
    pub(super) fn breaks_off(self) {
        self.held.into_iter().for_each(Idle::let_go);
    }

    fn holds(&mut self, system: &Shared) -> usize {
        let who = self.group[self.held.len()];
        let cell = system.registry.get(who.id, who.place);
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
        let count = |one: Acquaintance| {
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

    /// U4, in one piece: an exchange for each, while whoever has no address and wants one waits.
    fn condemns(&self, system: &Shared) -> Verdict {
        let disputed = || system.detector.is_disputed();
        system
            .detector
            .in_verdict(|| sentence(&self.held, &self.known, disputed))
    }
}

/// U4: each by its exact count. Whoever has no address and wants one meanwhile waits for the
/// outcome.
fn sentence(held: &[Idle], known: &[u32], disputed: impl Fn() -> bool) -> Verdict {
    for (at, (idle, known)) in held.iter().zip(known).enumerate() {
        if disputed() || idle.condemn(*known) == Verdict::Free {
            #[cfg(test)]
            if is_planted(Planted::ForgottenPardon) {
                return Verdict::Free;
            }
            held[..at].iter().for_each(Idle::pardon);
            return Verdict::Free;
        }
    }
    Verdict::Condemned
}
