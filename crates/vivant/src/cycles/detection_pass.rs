//! A detection pass: examines some cycle candidates and all actors reachable from them. In pieces,
//! each between two runs of a worker.

use super::commit::{CommitOutcome, GroupCommit};
use super::trial_deletion::{DeletionProgress, Graph, NodeState, TrialDeletion};
use crate::actor::TraceCoverage;
use crate::actor::{OutgoingReference, Runnable, Shared, known};
use crate::candidates::{Candidate, PassLimit, PassResult};
use crate::failures::catch;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::run::{Idle, Occupied, RootReason};
use std::collections::{BTreeSet, VecDeque};

/// Actors examined, or ended, in one piece: it takes some ten microseconds.
const PIECE_ACTORS: usize = if cfg!(test) { 2 } else { 128 };

/// Whether a pass is over.
pub(super) enum PassProgress {
    More,
    Done,
}

/// A running pass.
pub(super) struct DetectionPass {
    graph: Graph,
    /// Number of candidates: the first nodes of the graph.
    candidates: usize,
    limit: PassLimit,
    examined: usize,
    coverage: Coverage,
    stage: PassStage,
    /// Whether the examined states form a consistent cut of all actors (U5).
    cut: Cut,
    /// Number of actors found to be unreachable.
    ended: usize,
    /// The dying actors that have not run since, in the order of their commits.
    dying: VecDeque<Idle>,
    /// Numbers of actors in groups that the graph found unreachable, with an aborted commit.
    aborted: BTreeSet<u64>,
    pub(super) took_ns: u64,
}

/// Whether all actors reachable from the candidates were examined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coverage {
    Complete,
    Truncated,
}

enum PassStage {
    /// A stack of reached actors; the last one is examined next: so one candidate is finished
    /// before the next.
    Scanning(Vec<usize>),
    /// Groups are found, and each is committed or aborted before the next.
    Committing(Box<TrialDeletion>, Option<GroupCommit>),
    /// Whether this actor has run since is tested next.
    Validating(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Consistent,
    Inconsistent,
}

impl DetectionPass {
    pub(super) fn new(candidates: &[Candidate], limit: PassLimit) -> DetectionPass {
        let mut graph = Graph::default();
        for candidate in candidates {
            graph.node_of(*candidate);
        }
        DetectionPass {
            candidates: graph.len(),
            stage: PassStage::Scanning((0..graph.len()).rev().collect()),
            graph,
            limit,
            examined: 0,
            coverage: Coverage::Complete,
            cut: Cut::Consistent,
            ended: 0,
            dying: VecDeque::new(),
            aborted: BTreeSet::new(),
            took_ns: 0,
        }
    }

    /// Runs the next piece: the actors that are to end now, and whether the pass is over.
    pub(super) fn run_piece(&mut self, system: &Shared) -> (Vec<Runnable>, PassProgress) {
        let mut progress = PassProgress::More;
        if self.dying.is_empty() {
            progress = self.step(system);
        }
        let now = self.dying.len().min(PIECE_ACTORS);
        let dying = self.dying.drain(..now).map(Idle::ends).collect();
        match progress {
            PassProgress::Done if self.dying.is_empty() => (dying, PassProgress::Done),
            _ => (dying, PassProgress::More),
        }
    }

    /// Ends this pass early: all dying actors.
    pub(super) fn abort(self) -> impl Iterator<Item = Runnable> {
        if let PassStage::Committing(_, Some(commit)) = self.stage {
            commit.abort();
        }
        self.dying.into_iter().map(Idle::ends)
    }

    fn step(&mut self, system: &Shared) -> PassProgress {
        let mut left = PIECE_ACTORS;
        while left > 0 {
            match &mut self.stage {
                PassStage::Scanning(stack) => {
                    let next = stack.pop();
                    left = left.saturating_sub(self.scan_next(system, next));
                }
                PassStage::Committing(_, Some(commit)) => {
                    let outcome = commit.run_piece(system, &mut left);
                    if let Some(outcome) = outcome {
                        self.end_commit(outcome);
                    }
                }
                PassStage::Committing(deletion, None) => {
                    match deletion.run_piece(&self.graph, &mut left) {
                        DeletionProgress::More => {}
                        DeletionProgress::Group(group) => self.begin_commit(group),
                        DeletionProgress::Done if self.is_decided() => return PassProgress::Done,
                        DeletionProgress::Done => self.stage = PassStage::Validating(0),
                    }
                }
                PassStage::Validating(at) if *at == self.graph.len() => return PassProgress::Done,
                PassStage::Validating(at) => {
                    let next = *at;
                    *at += 1;
                    left -= 1;
                    if !self.stayed_idle(system, next) {
                        self.cut = Cut::Inconsistent;
                        return PassProgress::Done;
                    }
                }
            }
        }
        PassProgress::More
    }

    /// Examines the next actor, if there is one; returns the cost.
    fn scan_next(&mut self, system: &Shared, next: Option<usize>) -> usize {
        if next.is_some() && self.examined == self.limit.actors() {
            self.coverage = Coverage::Truncated;
        }
        let Some(at) = next.filter(|_| self.examined < self.limit.actors()) else {
            self.stage = PassStage::Committing(Box::new(TrialDeletion::of(&self.graph)), None);
            return 1;
        };
        self.examined += 1;
        let before = self.graph.len();
        let cost = self.scan(system, at);
        if let PassStage::Scanning(stack) = &mut self.stage {
            stack.extend((before..self.graph.len()).rev());
        }
        cost
    }

    /// Examines an actor; returns the cost.
    fn scan(&mut self, system: &Shared, at: usize) -> usize {
        let key = self.graph.node(at).key;
        let mut references = Vec::new();
        let state = match system.actor(key.id, key.place) {
            None => NodeState::Ended,
            Some(cell) => {
                if at < self.candidates {
                    cell.clear_candidate();
                }
                match cell.hold_idle() {
                    Ok(mut idle) => {
                        let state = self.examine(&mut idle, &mut references);
                        idle.park();
                        state
                    }
                    Err(Occupied::Ended) => NodeState::Ended,
                    Err(Occupied::Active) => {
                        self.cut = Cut::Inconsistent;
                        NodeState::Root
                    }
                }
            }
        };
        self.graph.record(at, state, &references);
        1 + references.len() / 8
    }

    fn examine(&mut self, idle: &mut Idle, references: &mut Vec<Candidate>) -> NodeState {
        match idle.root_reason() {
            Some(RootReason::Supervised) => return NodeState::Root,
            Some(RootReason::Messages) => {
                self.cut = Cut::Inconsistent;
                return NodeState::Root;
            }
            None => {}
        }
        // Before the state, so that an address lost meanwhile is not counted twice.
        let (addresses, turns) = (idle.addresses(), idle.facts.turns());
        let traced = visit_references(idle, |one| {
            references.extend(one.is_traced.then_some(one.who))
        });
        if traced == TraceCoverage::Some {
            self.cut = Cut::Inconsistent;
        }
        match traced {
            TraceCoverage::All | TraceCoverage::Some
                if self.graph.len() + references.len() > 2 * self.limit.actors() =>
            {
                self.coverage = Coverage::Truncated;
                references.clear();
                NodeState::Root
            }
            TraceCoverage::All | TraceCoverage::Some => NodeState::Idle { addresses, turns },
            TraceCoverage::Faulty => {
                references.clear();
                NodeState::Root
            }
        }
    }

    fn begin_commit(&mut self, group: Vec<Candidate>) {
        #[cfg(test)]
        let stale = is_planted(InjectedFault::StaleCommit).then(|| self.graph.addresses(&group));
        #[cfg_attr(not(test), allow(unused_mut, reason = "faults are injected in tests"))]
        let mut commit = GroupCommit::of(group);
        #[cfg(test)]
        if let Some(stale) = stale {
            commit.use_stale_counts(stale);
        }
        if let PassStage::Committing(_, place) = &mut self.stage {
            *place = Some(commit);
        }
    }

    fn end_commit(&mut self, outcome: CommitOutcome) {
        let PassStage::Committing(_, commit) = &mut self.stage else {
            return;
        };
        let Some(commit) = commit.take() else { return };
        let group = commit.group();
        match outcome {
            CommitOutcome::Committed(actors) => {
                self.dying.extend(actors);
                self.ended += group.len();
                group.iter().for_each(|key| self.graph.mark_ended(*key));
            }
            CommitOutcome::Aborted => self.aborted.extend(group.iter().map(|key| key.id)),
        }
    }

    /// Whether no further test is needed: no candidate is to be examined again because of it.
    fn is_decided(&self) -> bool {
        self.cut == Cut::Inconsistent || self.survivors().next().is_none()
    }

    /// The candidates that have not ended.
    fn survivors(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.candidates).filter(|at| self.graph.node(*at).state != NodeState::Ended)
    }

    /// Whether it is idle, and has been since it was examined.
    fn stayed_idle(&self, system: &Shared, at: usize) -> bool {
        let node = self.graph.node(at);
        let NodeState::Idle { turns, .. } = node.state else {
            return true;
        };
        let cell = system.actor(node.key.id, node.key.place);
        cell.is_some_and(|cell| !cell.inbox.is_active() && cell.facts.turns() == turns)
    }

    pub(super) fn into_result(self) -> PassResult {
        #[cfg(test)]
        let cut = match is_planted(InjectedFault::ForgottenCandidate) {
            true => Cut::Consistent,
            false => self.cut,
        };
        #[cfg(not(test))]
        let cut = self.cut;
        // Candidates beyond even a far pass are dropped.
        let all = cut == Cut::Inconsistent
            || self.coverage == Coverage::Truncated && self.limit == PassLimit::Normal;
        let (unexamined, examined): (Vec<usize>, Vec<usize>) = self
            .survivors()
            .partition(|at| self.graph.node(*at).state == NodeState::Unexamined);
        let key = |at: usize| self.graph.node(at).key;
        let is_open = |key: &Candidate| all || self.aborted.contains(&key.id);
        PassResult {
            unexamined: unexamined.into_iter().map(key).collect(),
            undecided: examined.into_iter().map(key).filter(is_open).collect(),
            took_ns: self.took_ns,
            examined: self.examined,
            unreachable: self.ended,
        }
    }
}

/// Passes each address of its own system that the actor shows to `body`.
pub(super) fn visit_references(
    idle: &mut Idle,
    mut body: impl FnMut(OutgoingReference),
) -> TraceCoverage {
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
    catch(|| known(&mut take, |seen| idle.outgoing_references(seen)))
        .unwrap_or(TraceCoverage::Faulty)
}
