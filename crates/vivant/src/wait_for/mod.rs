//! The wait-for graph: which actor waits exclusively for which other one. The protocol is in
//! `README.md`.
//!
//! - [`graph`]: the edges, and the search for a cycle.
//! - [`open_waits`]: the exclusive waits that are open, for validity and inspection.

mod graph;
#[cfg(all(test, feature = "macros"))]
mod model;
#[cfg(all(test, feature = "macros"))]
mod model_tests;
mod open_waits;

use crate::actor::{CellRef, ChainEnd, Dependent, Envelope, ExclusiveWait, Shared};
use crate::failures::{WaitCycle, WaitEdge};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};
use graph::{Edge, Edges, RequestId};
use open_waits::OpenWaits;
pub(crate) use open_waits::WaitFacts;

/// The exclusive waits of a system, and the requests for which they wait.
#[derive(Default)]
pub(crate) struct WaitForGraph {
    open: OpenWaits,
    edges: Mutex<Edges>,
    /// Number of edges, so that the end of a wait takes the lock only if there are any.
    count: AtomicUsize,
}

/// What becomes of a request that is deferred.
pub(crate) enum Deferral {
    /// No wait depends on it.
    Free,
    /// A wait depends on it: the graph is to be told when it is not deferred any more.
    Waits,
    /// As `Waits`, but the turn of an asker has not ended: the request is to be examined again.
    IsOpen,
    /// It closes a cycle, and has to fail.
    Closes(WaitCycle),
}

impl WaitForGraph {
    pub(crate) fn of(system: &Shared) -> &WaitForGraph {
        system.extensions.part()
    }

    /// The number of open waits.
    #[cfg(all(test, feature = "snapshots"))]
    pub(crate) fn count_open(&self) -> usize {
        self.open.list().len()
    }

    /// An actor begins to wait, in a turn.
    pub(crate) fn begin(&self, actor: CellRef, wait: &ExclusiveWait) {
        let facts = WaitFacts {
            since_ms: actor.system.oracle.coarse_ms(),
            actor,
            place: wait.place,
        };
        self.open.open(wait.number.0, facts);
    }

    /// A wait of this actor is over.
    pub(crate) fn end(&self, actor: u64, wait: &ExclusiveWait) {
        let number = wait.number.0;
        self.open.close(number);
        // Relaxed: an edge from this wait was counted before the wait was found open, under the
        // lock under which it has been closed since (W2).
        if self.count.load(Ordering::Relaxed) > 0 {
            self.change(|edges| edges.remove_wait(actor, number));
        }
    }

    /// An actor, which the caller holds, defers a request with this number among those that it
    /// defers (W1).
    pub(crate) fn defer(&self, actor: &CellRef, number: u64, request: &Envelope) -> Deferral {
        #[cfg(test)]
        if is_planted(InjectedFault::MissingEdge) {
            return Deferral::Waits;
        }
        let dependents = request.dependents();
        let mut edges = Vec::new();
        // Of waits in other systems this graph has no edges.
        let here = |dependent: &&Dependent| dependent.system == actor.system.number;
        for dependent in dependents.waits.iter().filter(here) {
            let Some(facts) = self.open.facts(dependent.wait.0) else {
                continue;
            };
            edges.push(Edge {
                from: dependent.actor,
                wait: dependent.wait.0,
                request: RequestId {
                    actor: actor.id,
                    number,
                },
                facts: WaitEdge {
                    actor: facts.actor.path(),
                    waits_at: facts.place,
                    behaviour: request.kind().name,
                    asked_at: request.head().place,
                    deferred_by: actor.path(),
                },
            });
        }
        let free = edges.is_empty();
        if !free && let Some(cycle) = self.add(edges) {
            return Deferral::Closes(cycle);
        }
        match dependents.chain {
            ChainEnd::Open => Deferral::IsOpen,
            ChainEnd::Final if free => Deferral::Free,
            ChainEnd::Final => Deferral::Waits,
        }
    }

    fn add(&self, mut request: Vec<Edge>) -> Option<WaitCycle> {
        let mut edges = lock(&self.edges);
        // Relaxed: before the waits are found open, so that their ends see it (W2).
        self.count.fetch_add(request.len(), Ordering::Relaxed);
        request.retain(|edge| self.open.is_open(edge.wait));
        let cycle = edges.add(request);
        self.count.store(edges.count(), Ordering::Relaxed);
        cycle
    }

    /// A request is not deferred any more, or is to be examined again. The caller holds the actor
    /// that defers it (W2).
    pub(crate) fn take(&self, actor: u64, number: u64) {
        #[cfg(test)]
        if is_planted(InjectedFault::EdgeThatStays) {
            return;
        }
        self.change(|edges| edges.remove_request(RequestId { actor, number }));
    }

    /// An actor, which the caller holds, is about to refuse all requests that it has deferred (W2).
    pub(crate) fn take_all(&self, actor: u64) {
        self.change(|edges| edges.remove_requests_of(actor));
    }

    fn change(&self, change: impl FnOnce(&mut Edges)) {
        let mut edges = lock(&self.edges);
        change(&mut edges);
        self.count.store(edges.count(), Ordering::Relaxed);
    }

    /// Returns the open waits in the order in which they began, each with the deferred requests for
    /// which it waits.
    pub(crate) fn waits(&self) -> Vec<(WaitFacts, Vec<WaitEdge>)> {
        let open = self.open.list();
        let edges = lock(&self.edges);
        let with_edges = |(number, facts): (u64, WaitFacts)| {
            let edges = edges.of_wait(facts.actor.id, number);
            (facts, edges)
        };
        open.into_iter().map(with_edges).collect()
    }
}
