//! A detection pass: examines some cycle candidates and all actors reachable from them. In pieces,
//! each between two runs of a worker.

use super::commit::{Case, Outcome};
use super::trial_deletion::{Found, Graph, Seen, TrialDeletion};
use crate::actor::Sight;
use crate::actor::{OutgoingReference, Runnable, Shared, known};
use crate::candidates::{Candidate, Findings, Reach};
use crate::failures::catch;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::run::{Idle, Occupied, Pin};
use std::collections::{BTreeSet, VecDeque};

/// Actors examined, or ended, in one piece: it takes some ten microseconds.
const PIECE: usize = if cfg!(test) { 2 } else { 128 };

/// Whether a pass is over.
pub(super) enum Progress {
    More,
    Done,
}

/// A running pass.
pub(super) struct DetectionPass {
    graph: Graph,
    /// Number of candidates: the first nodes of the graph.
    candidates: usize,
    reach: Reach,
    looked_at: usize,
    end: End,
    stage: Stage,
    /// Whether one state of all actors was seen (U5).
    whole: Whole,
    /// Number of actors found to be unreachable.
    ended: usize,
    /// The dying actors that have not run since, in the order of their verdicts.
    ending: VecDeque<Idle>,
    /// Numbers of actors in groups that the graph found unreachable, with an aborted verdict.
    doubtful: BTreeSet<u64>,
    pub(super) took_ns: u64,
}

/// Whether all actors reachable from the candidates were examined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    All,
    CutOff,
}

enum Stage {
    /// A stack of reached actors; the last one is examined next: so one candidate is finished
    /// before the next.
    Looking(Vec<usize>),
    /// Groups are found, and each has its verdict before the next.
    Judging(Box<TrialDeletion>, Option<Case>),
    /// Whether this actor has run since is tested next.
    Checking(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

impl DetectionPass {
    pub(super) fn at(candidates: &[Candidate], reach: Reach) -> DetectionPass {
        let mut graph = Graph::default();
        for candidate in candidates {
            graph.meet(*candidate);
        }
        DetectionPass {
            candidates: graph.len(),
            stage: Stage::Looking((0..graph.len()).rev().collect()),
            graph,
            reach,
            looked_at: 0,
            end: End::All,
            whole: Whole::Yes,
            ended: 0,
            ending: VecDeque::new(),
            doubtful: BTreeSet::new(),
            took_ns: 0,
        }
    }

    /// Runs the next piece: the actors that are to end now, and whether the pass is over.
    pub(super) fn goes_on(&mut self, system: &Shared) -> (Vec<Runnable>, Progress) {
        let mut progress = Progress::More;
        if self.ending.is_empty() {
            progress = self.looks(system);
        }
        let now = self.ending.len().min(PIECE);
        let ending = self.ending.drain(..now).map(Idle::ends).collect();
        match progress {
            Progress::Done if self.ending.is_empty() => (ending, Progress::Done),
            _ => (ending, Progress::More),
        }
    }

    /// Ends this pass early: all dying actors.
    pub(super) fn breaks_off(self) -> impl Iterator<Item = Runnable> {
        if let Stage::Judging(_, Some(case)) = self.stage {
            case.breaks_off();
        }
        self.ending.into_iter().map(Idle::ends)
    }

    fn looks(&mut self, system: &Shared) -> Progress {
        let mut left = PIECE;
        while left > 0 {
            match &mut self.stage {
                Stage::Looking(met) => {
                    let next = met.pop();
                    left = left.saturating_sub(self.looks_on(system, next));
                }
                Stage::Judging(_, Some(case)) => {
                    let outcome = case.goes_on(system, &mut left);
                    if let Some(outcome) = outcome {
                        self.is_judged(outcome);
                    }
                }
                Stage::Judging(deletion, None) => match deletion.goes_on(&self.graph, &mut left) {
                    Found::More => {}
                    Found::Group(group) => self.judges(group),
                    Found::All if self.is_over() => return Progress::Done,
                    Found::All => self.stage = Stage::Checking(0),
                },
                Stage::Checking(at) if *at == self.graph.len() => return Progress::Done,
                Stage::Checking(at) => {
                    let next = *at;
                    *at += 1;
                    left -= 1;
                    if !self.has_rested(system, next) {
                        self.whole = Whole::No;
                        return Progress::Done;
                    }
                }
            }
        }
        Progress::More
    }

    /// Examines the next actor, if there is one; returns the cost.
    fn looks_on(&mut self, system: &Shared, next: Option<usize>) -> usize {
        if next.is_some() && self.looked_at == self.reach.actors() {
            self.end = End::CutOff;
        }
        let Some(at) = next.filter(|_| self.looked_at < self.reach.actors()) else {
            self.stage = Stage::Judging(Box::new(TrialDeletion::of(&self.graph)), None);
            return 1;
        };
        self.looked_at += 1;
        let before = self.graph.len();
        let cost = self.look_at(system, at);
        if let Stage::Looking(met) = &mut self.stage {
            met.extend((before..self.graph.len()).rev());
        }
        cost
    }

    /// Examines an actor; returns the cost.
    fn look_at(&mut self, system: &Shared, at: usize) -> usize {
        let who = self.graph.node(at).who;
        let mut knows = Vec::new();
        let seen = match system.actor(who.id, who.place) {
            None => Seen::Gone,
            Some(cell) => {
                if at < self.candidates {
                    cell.clear_candidate();
                }
                match cell.hold_idle() {
                    Ok(mut idle) => {
                        let seen = self.looks_into(&mut idle, &mut knows);
                        idle.park();
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

    fn looks_into(&mut self, idle: &mut Idle, knows: &mut Vec<Candidate>) -> Seen {
        match idle.pin() {
            Some(Pin::Supervised) => return Seen::Pinned,
            Some(Pin::Messages) => {
                self.whole = Whole::No;
                return Seen::Pinned;
            }
            None => {}
        }
        // Before the state, so that an address lost meanwhile is not counted twice.
        let (addresses, turns) = (idle.addresses(), idle.facts.turns());
        let sight = shown(idle, |one| knows.extend(one.is_traced.then_some(one.who)));
        if sight == Sight::Some {
            self.whole = Whole::No;
        }
        match sight {
            Sight::All | Sight::Some
                if self.graph.len() + knows.len() > 2 * self.reach.actors() =>
            {
                self.end = End::CutOff;
                knows.clear();
                Seen::Pinned
            }
            Sight::All | Sight::Some => Seen::Idle { addresses, turns },
            Sight::Faulty => {
                knows.clear();
                Seen::Pinned
            }
        }
    }

    fn judges(&mut self, group: Vec<Candidate>) {
        #[cfg(test)]
        let stale = is_planted(InjectedFault::StaleVerdict).then(|| self.graph.addresses(&group));
        #[cfg_attr(not(test), allow(unused_mut, reason = "bugs are planted in tests"))]
        let mut case = Case::of(group);
        #[cfg(test)]
        if let Some(stale) = stale {
            case.trusts(stale);
        }
        if let Stage::Judging(_, place) = &mut self.stage {
            *place = Some(case);
        }
    }

    fn is_judged(&mut self, outcome: Outcome) {
        let Stage::Judging(_, case) = &mut self.stage else {
            return;
        };
        let Some(case) = case.take() else { return };
        let group = case.group();
        match outcome {
            Outcome::End(actors) => {
                self.ending.extend(actors);
                self.ended += group.len();
                group.iter().for_each(|who| self.graph.has_ended(*who));
            }
            Outcome::LetOff => self.doubtful.extend(group.iter().map(|who| who.id)),
        }
    }

    /// Whether no further test is needed: no candidate is to be examined again because of it.
    fn is_over(&self) -> bool {
        self.whole == Whole::No || self.survivors().next().is_none()
    }

    /// The candidates that have not ended.
    fn survivors(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.candidates).filter(|at| self.graph.node(*at).seen != Seen::Gone)
    }

    /// Whether it is idle, and has been since it was examined.
    fn has_rested(&self, system: &Shared, at: usize) -> bool {
        let node = self.graph.node(at);
        let Seen::Idle { turns, .. } = node.seen else {
            return true;
        };
        let cell = system.actor(node.who.id, node.who.place);
        cell.is_some_and(|cell| !cell.inbox.is_active() && cell.facts.turns() == turns)
    }

    pub(super) fn findings(self) -> Findings {
        #[cfg(test)]
        let whole = match is_planted(InjectedFault::ForgottenSuspect) {
            true => Whole::Yes,
            false => self.whole,
        };
        #[cfg(not(test))]
        let whole = self.whole;
        // Candidates beyond even a far pass are dropped.
        let all = whole == Whole::No || self.end == End::CutOff && self.reach == Reach::Near;
        let (left, looked_at): (Vec<usize>, Vec<usize>) = self
            .survivors()
            .partition(|at| self.graph.node(*at).seen == Seen::No);
        let who = |at: usize| self.graph.node(at).who;
        let is_open = |who: &Candidate| all || self.doubtful.contains(&who.id);
        Findings {
            left: left.into_iter().map(who).collect(),
            again: looked_at.into_iter().map(who).filter(is_open).collect(),
            took_ns: self.took_ns,
            looked_at: self.looked_at,
            ended: self.ended,
        }
    }
}

/// Passes each address of its own system that the actor shows to `body`.
pub(super) fn shown(idle: &mut Idle, mut body: impl FnMut(OutgoingReference)) -> Sight {
    let system = idle.system.number;
    let mut take = |one: OutgoingReference| {
        if one.system == system {
            body(one);
            #[cfg(test)]
            if is_planted(InjectedFault::ShownTwice) {
                body(one);
            }
        }
    };
    catch(|| known(&mut take, |seen| idle.outgoing_references(seen))).unwrap_or(Sight::Faulty)
}
