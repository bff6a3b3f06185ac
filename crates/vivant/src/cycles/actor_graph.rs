//! [`ActorGraph`]: the graph of all actors of a system at some moment, with their references.

use super::detection_pass::visit_references;
use super::trial_deletion::{Graph, NodeState};
use super::why::KeptBy;
use crate::actor::{CellRef, OutgoingReference, Shared, TraceCoverage};
use crate::candidates::ActorKey;
use crate::run::{Occupied, RootReason};

/// All actors, and their references.
pub(super) struct ActorGraph {
    graph: Graph,
    /// For each actor, the actors that refer to it, in order of creation.
    referrers: Vec<Vec<usize>>,
    root_reasons: Vec<Option<KeptBy>>,
    /// Number of them that are in the registry. Others have come since.
    count: usize,
}

impl ActorGraph {
    pub(super) fn of(all: &[CellRef]) -> ActorGraph {
        let mut graph = Graph::default();
        for cell in all {
            graph.node_of(key_of(cell.id, cell.place()));
        }
        let root_reasons = all
            .iter()
            .enumerate()
            .map(|(at, cell)| {
                let mut references = Vec::new();
                let (state, root_reason) = examine(cell, &mut references);
                graph.record(at, state, &references);
                root_reason
            })
            .collect();
        let count = all.len();
        let mut referrers = vec![Vec::new(); graph.len()];
        for at in 0..count {
            for other in graph.references(at) {
                referrers[other].push(at);
            }
        }
        ActorGraph {
            graph,
            referrers,
            root_reasons,
            count,
        }
    }

    /// Searches breadth-first from `first` to the actors that refer to them, until a root is found:
    /// the path, and what keeps the root. `queried` has one address more than without the query.
    pub(super) fn path_to_root(
        &self,
        system: &Shared,
        first: &[usize],
        queried: Option<usize>,
    ) -> Option<(Vec<usize>, KeptBy)> {
        // The predecessor of each actor reached; the first ones are their own.
        let mut from = vec![None; self.graph.len()];
        first.iter().for_each(|at| from[*at] = Some(*at));
        let mut frontier = first.to_vec();
        while !frontier.is_empty() {
            let mut next = Vec::new();
            for at in frontier {
                if let Some(by) = self.root(system, at, queried) {
                    return Some((path_from(&from, at), by));
                }
                for other in &self.referrers[at] {
                    if from[*other].is_none() {
                        from[*other] = Some(at);
                        next.push(*other);
                    }
                }
            }
            next.sort_unstable();
            frontier = next;
        }
        None
    }

    fn root(&self, system: &Shared, at: usize, queried: Option<usize>) -> Option<KeptBy> {
        if at >= self.count {
            return None;
        }
        if system.is_kept(self.graph.node(at).key.id) {
            return Some(KeptBy::Kept);
        }
        if let Some(by) = self.root_reasons[at] {
            return Some(by);
        }
        let own = u32::from(Some(at) == queried);
        match self.graph.external(at).saturating_sub(own) {
            0 => None,
            count => Some(KeptBy::Outside(count as usize)),
        }
    }
}

fn key_of(id: u64, place: u32) -> ActorKey {
    ActorKey { id, place }
}

fn examine(cell: &CellRef, references: &mut Vec<ActorKey>) -> (NodeState, Option<KeptBy>) {
    let mut idle = match cell.hold_idle() {
        Ok(idle) => idle,
        Err(Occupied::Active) => return (NodeState::Root, Some(KeptBy::Running)),
        Err(Occupied::Ended) => return (NodeState::Ended, Some(KeptBy::Ended)),
    };
    let by = match idle.root_reason() {
        Some(RootReason::Messages) => Some(KeptBy::Messages),
        Some(RootReason::Supervised) => Some(KeptBy::Supervised),
        None => None,
    };
    let (addresses, turns) = (idle.addresses(), idle.facts.turns());
    let take = |one: OutgoingReference| references.push(one.who);
    if visit_references(&mut idle, take) == TraceCoverage::Faulty {
        references.clear();
    }
    idle.park();
    (NodeState::Idle { addresses, turns }, by)
}

/// The path from one of the first to `at`.
fn path_from(from: &[Option<usize>], at: usize) -> Vec<usize> {
    let mut path = vec![at];
    let mut next = at;
    while let Some(before) = from[next].filter(|before| *before != next) {
        path.push(before);
        next = before;
    }
    path.reverse();
    path
}
