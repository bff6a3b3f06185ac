//! The actors that a look has met, as plain data: who knows whom, and who is kept by nobody outside.

use std::collections::HashMap;

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
    /// Asked, never gone through (R5).
    places: HashMap<u64, u32>,
}

impl Graph {
    /// The node of this actor; a new one if nobody has met it.
    pub(crate) fn meet(&mut self, who: Who) -> usize {
        let next = self.nodes.len() as u32;
        let at = *self.places.entry(who.id).or_insert(next);
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
        if let Some(at) = self.places.get(&who.id) {
            self.nodes[*at as usize].seen = Seen::Gone;
        }
    }

    /// How many addresses each of them had.
    #[cfg(test)]
    pub(crate) fn addresses(&self, group: &[Who]) -> Vec<u32> {
        let of = |who: &Who| match self.nodes[self.places[&who.id] as usize].seen {
            Seen::Idle { addresses, .. } => addresses,
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
    pub(crate) fn knows(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
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
    fn is_root(&self, at: usize) -> bool {
        match self.nodes[at].seen {
            Seen::No | Seen::Pinned => true,
            Seen::Gone => false,
            // More are shown than there are: they were not looked at together, or one was shown twice.
            Seen::Idle { addresses, .. } => addresses != self.nodes[at].shown,
        }
    }

    /// Those whom nothing outside keeps, directly or by others: in groups that know each other, each in order of creation, the groups in
    /// that of their first.
    pub(crate) fn unreachable(&self) -> Vec<Vec<Who>> {
        let kept = self.kept();
        let is_free = |at: usize| !kept[at] && matches!(self.nodes[at].seen, Seen::Idle { .. });
        let mut groups = Groups::of(self.nodes.len());
        for at in (0..self.nodes.len()).filter(|at| is_free(*at)) {
            for other in self.knows(at).filter(|other| is_free(*other)) {
                groups.join(at, other);
            }
        }
        let mut found: Vec<(usize, Who)> = (0..self.nodes.len())
            .filter(|at| is_free(*at))
            .map(|at| (groups.first(at), self.nodes[at].who))
            .collect();
        found.sort_by_key(|(group, who)| (*group, who.id));
        let mut all: Vec<Vec<Who>> = found
            .chunk_by(|a, b| a.0 == b.0)
            .map(|group| group.iter().map(|(_, who)| *who).collect())
            .collect();
        all.sort_by_key(|group| group[0].id);
        all
    }

    /// Which ones something keeps.
    fn kept(&self) -> Vec<bool> {
        let mut kept = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = (0..self.nodes.len())
            .filter(|at| self.is_root(*at))
            .collect();
        open.iter().for_each(|at| kept[*at] = true);
        while let Some(at) = open.pop() {
            for other in self.knows(at) {
                if !kept[other] {
                    kept[other] = true;
                    open.push(other);
                }
            }
        }
        kept
    }
}

/// Disjoint sets (Tarjan 1975), by path halving.
struct Groups(Vec<u32>);

impl Groups {
    fn of(count: usize) -> Groups {
        Groups((0..count as u32).collect())
    }

    fn first(&mut self, at: usize) -> usize {
        let mut at = at as u32;
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at as usize
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        let (low, high) = (one.min(other), one.max(other));
        self.0[high] = low as u32;
    }
}
