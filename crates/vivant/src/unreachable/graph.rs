//! The actors that a look has met, as plain data: who knows whom, and who is kept by nobody
//! outside.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Who it is: its creation number, and where in the registry it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Who {
    pub(crate) id: u64,
    pub(crate) place: u32,
}

/// What is known of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// Somebody knows it, but it was not looked at.
    No,
    /// It is not idle, or something in itself keeps it.
    Pinned,
    /// It has ended: it knows nobody, and nobody is interested.
    Gone,
    /// It is idle, and has so many addresses.
    Idle { addresses: u32, turns: u64 },
}

pub(crate) struct Node {
    pub(crate) who: Who,
    pub(crate) seen: Seen,
    /// How many addresses of it were shown.
    pub(crate) shown: u32,
    /// Whom it knows: a range of `edges`.
    from: u32,
    to: u32,
}

/// The actors that a look has met, in the order in which it met them.
#[derive(Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    edges: Vec<u32>,
    places: Places,
}

/// So many tables, by the low bits of the number: none grows so large that to move it takes long.
const TABLES: usize = 64;

/// Where in the graph an actor is, by its number. Asked, never gone through (R5).
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

/// A hash of creation numbers, which nobody outside chooses: one multiplication (Knuth 1973, by the
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
    /// The node of this actor; a new one if nobody has met it.
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

    /// What a look at this one has found, and whom it knows.
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

    /// It is over with this one.
    pub(crate) fn has_ended(&mut self, who: Who) {
        if let Some(at) = self.places.get(who.id) {
            self.nodes[at as usize].seen = Seen::Gone;
        }
    }

    /// How many addresses each of them had.
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

    /// Whom this one knows.
    pub(crate) fn knows(&self, at: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        let node = &self.nodes[at];
        let range = node.from as usize..node.to as usize;
        self.edges[range].iter().map(|to| *to as usize)
    }

    /// Addresses of this one that nobody in the graph shows.
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
            // More are shown than there are: they were not looked at together, or one was shown
            // twice.
            Seen::Idle { addresses, .. } => addresses != self.nodes[at].shown,
        }
    }
}
