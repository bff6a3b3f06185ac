//! The reference model of exclusive waits: which request waits for which, by the events of a run.

use std::collections::{BTreeMap, BTreeSet};

/// The number of a request. The requests of a way follow each other.
pub(super) type RequestId = usize;
pub(super) type ActorId = usize;

/// An event of a run, in its order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// The actor has asked, and waits exclusively or not.
    Asks(Option<ActorId>, RequestId, ActorId, Waits),
    /// The actor begins the turn of the request.
    Begins(ActorId, RequestId),
    /// A continuation of the actor has the answer of the request.
    Answered(ActorId, RequestId, Answer),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Waits {
    Exclusively,
    Openly,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    Value,
    /// The request has failed, because it closed a cycle.
    Closed,
    /// A request further down has failed.
    Failed,
}

/// A request that has no answer yet.
struct Request {
    to: ActorId,
    state: RequestState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestState {
    Waits,
    /// Begun; its answer is that of the next request, if there is one.
    Begun(Option<RequestId>),
}

#[derive(Default)]
pub(super) struct Model {
    requests: BTreeMap<RequestId, Request>,
    /// The request for which each actor waits exclusively.
    waits: BTreeMap<ActorId, RequestId>,
    /// The request that the last turn of each actor has begun.
    current: BTreeMap<ActorId, RequestId>,
    cycles: usize,
}

impl Model {
    /// # Panics
    ///
    /// If the event may not happen here.
    pub(super) fn step(&mut self, event: Event) {
        match event {
            Event::Asks(from, request, to, waits) => {
                let state = RequestState::Waits;
                self.requests.insert(request, Request { to, state });
                let Some(from) = from else {
                    return;
                };
                let above = self.current.get(&from).copied();
                if let Some(above) = above.and_then(|above| self.requests.get_mut(&above)) {
                    above.state = RequestState::Begun(Some(request));
                }
                if waits == Waits::Exclusively {
                    self.waits.insert(from, request);
                }
            }
            Event::Begins(actor, request) => {
                let waits = self.waits.get(&actor);
                assert_eq!(waits, None, "E1: {actor} begins {request} during a wait");
                if let Some(begun) = self.requests.get_mut(&request) {
                    begun.state = RequestState::Begun(None);
                }
                self.current.insert(actor, request);
            }
            Event::Answered(actor, request, answer) => {
                if answer == Answer::Closed {
                    let closes = self.closes_cycle(request);
                    assert!(closes, "W2: {request} is in no cycle");
                    self.cycles += 1;
                }
                self.requests.remove(&request);
                if self.waits.get(&actor) == Some(&request) {
                    self.waits.remove(&actor);
                }
            }
        }
    }

    /// Whether the actor that defers the request waits, over any number of others, for it.
    fn closes_cycle(&self, request: RequestId) -> bool {
        let mut seen = BTreeSet::new();
        let mut at = request;
        while let Some(asked) = self.requests.get(&at) {
            let next = match asked.state {
                RequestState::Waits => self.waits.get(&asked.to).copied(),
                RequestState::Begun(next) => next,
            };
            match next {
                Some(next) if next == request => return true,
                Some(next) if seen.insert(next) => at = next,
                _ => return false,
            }
        }
        false
    }

    /// Nothing runs any more.
    pub(super) fn rests(&self) {
        let open: Vec<_> = self.requests.keys().collect();
        assert!(open.is_empty(), "requests without an answer: {open:?}");
    }

    pub(super) fn cycles(&self) -> usize {
        self.cycles
    }
}
