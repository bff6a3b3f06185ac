//! Trial deletion (Bacon and Rajan): finds the actors of a graph that no root reaches, and their
//! groups. A few actors at a time.

use super::graph::{Graph, NodeState};
use crate::candidates::ActorKey;

/// Steps of trial deletion that cost as much as the examination of one actor.
const STEPS_PER_COST: usize = if cfg!(test) { 1 } else { 16 };

/// End of a list.
const NONE: u32 = u32::MAX;

/// A running trial deletion.
pub(super) struct TrialDeletion {
    reachability: Vec<Reachability>,
    /// Kept actors; the actors that they refer to are not marked as kept yet.
    mark_stack: Vec<usize>,
    groups: DisjointSets,
    /// For each free actor: the next of its group, in the order in which the pass reached them.
    next: Vec<u32>,
    /// For the first actor of a group: the last one so far.
    last: Vec<u32>,
    step: DeletionStep,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reachability {
    /// No root that reaches it was found.
    Unreached,
    /// A root reaches it, or it was not examined.
    Reached,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeletionStep {
    /// Whether this actor is a root is tested next.
    FindRoots(usize),
    /// Open actors keep those that they refer to.
    Propagate,
    /// This actor is joined next with those that it refers to.
    JoinGroups(usize),
    /// This actor is appended next to the list of its group.
    ListGroups(usize),
    /// This actor is tested next for being the first of a group to return.
    ReturnGroups(usize),
}

/// Result of a piece.
pub(super) enum DeletionProgress {
    More,
    /// No other actor refers to these, and they are connected; in order of creation.
    Group(Vec<ActorKey>),
    Done,
}

impl TrialDeletion {
    pub(super) fn of(graph: &Graph) -> TrialDeletion {
        let reachability = Vec::with_capacity(graph.len());
        TrialDeletion {
            reachability,
            mark_stack: Vec::new(),
            groups: DisjointSets::default(),
            next: Vec::new(),
            last: Vec::new(),
            step: DeletionStep::FindRoots(0),
        }
    }

    /// Continues for about `left` examinations of an actor, which it subtracts from `left`, or up
    /// to the next group.
    pub(super) fn run_piece(&mut self, graph: &Graph, left: &mut usize) -> DeletionProgress {
        while *left > 0 {
            let mut cost = 0;
            for _ in 0..STEPS_PER_COST {
                match self.step_once(graph) {
                    DeletionProgress::More => {}
                    DeletionProgress::Group(group) => {
                        *left -= 1;
                        return DeletionProgress::Group(group);
                    }
                    DeletionProgress::Done => return DeletionProgress::Done,
                }
                cost += self.step_cost(graph);
            }
            *left = left.saturating_sub(1 + cost / STEPS_PER_COST);
        }
        DeletionProgress::More
    }

    /// Number of outgoing references of the next actor: they make its step longer.
    fn step_cost(&self, graph: &Graph) -> usize {
        match self.step {
            DeletionStep::JoinGroups(at) if at < graph.len() => graph.references(at).len(),
            DeletionStep::Propagate => self
                .mark_stack
                .last()
                .map_or(0, |at| graph.references(*at).len()),
            _ => 0,
        }
    }

    /// A step about one actor.
    fn step_once(&mut self, graph: &Graph) -> DeletionProgress {
        match self.step {
            DeletionStep::FindRoots(at) if at == graph.len() => self.step = DeletionStep::Propagate,
            DeletionStep::FindRoots(at) => {
                let reached = match graph.is_root(at) || graph.node(at).state == NodeState::Ended {
                    true => Reachability::Reached,
                    false => Reachability::Unreached,
                };
                self.reachability.push(reached);
                self.mark_stack.extend(graph.is_root(at).then_some(at));
                self.groups.add();
                self.next.push(NONE);
                self.last.push(NONE);
                self.step = DeletionStep::FindRoots(at + 1);
            }
            DeletionStep::Propagate => match self.mark_stack.pop() {
                None => self.step = DeletionStep::JoinGroups(0),
                Some(at) => self.mark_references(graph, at),
            },
            DeletionStep::JoinGroups(at) if at == graph.len() => {
                self.step = DeletionStep::ListGroups(0)
            }
            DeletionStep::JoinGroups(at) => {
                if self.is_unreached(at) {
                    for other in graph
                        .references(at)
                        .filter(|other| self.reachability[*other] == Reachability::Unreached)
                    {
                        self.groups.union(at, other);
                    }
                }
                self.step = DeletionStep::JoinGroups(at + 1);
            }
            DeletionStep::ListGroups(at) if at == graph.len() => {
                self.step = DeletionStep::ReturnGroups(0)
            }
            DeletionStep::ListGroups(at) => {
                if self.is_unreached(at) {
                    self.append_to_group(at);
                }
                self.step = DeletionStep::ListGroups(at + 1);
            }
            DeletionStep::ReturnGroups(at) if at == graph.len() => return DeletionProgress::Done,
            DeletionStep::ReturnGroups(at) => {
                self.step = DeletionStep::ReturnGroups(at + 1);
                if self.is_unreached(at) && self.groups.find(at) == at {
                    return DeletionProgress::Group(self.group(graph, at));
                }
            }
        }
        DeletionProgress::More
    }

    fn is_unreached(&self, at: usize) -> bool {
        self.reachability[at] == Reachability::Unreached
    }

    fn mark_references(&mut self, graph: &Graph, at: usize) {
        for other in graph.references(at) {
            if self.reachability[other] == Reachability::Unreached {
                self.reachability[other] = Reachability::Reached;
                self.mark_stack.push(other);
            }
        }
    }

    /// Appends the actor to the list of its group, of which the first is the one reached first.
    fn append_to_group(&mut self, at: usize) {
        let first = self.groups.find(at);
        if first != at {
            let last = match self.last[first] {
                NONE => first,
                last => last as usize,
            };
            self.next[last] = at as u32;
            self.last[first] = at as u32;
        }
    }

    fn group(&self, graph: &Graph, first: usize) -> Vec<ActorKey> {
        let mut group = vec![graph.node(first).key];
        let mut at = self.next[first];
        while at != NONE {
            group.push(graph.node(at as usize).key);
            at = self.next[at as usize];
        }
        group.sort_unstable_by_key(|key| key.id);
        group
    }
}

/// Disjoint sets (Tarjan 1975), by path halving. The first of a set is the element with the lowest
/// number.
#[derive(Default)]
struct DisjointSets(Vec<u32>);

impl DisjointSets {
    fn add(&mut self) {
        self.0.push(self.0.len() as u32);
    }

    fn find(&mut self, at: usize) -> usize {
        let mut at = at as u32;
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at as usize
    }

    fn union(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        let (low, high) = (one.min(other), one.max(other));
        self.0[high] = low as u32;
    }
}
