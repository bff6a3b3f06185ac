//! [`Neighbourhoods`]: the parts of a component of heaps that is too large for one group mark.

use super::components::Edges;
use std::collections::{BTreeSet, HashSet};
use std::mem;

/// Nodes examined to fill a part that has room.
const FILL_LOOKS: usize = 16;

/// In how many parts a node is on average, before parts overlap less.
const OVERLAP_MAX: usize = 8;

/// Divides a component into parts that overlap.
///
/// A node with at most half as many edges as a part has nodes is in some part with all nodes that
/// it has edges to. A node with more edges is in some part with the nearest of them. So two nodes
/// with edges to each other are in a part together, unless both have so many edges.
///
/// In a component with many edges that takes nearly as many parts as it has nodes. After
/// [`OVERLAP_MAX`] times as many as would do without overlap, each part covers all nodes that are
/// near its first one. Which nodes come first depends on `start`.
pub(super) struct Neighbourhoods {
    nodes: usize,
    start: usize,
    parts: usize,
    /// Nodes of which that is not true yet.
    left: BTreeSet<usize>,
}

impl Neighbourhoods {
    /// All edges of the component's nodes lead to its nodes.
    pub(super) fn of(component: Vec<usize>, start: usize) -> Neighbourhoods {
        Neighbourhoods {
            nodes: component.len(),
            start: component[start % component.len()],
            parts: 0,
            left: component.into_iter().collect(),
        }
    }

    /// The next part, of at most `most` nodes, in ascending order: all nodes if there are no more.
    /// `None` after the last one.
    pub(super) fn next(&mut self, edges: &Edges, most: usize) -> Option<Vec<usize>> {
        let mut from_start = self.left.range(self.start..).chain(&self.left);
        let first = *from_start.next()?;
        if self.nodes <= most {
            return Some(mem::take(&mut self.left).into_iter().collect());
        }
        let is_over_limit = self.parts * most > OVERLAP_MAX * self.nodes;
        self.parts += 1;
        let mut part = Part::new(most);
        part.add(first);
        self.left.remove(&first);
        let mut expanded = 0;
        loop {
            while let Some(&node) = part.order.get(expanded) {
                let is_near = expanded <= most / 2;
                let (degree, missing) = (edges[node].len(), part.missing(&edges[node]));
                if missing.len() <= part.room() {
                    self.left.remove(&node);
                    missing.into_iter().for_each(|to| part.add(to));
                } else if expanded == 0 {
                    self.expand_in_part(&mut part, &edges[node]);
                }
                if (degree > most / 2 || is_over_limit) && is_near {
                    self.left.remove(&node);
                }
                expanded += 1;
            }
            // Others of which all neighbours have room.
            let outside = self.left.iter().filter(|node| !part.has(**node));
            let fits = |node: &&usize| part.missing(&edges[**node]).len() < part.room();
            match outside.take(FILL_LOOKS).find(fits) {
                Some(&next) => part.add(next),
                None => break,
            }
        }
        part.order.sort_unstable();
        Some(part.order)
    }

    /// Adds as many of these as there is room for, first those that are left.
    fn expand_in_part(&self, part: &mut Part, edges: &[usize]) {
        let is_left = |to: &&usize| self.left.contains(*to);
        let others = edges.iter().filter(|to| !is_left(to));
        for &to in edges.iter().filter(is_left).chain(others) {
            if part.room() == 0 {
                return;
            }
            if !part.has(to) {
                part.add(to);
            }
        }
    }
}

struct Part {
    most: usize,
    /// Its nodes, in the order in which they were found.
    order: Vec<usize>,
    /// The same, looked up and never iterated over (R5).
    found: HashSet<usize>,
}

impl Part {
    fn new(most: usize) -> Part {
        Part {
            most,
            order: Vec::new(),
            found: HashSet::new(),
        }
    }

    fn add(&mut self, node: usize) {
        self.order.push(node);
        self.found.insert(node);
    }

    fn has(&self, node: usize) -> bool {
        self.found.contains(&node)
    }

    fn room(&self) -> usize {
        self.most - self.order.len()
    }

    /// Those of these nodes that it does not have; one more than there is room for, at most.
    fn missing(&self, of: &[usize]) -> Vec<usize> {
        let missing = of.iter().copied().filter(|to| !self.has(*to));
        missing.take(self.room() + 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::components::tests::graph;
    use super::*;

    fn both((one, other): (usize, usize)) -> [(usize, usize); 2] {
        [(one, other), (other, one)]
    }

    /// Asserts that two nodes with edges to each other are in one of the parts, and that there are
    /// no more parts than that.
    #[track_caller]
    fn check(edges: &Edges, most: usize, parts_max: usize) {
        for start in [0, 1, 7] {
            let mut neighbourhoods = Neighbourhoods::of((0..edges.len()).collect(), start);
            let parts = std::iter::from_fn(|| neighbourhoods.next(edges, most));
            let parts: Vec<_> = parts.collect();
            assert!(parts.len() <= parts_max, "{} parts", parts.len());
            assert!(parts.iter().all(|part| part.len() <= most));
            let are_both =
                |part: &Vec<usize>, one, other| part.contains(&one) && part.contains(&other);
            for (node, neighbours) in edges.iter().enumerate() {
                for &to in neighbours {
                    let is_found = parts.iter().any(|part| are_both(part, node, to));
                    assert!(is_found, "from {start}: {node}, {to}");
                }
            }
        }
    }

    #[test]
    fn leaves_of_a_star_are_in_a_part_with_its_hub() {
        let star = graph(100, (1..100).flat_map(|leaf| both((0, leaf))));
        check(&star, 10, 12);
    }

    #[test]
    fn neighbours_on_a_ring_are_in_a_part_together() {
        let ring = graph(100, (0..100).map(|node| (node, (node + 1) % 100)));
        check(&ring, 10, 12);
    }

    #[test]
    fn neighbours_with_numbers_far_apart_are_in_a_part_together() {
        let ring = (0..50).map(|node| (node, (node + 1) % 50));
        let pairs = (0..50).map(|node| (node, node + 50));
        check(&graph(100, ring.chain(pairs).flat_map(both)), 10, 30);
    }

    #[test]
    fn clients_of_two_hubs_are_in_a_part_together() {
        let clients = (2..42).map(|client| (client % 2, client));
        let pairs = (2..42).step_by(2).map(|client| (client, client + 1));
        check(&graph(42, clients.chain(pairs).flat_map(both)), 10, 20);
    }

    #[test]
    fn parts_of_a_component_with_many_edges_overlap_less() {
        let nodes = 600;
        let edges = graph(
            nodes,
            (0..nodes).flat_map(|node| (1..8).map(move |by| (node, (node * 7 + by * 31) % nodes))),
        );
        let mut neighbourhoods = Neighbourhoods::of((0..nodes).collect(), 0);
        let parts = std::iter::from_fn(|| neighbourhoods.next(&edges, 20)).count();
        assert!(parts < (OVERLAP_MAX + 3) * nodes / 20, "{parts}");
    }

    #[test]
    fn a_component_that_is_small_is_one_part() {
        let edges = graph(3, [(0, 1), (1, 0)]);
        let mut neighbourhoods = Neighbourhoods::of(vec![0, 1], 0);
        assert_eq!(neighbourhoods.next(&edges, 2), Some(vec![0, 1]));
        assert_eq!(neighbourhoods.next(&edges, 2), None);
    }
}
