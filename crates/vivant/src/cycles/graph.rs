//! The actors that a detection pass has reached, as plain data: their references, and which have no
//! reference from outside.

use crate::candidates::Who;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What a pass has found out about an actor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// Referenced, but not examined.
    No,
    /// It is not idle, or is a root by itself.
    Pinned,
    /// It has ended: it has no references and needs no verdict.
    Gone,
    /// It is idle; its number of addresses and of turns.
    Idle { addresses: u32, turns: u64 },
}

pub(crate) struct Node {
    pub(crate) who: Who,
    pub(crate) seen: Seen,
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
    places: Places,
}

/// Number of tables, selected by the low bits of the number: so none grows so large that moving it
/// takes long.
const TABLES: usize = 64;

/// Index of an actor in the graph, by its number. Looked up, never iterated over (R5).
#[derive(Default)]
struct Places(Vec<HashMap<u64, u32, BuildHasherDefault<Numbers>>>);

impl Places {
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
struct Numbers(u64);

impl Hasher for Numbers {
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
    pub(crate) fn meet(&mut self, who: Who) -> usize {
        let next = self.nodes.len() as u32;
        let at = self.places.at(who.id, next);
        if at == next {
            self.nodes.push(Node {
                who,
                seen: Seen::No,
                shown: 0,
                from: 0,
                to: 0,
            });
        }
        at as usize
    }

    /// Records the examination of this actor, and its outgoing references.
    pub(crate) fn is_seen(&mut self, at: usize, seen: Seen, knows: &[Who]) {
        let from = self.edges.len() as u32;
        for who in knows {
            let to = self.meet(*who);
            self.nodes[to].shown += 1;
            self.edges.push(to as u32);
        }
        let to = self.edges.len() as u32;
        let node = &mut self.nodes[at];
        (node.seen, node.from, node.to) = (seen, from, to);
    }

    /// Records that this actor has ended.
    pub(crate) fn has_ended(&mut self, who: Who) {
        if let Some(at) = self.places.get(who.id) {
            self.nodes[at as usize].seen = Seen::Gone;
        }
    }

    /// The number of addresses of each of them.
    #[cfg(test)]
    pub(crate) fn addresses(&self, group: &[Who]) -> Vec<u32> {
        let of = |who: &Who| match self
            .places
            .get(who.id)
            .map(|at| self.node(at as usize).seen)
        {
            Some(Seen::Idle { addresses, .. }) => addresses,
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
    pub(crate) fn knows(&self, at: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        let node = &self.nodes[at];
        let range = node.from as usize..node.to as usize;
        self.edges[range].iter().map(|to| *to as usize)
    }

    /// Number of addresses of this actor that no actor in the graph shows.
    pub(crate) fn outside(&self, at: usize) -> u32 {
        match self.nodes[at].seen {
            Seen::Idle { addresses, .. } => addresses.saturating_sub(self.nodes[at].shown),
            _ => 0,
        }
    }

    /// Whether something other than the actors here keeps it, or may.
    pub(super) fn is_root(&self, at: usize) -> bool {
        match self.nodes[at].seen {
            Seen::No | Seen::Pinned => true,
            Seen::Gone => false,
            // More are shown than exist: the states were not examined at the same moment, or one
            // was shown twice.
            Seen::Idle { addresses, .. } => addresses != self.nodes[at].shown,
        }
    }
}
