//! Trial deletion (Bacon and Rajan) on the graph of a detection pass: finds the actors that no root
//! reaches, and their groups. The graph is plain data, and so is the result.

use super::disjoint_sets::DisjointSets;
use crate::candidates::ActorKey;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What a pass has found out about an actor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NodeState {
    /// Referenced, but not examined.
    Unexamined,
    /// It is not idle, or is a root by itself.
    Root,
    /// It has ended: it has no references and needs no commit.
    Ended,
    /// It is idle; its number of addresses and of turns.
    Idle { addresses: u32, turns: u64 },
}

pub(crate) struct Node {
    pub(crate) key: ActorKey,
    pub(crate) state: NodeState,
    /// Number of addresses of it that were shown.
    pub(crate) shown: u32,
    /// Its outgoing references: a range of `edges`.
    from: u32,
    to: u32,
}

/// The actors that a pass has reached, in that order.
#[derive(Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    edges: Vec<u32>,
    index: NodeIndex,
}

/// Number of tables, selected by the low bits of the number: so none grows so large that moving it
/// takes long.
const TABLES: usize = 64;

/// Index of an actor in the graph, by its number. Looked up, never iterated over (R5).
#[derive(Default)]
struct NodeIndex(Vec<HashMap<u64, u32, BuildHasherDefault<IdHasher>>>);

impl NodeIndex {
    fn at(&mut self, id: u64, next: u32) -> u32 {
        if self.0.is_empty() {
            self.0.resize_with(TABLES, HashMap::default);
        }
        *self.0[id as usize % TABLES].entry(id).or_insert(next)
    }

    fn get(&self, id: u64) -> Option<u32> {
        self.0.get(id as usize % TABLES)?.get(&id).copied()
    }
}

/// A hash of creation numbers, which users cannot choose: one multiplication (Knuth 1973, by the
/// golden ratio).
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        let product = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Graph {
    /// The node of this actor; a new one if the pass has not reached it before.
    pub(crate) fn node_of(&mut self, key: ActorKey) -> usize {
        let next = self.nodes.len() as u32;
        let at = self.index.at(key.id, next);
        if at == next {
            self.nodes.push(Node {
                key,
                state: NodeState::Unexamined,
                shown: 0,
                from: 0,
                to: 0,
            });
        }
        at as usize
    }

    /// Records the examination of this actor, and its outgoing references.
    pub(crate) fn record(&mut self, at: usize, state: NodeState, references: &[ActorKey]) {
        let from = self.edges.len() as u32;
        for key in references {
            let to = self.node_of(*key);
            self.nodes[to].shown += 1;
            self.edges.push(to as u32);
        }
        let to = self.edges.len() as u32;
        let node = &mut self.nodes[at];
        (node.state, node.from, node.to) = (state, from, to);
    }

    /// Records that this actor has ended.
    pub(crate) fn mark_ended(&mut self, key: ActorKey) {
        if let Some(at) = self.index.get(key.id) {
            self.nodes[at as usize].state = NodeState::Ended;
        }
    }

    /// The number of addresses of each of them.
    #[cfg(test)]
    pub(crate) fn addresses(&self, group: &[ActorKey]) -> Vec<u32> {
        let of = |key: &ActorKey| match self
            .index
            .get(key.id)
            .map(|at| self.node(at as usize).state)
        {
            Some(NodeState::Idle { addresses, .. }) => addresses,
            _ => 0,
        };
        group.iter().map(of).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    /// The actors that this one refers to.
    pub(crate) fn references(&self, at: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        let node = &self.nodes[at];
        let range = node.from as usize..node.to as usize;
        self.edges[range].iter().map(|to| *to as usize)
    }

    /// Number of addresses of this actor that no actor in the graph shows.
    pub(crate) fn external(&self, at: usize) -> u32 {
        match self.nodes[at].state {
            NodeState::Idle { addresses, .. } => addresses.saturating_sub(self.nodes[at].shown),
            _ => 0,
        }
    }

    /// Whether something other than the actors here keeps it, or may.
    pub(super) fn is_root(&self, at: usize) -> bool {
        match self.nodes[at].state {
            NodeState::Unexamined | NodeState::Root => true,
            NodeState::Ended => false,
            // More are shown than exist: the states were not examined at the same moment, or one
            // was shown twice.
            NodeState::Idle { addresses, .. } => addresses != self.nodes[at].shown,
        }
    }
}

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
