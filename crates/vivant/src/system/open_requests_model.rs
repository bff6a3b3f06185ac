//! The reference model of open requests: which are open, by the events of a run.

use std::collections::BTreeMap;

/// The number of a request.
pub(super) type RequestId = usize;
pub(super) type ActorId = usize;

/// An event of a run, in its order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// `None`: from outside.
    Asks(Option<ActorId>, RequestId, ActorId, &'static str),
    /// The actor begins the turn of the request.
    Begins(RequestId),
    /// The actor that has the request leaves it to another actor.
    PassesOn(RequestId, ActorId, &'static str),
    /// It was answered, or its asker has given it up.
    Closes(RequestId),
    /// With all requests that it has made, or would have to answer.
    Ends(ActorId),
}

struct Request {
    asker: Option<ActorId>,
    to: ActorId,
    behaviour: &'static str,
    begun: bool,
}

/// What an inspection is to say of a request.
pub(super) type Line = (Option<ActorId>, Option<ActorId>, String, bool);

#[derive(Default)]
pub(super) struct Model {
    open: BTreeMap<RequestId, Request>,
    ended: Vec<ActorId>,
    closed: usize,
}

impl Model {
    pub(super) fn step(&mut self, event: Event) {
        match event {
            // It fails at once.
            Event::Asks(_, _, to, _) if self.ended.contains(&to) => self.closed += 1,
            Event::Asks(asker, id, to, behaviour) => {
                let request = Request {
                    asker,
                    to,
                    behaviour,
                    begun: false,
                };
                self.open.insert(id, request);
            }
            Event::Begins(id) => {
                if let Some(request) = self.open.get_mut(&id) {
                    request.begun = true;
                }
            }
            Event::PassesOn(id, to, _) if self.ended.contains(&to) => self.close(id),
            Event::PassesOn(id, to, behaviour) => {
                if let Some(request) = self.open.get_mut(&id) {
                    (request.to, request.behaviour, request.begun) = (to, behaviour, false);
                }
            }
            Event::Closes(id) => self.close(id),
            Event::Ends(actor) => {
                self.ended.push(actor);
                let ids: Vec<RequestId> = self.open.keys().copied().collect();
                for id in ids {
                    if self
                        .open
                        .get(&id)
                        .is_some_and(|request| request.to == actor)
                        && !self.waits_for_next(id)
                    {
                        self.close(id);
                    }
                }
            }
        }
    }

    /// Whether the answer of the next request is that of this one: then it stays open although its
    /// actor has ended.
    fn waits_for_next(&self, id: RequestId) -> bool {
        let request = &self.open[&id];
        request.behaviour == "through" && request.begun && self.open.contains_key(&(id + 1))
    }

    fn close(&mut self, id: RequestId) {
        self.closed += usize::from(self.open.remove(&id).is_some());
        let before = id.wrapping_sub(1);
        if id % 2 == 1
            && let Some(request) = self.open.get(&before)
            && request.begun
            && self.ended.contains(&request.to)
        {
            self.close(before);
        }
    }

    /// Number of requests that were open and are not.
    pub(super) fn closed(&self) -> usize {
        self.closed
    }

    /// The open requests, sorted.
    pub(super) fn lines(&self) -> Vec<Line> {
        let has_ended = |actor: &ActorId| self.ended.contains(actor);
        let line = |request: &Request| {
            let behaviour = request.behaviour.to_owned();
            let to = Some(request.to).filter(|to| !has_ended(to));
            (request.asker, to, behaviour, request.begun)
        };
        let of_living = |request: &&Request| !request.asker.as_ref().is_some_and(has_ended);
        let mut lines: Vec<Line> = self.open.values().filter(of_living).map(line).collect();
        lines.sort();
        lines
    }
}
