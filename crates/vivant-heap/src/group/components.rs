//! The strongly connected components of a graph: Tarjan, *Depth-First Search and Linear Graph
//! Algorithms* (SIAM J. Comput. 1972), without recursion (H12).

use std::collections::{BTreeSet, VecDeque};

/// The nodes to which each node has an edge.
pub(super) type Edges = [BTreeSet<usize>];

/// The components, each in ascending order. A node that is on no cycle is a component of its own.
pub(super) fn strongly_connected(edges: &Edges) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        index: vec![None; edges.len()],
        low: vec![0; edges.len()],
        visited: 0,
        open: Vec::new(),
        is_open: vec![false; edges.len()],
        components: Vec::new(),
    };
    for node in 0..edges.len() {
        if search.index[node].is_none() {
            search.visit(node);
        }
    }
    search.components
}

struct Search<'e> {
    edges: &'e Edges,
    /// The position of each node in the order of the search.
    index: Vec<Option<usize>>,
    /// The least index that a node's subtree leads to, within its component.
    low: Vec<usize>,
    visited: usize,
    /// Nodes of components that are not complete, in the order of the search.
    open: Vec<usize>,
    is_open: Vec<bool>,
    components: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn enter(&mut self, node: usize) {
        self.index[node] = Some(self.visited);
        self.low[node] = self.visited;
        self.visited += 1;
        self.open.push(node);
        self.is_open[node] = true;
    }

    fn visit(&mut self, root: usize) {
        let edges = self.edges;
        self.enter(root);
        let mut path = vec![(root, edges[root].iter())];
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            match rest.next() {
                Some(&to) => match self.index[to] {
                    None => {
                        self.enter(to);
                        path.push((to, edges[to].iter()));
                    }
                    Some(index) if self.is_open[to] => {
                        self.low[node] = self.low[node].min(index);
                    }
                    Some(_) => {}
                },
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        self.low[*parent] = self.low[*parent].min(self.low[node]);
                    }
                    if self.index[node] == Some(self.low[node]) {
                        self.complete(node);
                    }
                }
            }
        }
    }

    /// The component of which this node was reached first.
    fn complete(&mut self, first: usize) {
        let begin = self.open.iter().rposition(|node| *node == first);
        let mut component = self.open.split_off(begin.unwrap_or(0));
        for node in &component {
            self.is_open[*node] = false;
        }
        component.sort_unstable();
        self.components.push(component);
    }
}

/// Parts of a component, each of at most `most` nodes: the component itself, or else the nearest
/// nodes of one node, of another one, and so on, until each was among the nearer half of a part, or
/// was in a part with all of its neighbours.
pub(super) fn neighbourhoods(edges: &Edges, component: Vec<usize>, most: usize) -> Vec<Vec<usize>> {
    if component.len() <= most {
        return vec![component];
    }
    let component: BTreeSet<usize> = component.into_iter().collect();
    let (mut left, mut parts) = (component.clone(), Vec::new());
    while let Some(&first) = left.first() {
        let part = nearest(edges, &component, &left, first, most);
        let inside: BTreeSet<usize> = part.iter().copied().collect();
        for (distance, node) in part.iter().enumerate() {
            let has_all = || {
                edges[*node]
                    .intersection(&component)
                    .all(|to| inside.contains(to))
            };
            if distance <= most / 2 || has_all() {
                left.remove(node);
            }
        }
        parts.push(inside.into_iter().collect());
    }
    parts
}

/// At most `most` nodes of a component, in the order of their distance from `first`; at the same
/// distance, first those that are `left`.
fn nearest(
    edges: &Edges,
    component: &BTreeSet<usize>,
    left: &BTreeSet<usize>,
    first: usize,
    most: usize,
) -> Vec<usize> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::from([first]));
    let mut open = VecDeque::from([first]);
    while let Some(node) = open.pop_front() {
        found.push(node);
        let others = edges[node].intersection(component);
        for &to in edges[node].intersection(left).chain(others) {
            if seen.len() < most && seen.insert(to) {
                open.push_back(to);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gc::stress::Chance;

    fn graph(
        nodes: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Vec<BTreeSet<usize>> {
        let mut graph = vec![BTreeSet::new(); nodes];
        for (from, to) in edges {
            graph[from].insert(to);
        }
        graph
    }

    /// Which nodes a node reaches.
    fn reached(edges: &Edges, from: usize) -> BTreeSet<usize> {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(node) = open.pop() {
            if reached.insert(node) {
                open.extend(&edges[node]);
            }
        }
        reached
    }

    #[test]
    fn components_reach_each_other() {
        for seed in 0..if cfg!(miri) { 3 } else { 300 } {
            let chance = Chance::new(seed);
            let nodes = 1 + chance.below(12) as usize;
            let node = || chance.below(nodes as u64) as usize;
            let edges = graph(nodes, (0..chance.below(30)).map(|_| (node(), node())));
            let mut components = strongly_connected(&edges);
            components.sort_unstable();
            let of = |node: usize| -> Vec<usize> {
                let there = reached(&edges, node).into_iter();
                there
                    .filter(|to| reached(&edges, *to).contains(&node))
                    .collect()
            };
            let expected: BTreeSet<_> = (0..nodes).map(of).collect();
            assert_eq!(components, Vec::from_iter(expected), "seed {seed}");
        }
    }

    #[test]
    fn a_long_chain_does_not_recurse() {
        let nodes = if cfg!(miri) { 100 } else { 100_000 };
        let edges = graph(nodes, (1..nodes).map(|node| (node - 1, node)));
        assert_eq!(strongly_connected(&edges).len(), nodes);
    }

    #[test]
    fn neighbours_are_in_a_part_together() {
        let both = |(one, other)| [(one, other), (other, one)];
        let star = graph(100, (1..100).flat_map(|leaf| both((0, leaf))));
        let ring = graph(100, (0..100).map(|node| (node, (node + 1) % 100)));
        // Neighbours have numbers that are far from each other.
        let pairs = graph(
            100,
            (0..50)
                .flat_map(|node| [both((node, node + 50)), both((node, (node + 1) % 50))].concat()),
        );
        for (edges, most, parts_max) in [(star, 10, 12), (ring, 10, 20), (pairs, 10, 20)] {
            let parts = neighbourhoods(&edges, (0..100).collect(), most);
            assert!(parts.len() <= parts_max && parts.iter().all(|part| part.len() <= most));
            for (node, neighbours) in edges.iter().enumerate() {
                for to in neighbours {
                    let are_both = |part: &Vec<usize>| part.contains(&node) && part.contains(to);
                    assert!(parts.iter().any(are_both), "{node}, {to}");
                }
            }
        }
    }

    #[test]
    fn a_component_that_is_small_is_one_part() {
        let edges = graph(3, [(0, 1), (1, 0)]);
        assert_eq!(neighbourhoods(&edges, vec![0, 1], 2), [[0, 1]]);
    }
}
