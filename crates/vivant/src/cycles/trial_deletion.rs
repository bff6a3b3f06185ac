//! Trial deletion (Bacon and Rajan) on the graph of a detection pass: finds the actors that no root
//! reaches, and their groups. The graph is plain data, and so is the result.

use super::disjoint_sets::DisjointSets;
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

/// Steps of trial deletion that cost as much as the examination of one actor.
const STRIDE: usize = if cfg!(test) { 1 } else { 16 };

/// End of a list.
const NONE: u32 = u32::MAX;

/// A running trial deletion.
pub(super) struct TrialDeletion {
    fates: Vec<Fate>,
    /// Kept actors; the actors that they refer to are not marked as kept yet.
    open: Vec<usize>,
    groups: DisjointSets,
    /// For each free actor: the next of its group, in the order in which the pass reached them.
    next: Vec<u32>,
    /// For the first actor of a group: the last one so far.
    last: Vec<u32>,
    step: Step,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// No root that reaches it was found.
    Free,
    /// A root reaches it, or it was not examined.
    Kept,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Whether this actor is a root is tested next.
    Roots(usize),
    /// Open actors keep those that they refer to.
    Keeping,
    /// This actor is joined next with those that it refers to.
    Joining(usize),
    /// This actor is appended next to the list of its group.
    Listing(usize),
    /// This actor is tested next for being the first of a group to return.
    HandingOut(usize),
}

/// Result of a piece.
pub(super) enum Found {
    More,
    /// No other actor refers to these, and they are connected; in order of creation.
    Group(Vec<Who>),
    All,
}

impl TrialDeletion {
    pub(super) fn of(graph: &Graph) -> TrialDeletion {
        let fates = Vec::with_capacity(graph.len());
        TrialDeletion {
            fates,
            open: Vec::new(),
            groups: DisjointSets::default(),
            next: Vec::new(),
            last: Vec::new(),
            step: Step::Roots(0),
        }
    }

    /// Continues for about `left` examinations of an actor, which it subtracts from `left`, or up
    /// to the next group.
    pub(super) fn goes_on(&mut self, graph: &Graph, left: &mut usize) -> Found {
        while *left > 0 {
            let mut cost = 0;
            for _ in 0..STRIDE {
                match self.steps(graph) {
                    Found::More => {}
                    Found::Group(group) => {
                        *left -= 1;
                        return Found::Group(group);
                    }
                    Found::All => return Found::All,
                }
                cost += self.knows_many(graph);
            }
            *left = left.saturating_sub(1 + cost / STRIDE);
        }
        Found::More
    }

    /// Number of outgoing references of the next actor: they make its step longer.
    fn knows_many(&self, graph: &Graph) -> usize {
        match self.step {
            Step::Joining(at) if at < graph.len() => graph.knows(at).len(),
            Step::Keeping => self.open.last().map_or(0, |at| graph.knows(*at).len()),
            _ => 0,
        }
    }

    /// A step about one actor.
    fn steps(&mut self, graph: &Graph) -> Found {
        match self.step {
            Step::Roots(at) if at == graph.len() => self.step = Step::Keeping,
            Step::Roots(at) => {
                let fate = match graph.is_root(at) || graph.node(at).seen == Seen::Gone {
                    true => Fate::Kept,
                    false => Fate::Free,
                };
                self.fates.push(fate);
                self.open.extend(graph.is_root(at).then_some(at));
                self.groups.add();
                self.next.push(NONE);
                self.last.push(NONE);
                self.step = Step::Roots(at + 1);
            }
            Step::Keeping => match self.open.pop() {
                None => self.step = Step::Joining(0),
                Some(at) => self.keeps(graph, at),
            },
            Step::Joining(at) if at == graph.len() => self.step = Step::Listing(0),
            Step::Joining(at) => {
                if self.is_free(at) {
                    for other in graph
                        .knows(at)
                        .filter(|other| self.fates[*other] == Fate::Free)
                    {
                        self.groups.join(at, other);
                    }
                }
                self.step = Step::Joining(at + 1);
            }
            Step::Listing(at) if at == graph.len() => self.step = Step::HandingOut(0),
            Step::Listing(at) => {
                if self.is_free(at) {
                    self.lists(at);
                }
                self.step = Step::Listing(at + 1);
            }
            Step::HandingOut(at) if at == graph.len() => return Found::All,
            Step::HandingOut(at) => {
                self.step = Step::HandingOut(at + 1);
                if self.is_free(at) && self.groups.first(at) == at {
                    return Found::Group(self.group(graph, at));
                }
            }
        }
        Found::More
    }

    fn is_free(&self, at: usize) -> bool {
        self.fates[at] == Fate::Free
    }

    fn keeps(&mut self, graph: &Graph, at: usize) {
        for other in graph.knows(at) {
            if self.fates[other] == Fate::Free {
                self.fates[other] = Fate::Kept;
                self.open.push(other);
            }
        }
    }

    /// Appends the actor to the list of its group, of which the first is the one reached first.
    fn lists(&mut self, at: usize) {
        let first = self.groups.first(at);
        if first != at {
            let last = match self.last[first] {
                NONE => first,
                last => last as usize,
            };
            self.next[last] = at as u32;
            self.last[first] = at as u32;
        }
    }

    fn group(&self, graph: &Graph, first: usize) -> Vec<Who> {
        let mut group = vec![graph.node(first).who];
        let mut at = self.next[first];
        while at != NONE {
            group.push(graph.node(at as usize).who);
            at = self.next[at as usize];
        }
        group.sort_unstable_by_key(|who| who.id);
        group
    }
}
