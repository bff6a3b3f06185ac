//! [`ComponentSearch`]: the strongly connected components of a graph, a piece at a time. Tarjan,
//! *Depth-First Search and Linear Graph Algorithms* (SIAM J. Comput. 1972), without recursion
//! (H12).

use std::mem;

/// The nodes to which each node has an edge.
pub(super) type Edges = [Vec<usize>];

/// Whether a search is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SearchProgress {
    More,
    Done,
}

/// The strongly connected components of a graph, each in ascending order, in the order of their
/// first nodes. `edges` has the nodes to which each node has an edge. A node that is on no cycle is
/// a component of its own.
#[must_use]
pub fn strongly_connected(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = ComponentSearch::new(edges.len());
    while search.step(edges, usize::MAX) == SearchProgress::More {}
    search.take()
}

/// See [`strongly_connected`].
#[derive(Default)]
pub(super) struct ComponentSearch {
    /// The position of each node in the order of the search.
    index: Vec<Option<usize>>,
    /// The least index that a node's subtree leads to, within its component.
    low: Vec<usize>,
    visited: usize,
    /// The nodes from the root of the search to the current one, each with the number of its edges
    /// that were followed.
    path: Vec<(usize, usize)>,
    /// All nodes before this one were visited.
    next_root: usize,
    /// Nodes of components that are not complete, in the order of the search.
    open: Vec<usize>,
    is_open: Vec<bool>,
    components: Vec<Vec<usize>>,
}

impl ComponentSearch {
    pub(super) fn new(nodes: usize) -> ComponentSearch {
        ComponentSearch {
            index: vec![None; nodes],
            low: vec![0; nodes],
            is_open: vec![false; nodes],
            ..ComponentSearch::default()
        }
    }

    /// Follows at most `most` edges. The edges are the same in each step.
    pub(super) fn step(&mut self, edges: &Edges, most: usize) -> SearchProgress {
        for _ in 0..most {
            match self.path.last_mut() {
                Some((node, followed)) => {
                    let (node, edge) = (*node, *followed);
                    *followed += 1;
                    match edges[node].get(edge) {
                        Some(&to) => self.follow(node, to),
                        None => self.leave(node),
                    }
                }
                None => match self.index.get(self.next_root) {
                    Some(None) => self.enter(self.next_root),
                    Some(Some(_)) => self.next_root += 1,
                    None => return SearchProgress::Done,
                },
            }
        }
        SearchProgress::More
    }

    /// The components, after the search is over.
    pub(super) fn take(&mut self) -> Vec<Vec<usize>> {
        let mut components = mem::take(&mut self.components);
        components.sort_unstable();
        components
    }

    fn enter(&mut self, node: usize) {
        self.index[node] = Some(self.visited);
        self.low[node] = self.visited;
        self.visited += 1;
        self.open.push(node);
        self.is_open[node] = true;
        self.path.push((node, 0));
    }

    fn follow(&mut self, node: usize, to: usize) {
        match self.index[to] {
            None => self.enter(to),
            Some(index) if self.is_open[to] => self.low[node] = self.low[node].min(index),
            Some(_) => {}
        }
    }

    fn leave(&mut self, node: usize) {
        self.path.pop();
        if let Some((parent, _)) = self.path.last() {
            self.low[*parent] = self.low[*parent].min(self.low[node]);
        }
        if self.index[node] == Some(self.low[node]) {
            self.complete(node);
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::gc::stress::Chance;
    use std::collections::BTreeSet;

    pub(in crate::group) fn graph(
        nodes: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Vec<Vec<usize>> {
        let mut graph = vec![BTreeSet::new(); nodes];
        for (from, to) in edges {
            graph[from].insert(to);
        }
        graph.into_iter().map(Vec::from_iter).collect()
    }

    fn components(edges: &Edges, most: usize) -> Vec<Vec<usize>> {
        let mut search = ComponentSearch::new(edges.len());
        while search.step(edges, most) == SearchProgress::More {}
        search.take()
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
            let of = |node: usize| -> Vec<usize> {
                let there = reached(&edges, node).into_iter();
                there
                    .filter(|to| reached(&edges, *to).contains(&node))
                    .collect()
            };
            let expected: BTreeSet<_> = (0..nodes).map(of).collect();
            let found = components(&edges, 1 + chance.below(5) as usize);
            assert_eq!(found, Vec::from_iter(expected), "seed {seed}");
        }
    }

    #[test]
    fn a_long_chain_does_not_recurse() {
        let nodes = if cfg!(miri) { 100 } else { 100_000 };
        let edges = graph(nodes, (1..nodes).map(|node| (node - 1, node)));
        assert_eq!(components(&edges, usize::MAX).len(), nodes);
    }
}
