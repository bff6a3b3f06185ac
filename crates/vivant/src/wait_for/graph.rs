//! The edges of the wait-for graph, and the search for a cycle.

use crate::failures::{WaitCycle, WaitEdge};
use std::collections::{BTreeMap, BTreeSet};

/// The edges of a system. The nodes are actors; an edge leads from an actor that waits exclusively
/// to the actor that defers a request for which it waits (W1).
#[derive(Default)]
pub(super) struct Edges {
    /// By the actor that waits.
    from: BTreeMap<u64, Vec<Edge>>,
    /// The actors that wait for each deferred request.
    requests: BTreeMap<RequestId, Vec<u64>>,
    /// Number of edges.
    count: usize,
}

/// A deferred request: the actor that defers it, and its number among those.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct RequestId {
    pub(super) actor: u64,
    pub(super) number: u64,
}

/// One wait for one deferred request.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    /// The id of the actor that waits.
    pub(super) from: u64,
    /// The number of its wait.
    pub(super) wait: u64,
    pub(super) request: RequestId,
    pub(super) facts: WaitEdge,
}

impl Edges {
    /// Adds the edges of one request. If one of them closes a cycle, adds none and returns the
    /// cycle.
    pub(super) fn add(&mut self, edges: Vec<Edge>) -> Option<WaitCycle> {
        for edge in &edges {
            if let Some(path) = self.path(edge.request.actor, edge.from) {
                let path = path.into_iter().map(|edge| edge.facts.clone());
                let edges = path.chain([edge.facts.clone()]).collect();
                return Some(WaitCycle { edges });
            }
        }
        self.count += edges.len();
        for edge in edges {
            self.requests
                .entry(edge.request)
                .or_default()
                .push(edge.from);
            self.from.entry(edge.from).or_default().push(edge);
        }
        None
    }

    /// The request is not deferred any more.
    pub(super) fn remove_request(&mut self, request: RequestId) {
        for from in self.requests.remove(&request).into_iter().flatten() {
            self.retain_from(from, |edge| edge.request != request);
        }
    }

    /// The wait of this actor is over.
    pub(super) fn remove_wait(&mut self, from: u64, wait: u64) {
        for request in self.retain_from(from, |edge| edge.wait != wait) {
            if let Some(waiting) = self.requests.get_mut(&request) {
                let at = waiting.iter().position(|actor| *actor == from);
                at.map(|at| waiting.swap_remove(at));
                if waiting.is_empty() {
                    self.requests.remove(&request);
                }
            }
        }
    }

    /// The actor defers no request any more.
    pub(super) fn remove_requests_of(&mut self, actor: u64) {
        let [first, last] = [0, u64::MAX].map(|number| RequestId { actor, number });
        let requests = self.requests.range(first..=last);
        let requests: Vec<RequestId> = requests.map(|(request, _)| *request).collect();
        for request in requests {
            self.remove_request(request);
        }
    }

    /// Returns the edges from a wait of this actor.
    pub(super) fn of_wait(&self, from: u64, wait: u64) -> Vec<WaitEdge> {
        let edges = self.from.get(&from).into_iter().flatten();
        let of_wait = edges.filter(|edge| edge.wait == wait);
        of_wait.map(|edge| edge.facts.clone()).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Removes the other edges from an actor; returns their requests.
    fn retain_from(&mut self, from: u64, keeps: impl Fn(&Edge) -> bool) -> Vec<RequestId> {
        let Some(edges) = self.from.get_mut(&from) else {
            return Vec::new();
        };
        let removed = edges.extract_if(.., |edge| !keeps(edge));
        let removed: Vec<RequestId> = removed.map(|edge| edge.request).collect();
        self.count -= removed.len();
        if edges.is_empty() {
            self.from.remove(&from);
        }
        removed
    }

    /// Returns the edges of a path between two actors; none from an actor to itself.
    fn path(&self, from: u64, to: u64) -> Option<Vec<&Edge>> {
        let mut seen = BTreeSet::from([from]);
        let mut reached_by: BTreeMap<u64, &Edge> = BTreeMap::new();
        let mut next = vec![from];
        while let Some(actor) = next.pop() {
            if actor == to {
                let mut path = Vec::new();
                let mut at = to;
                while at != from {
                    let edge = reached_by.get(&at)?;
                    path.push(*edge);
                    at = edge.from;
                }
                path.reverse();
                return Some(path);
            }
            for edge in self.from.get(&actor).into_iter().flatten() {
                if seen.insert(edge.request.actor) {
                    reached_by.insert(edge.request.actor, edge);
                    next.push(edge.request.actor);
                }
            }
        }
        None
    }
}
