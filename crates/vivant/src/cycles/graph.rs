//! The actors that a detection pass has reached, as plain data: their references, and which have no
//! reference from outside.

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
