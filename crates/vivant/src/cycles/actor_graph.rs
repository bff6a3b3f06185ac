//! [`ActorGraph`]: the graph of all actors of a system at some moment, with their references.

use super::detection_pass::shown;
use super::trial_deletion::{Graph, Seen};
use super::why::KeptBy;
use crate::actor::{CellRef, OutgoingReference, Shared, Sight};
use crate::candidates::Who;
use crate::run::{Occupied, Pin};

/// All actors, and their references.
pub(super) struct ActorGraph {
    graph: Graph,
    /// For each actor those that refer to it, in order of creation.
    known_to: Vec<Vec<usize>>,
    pins: Vec<Option<KeptBy>>,
    /// Number of them that are in the registry. Others have come since.
    count: usize,
}

impl ActorGraph {
    pub(super) fn of(all: &[CellRef]) -> ActorGraph {
        let mut graph = Graph::default();
        for cell in all {
            graph.meet(who(cell.id, cell.place()));
        }
        let pins = all
            .iter()
            .enumerate()
            .map(|(at, cell)| {
                let mut knows = Vec::new();
                let (seen, pin) = look_at(cell, &mut knows);
                graph.is_seen(at, seen, &knows);
                pin
            })
            .collect();
        let count = all.len();
        let mut known_to = vec![Vec::new(); graph.len()];
        for at in 0..count {
            for other in graph.knows(at) {
                known_to[other].push(at);
            }
        }
        ActorGraph {
            graph,
            known_to,
            pins,
            count,
        }
    }

    /// Searches breadth-first from `first` to the actors that refer to them, until a root is found:
    /// the path, and what keeps the root. `asked` has one address more than without the query.
    pub(super) fn kept_by(
        &self,
        system: &Shared,
        first: &[usize],
        asked: Option<usize>,
    ) -> Option<(Vec<usize>, KeptBy)> {
        // The predecessor of each actor reached; the first ones are their own.
        let mut from = vec![None; self.graph.len()];
        first.iter().for_each(|at| from[*at] = Some(*at));
        let mut ring = first.to_vec();
        while !ring.is_empty() {
            let mut next = Vec::new();
            for at in ring {
                if let Some(by) = self.root(system, at, asked) {
                    return Some((chain(&from, at), by));
                }
                for other in &self.known_to[at] {
                    if from[*other].is_none() {
                        from[*other] = Some(at);
                        next.push(*other);
                    }
                }
            }
            next.sort_unstable();
            ring = next;
        }
        None
    }

    fn root(&self, system: &Shared, at: usize, asked: Option<usize>) -> Option<KeptBy> {
        if at >= self.count {
            return None;
        }
        if system.is_kept(self.graph.node(at).who.id) {
            return Some(KeptBy::Kept);
        }
        if let Some(by) = self.pins[at] {
            return Some(by);
        }
        let own = u32::from(Some(at) == asked);
        match self.graph.outside(at).saturating_sub(own) {
            0 => None,
            count => Some(KeptBy::Outside(count as usize)),
        }
    }
}

fn who(id: u64, place: u32) -> Who {
    Who { id, place }
}

fn look_at(cell: &CellRef, knows: &mut Vec<Who>) -> (Seen, Option<KeptBy>) {
    let mut idle = match cell.hold_idle() {
        Ok(idle) => idle,
        Err(Occupied::Active) => return (Seen::Pinned, Some(KeptBy::Running)),
        Err(Occupied::Ended) => return (Seen::Gone, Some(KeptBy::Ended)),
    };
    let by = match idle.pin() {
        Some(Pin::Messages) => Some(KeptBy::Messages),
        Some(Pin::Supervised) => Some(KeptBy::Supervised),
        None => None,
    };
    let (addresses, turns) = (idle.addresses(), idle.facts.turns());
    let take = |one: OutgoingReference| knows.push(one.who);
    if shown(&mut idle, take) == Sight::Faulty {
        knows.clear();
    }
    idle.park();
    (Seen::Idle { addresses, turns }, by)
}

/// The path from one of the first to `at`.
fn chain(from: &[Option<usize>], at: usize) -> Vec<usize> {
    let mut chain = vec![at];
    let mut next = at;
    while let Some(before) = from[next].filter(|before| *before != next) {
        chain.push(before);
        next = before;
    }
    chain.reverse();
    chain
}
