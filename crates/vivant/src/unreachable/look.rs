//! One look at some suspects, and at all whom they know, directly or by others. In pieces, each between two runs of a worker.

use super::graph::{Graph, Seen, Who};
use super::verdict::{self, Outcome};
use super::{known, suspects::Suspect};
use crate::cell::{AddressRef, Idle, Occupied, Pin, catch};
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::system::Shared;
use std::collections::BTreeSet;

/// So many actors are looked at in one piece.
const PIECE: usize = if cfg!(test) { 2 } else { 256 };

/// How far a look goes from the suspects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// As far as costs little.
    Near,
    /// As far as there is memory for.
    Far,
}

impl Reach {
    /// At most so many actors.
    fn actors(self) -> usize {
        match self {
            Reach::Near => 1 << 14,
            Reach::Far => 1 << 20,
        }
    }
}

/// Whether a look is over.
pub(super) enum Progress {
    More,
    Done,
}

/// A look that has begun.
pub(super) struct Look {
    graph: Graph,
    /// The first so many of the graph.
    suspects: usize,
    reach: Reach,
    stage: Stage,
    /// Whether one state of them all was seen (U5).
    whole: Whole,
    /// How many actors were found to be unreachable.
    ended: usize,
    /// Of those whom the look found so, and the verdict did not.
    doubtful: BTreeSet<u64>,
    pub(super) took_ns: u64,
}

enum Stage {
    /// This one is the next to be looked at.
    Looking(usize),
    /// These groups wait for their verdicts, the first last.
    Judging(Vec<Vec<Who>>),
    /// Whether this one has run since is the next to be asked.
    Checking(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

/// What came of a look.
pub(super) struct Findings {
    pub(super) again: Vec<Suspect>,
    pub(super) took_ns: u64,
    looked_at: usize,
    ended: usize,
}

impl Findings {
    /// Whether most of the work was for nothing.
    pub(super) fn was_in_vain(&self) -> bool {
        self.ended < self.looked_at / 4
    }
}

impl Look {
    pub(super) fn at(suspects: &[Suspect], reach: Reach) -> Look {
        let mut graph = Graph::default();
        for suspect in suspects {
            graph.meet(*suspect);
        }
        Look {
            suspects: graph.len(),
            graph,
            reach,
            stage: Stage::Looking(0),
            whole: Whole::Yes,
            ended: 0,
            doubtful: BTreeSet::new(),
            took_ns: 0,
        }
    }

    /// The next piece.
    pub(super) fn goes_on(&mut self, system: &Shared) -> Progress {
        let mut left = PIECE;
        while left > 0 {
            let cost = match &mut self.stage {
                Stage::Looking(at) => {
                    let next = *at;
                    *at += 1;
                    self.look_at(system, next)
                }
                Stage::Judging(groups) => match groups.pop() {
                    Some(group) => self.judge(system, &group),
                    None if self.is_over() => return Progress::Done,
                    None => {
                        self.stage = Stage::Checking(0);
                        0
                    }
                },
                Stage::Checking(at) if *at == self.graph.len() => return Progress::Done,
                Stage::Checking(at) => {
                    let next = *at;
                    *at += 1;
                    if !self.has_rested(system, next) {
                        self.whole = Whole::No;
                        return Progress::Done;
                    }
                    1
                }
            };
            left = left.saturating_sub(cost);
        }
        Progress::More
    }

    /// Looks at one; the cost.
    fn look_at(&mut self, system: &Shared, at: usize) -> usize {
        if at == self.graph.len() || at >= self.reach.actors() {
            let mut groups = self.graph.unreachable();
            groups.reverse();
            self.stage = Stage::Judging(groups);
            return 1;
        }
        let who = self.graph.node(at).who;
        let mut knows = Vec::new();
        let seen = match system.registry.get(who.id, who.place) {
            None => Seen::Gone,
            Some(cell) => {
                if at < self.suspects {
                    cell.is_looked_at();
                }
                match cell.hold_idle() {
                    Ok(mut idle) => {
                        let seen = self.looks_into(&mut idle, &mut knows);
                        idle.let_go();
                        seen
                    }
                    Err(Occupied::Ended) => Seen::Gone,
                    Err(Occupied::Active) => {
                        self.whole = Whole::No;
                        Seen::Pinned
                    }
                }
            }
        };
        self.graph.is_seen(at, seen, &knows);
        1 + knows.len() / 8
    }

    fn looks_into(&mut self, idle: &mut Idle, knows: &mut Vec<Who>) -> Seen {
        match idle.pin() {
            Some(Pin::Supervised) => return Seen::Pinned,
            Some(Pin::Messages) => {
                self.whole = Whole::No;
                return Seen::Pinned;
            }
            None => {}
        }
        // Before the state, so that what is lost meanwhile cannot be counted twice.
        let (addresses, turns) = (idle.addresses(), idle.facts.turns());
        match shown(idle, |address| knows.extend(traced(address))) {
            Shown::All => Seen::Idle { addresses, turns },
            Shown::Faulty => {
                knows.clear();
                Seen::Pinned
            }
        }
    }

    /// A verdict on a group; the cost.
    fn judge(&mut self, system: &Shared, group: &[Who]) -> usize {
        let outcome = verdict::condemn;
        #[cfg(test)]
        let outcome = |system: &Shared, group: &[Who]| match is_planted(Planted::StaleVerdict) {
            true => verdict::condemn_by(system, group, |_, _| Some(self.graph.addresses(group))),
            false => outcome(system, group),
        };
        match outcome(system, group) {
            Outcome::Ended => {
                self.ended += group.len();
                group.iter().for_each(|who| self.graph.has_ended(*who));
            }
            Outcome::LetOff => self.doubtful.extend(group.iter().map(|who| who.id)),
        }
        group.len()
    }

    /// Whether nothing is left to be asked: nobody's return depends on it.
    fn is_over(&self) -> bool {
        self.whole == Whole::No || self.survivors().next().is_none()
    }

    /// The suspects that have not ended.
    fn survivors(&self) -> impl Iterator<Item = Suspect> + '_ {
        let nodes = (0..self.suspects).map(|at| self.graph.node(at));
        nodes
            .filter(|node| node.seen != Seen::Gone)
            .map(|node| node.who)
    }

    /// Whether it is idle, and has been since it was looked at.
    fn has_rested(&self, system: &Shared, at: usize) -> bool {
        let node = self.graph.node(at);
        let Seen::Idle { turns, .. } = node.seen else {
            return true;
        };
        let cell = system.registry.get(node.who.id, node.who.place);
        cell.is_some_and(|cell| !cell.inbox.is_active() && cell.facts.turns() == turns)
    }

    fn is_cut_off(&self) -> bool {
        self.graph.len() > self.reach.actors()
    }

    pub(super) fn findings(self) -> Findings {
        #[cfg(test)]
        let whole = match is_planted(Planted::ForgottenSuspect) {
            true => Whole::Yes,
            false => self.whole,
        };
        #[cfg(not(test))]
        let whole = self.whole;
        // What is too much even for a far look is given up.
        let all = whole == Whole::No || self.is_cut_off() && self.reach == Reach::Near;
        let again = self
            .survivors()
            .filter(|who| all || self.doubtful.contains(&who.id))
            .collect();
        Findings {
            again,
            took_ns: self.took_ns,
            looked_at: self.graph.len(),
            ended: self.ended,
        }
    }
}

/// Whether all that a state has was shown.
#[derive(PartialEq, Eq)]
pub(super) enum Shown {
    All,
    /// The user's code panicked.
    Faulty,
}

/// Hands each address of its own system that the actor shows to `body`.
pub(super) fn shown(idle: &mut Idle, mut body: impl FnMut(&AddressRef)) -> Shown {
    let system = idle.system.number;
    let mut take = |address: &AddressRef| {
        if address.system.number == system {
            body(address);
            #[cfg(test)]
            if is_planted(Planted::ShownTwice) {
                body(address);
            }
        }
    };
    match catch(|| known(&mut take, |seen| idle.acquaintances(seen))) {
        Ok(()) => Shown::All,
        Err(_) => Shown::Faulty,
    }
}

/// Whose address it is, if that actor may know others. One that knows nobody ends by its count alone.
pub(super) fn traced(address: &AddressRef) -> Option<Who> {
    address.class.is_traced.then(|| Who {
        id: address.id,
        place: address.place(),
    })
}
