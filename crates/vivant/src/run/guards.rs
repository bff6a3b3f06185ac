//! Work of a run for deferred messages (T8; see the README).

use super::run_guard::{After, COUNT_EVERY, Next, RunGuard};
use crate::actor::Found;
use crate::actor::Guards;
use crate::actor::Waiting;
use crate::actor::{Envelope, StateRef};
use crate::message::Chain;
use crate::message::MessageRole;
use crate::sync::Ordering;

impl RunGuard<'_> {
    /// T8: finds a deferred message with an open guard, among those with a stale guard.
    #[inline]
    pub(crate) fn reopened(&mut self) -> Found {
        self.drop_overdue();
        let found = self.look();
        match found {
            Found::Closed | Found::More => found,
            Found::Open(envelope) => self.opened(envelope),
        }
    }

    #[inline]
    fn look(&mut self) -> Found {
        let (actor, worker) = (&self.actor, self.worker);
        // SAFETY: this is the only `RunGuard` of the cell (C1), borrowed exclusively (X2). Written
        // out here so that the state may be borrowed beside it. A guard gets the state only, and
        // cannot reach the owner part.
        let owner = unsafe { &mut *actor.owner.get() };
        // SAFETY: this is the only `RunGuard` of the cell, and no other `StateRef` exists here
        // (C1). The actor's life keeps the cell alive (C5); the pointer is that of the whole cell
        // (C7).
        let mut state = unsafe { StateRef::new(actor.as_ptr()) };
        let waiting = owner.cold.as_mut().map(|cold| &mut cold.waiting);
        let Some(waiting) = waiting.filter(|waiting| waiting.count() > 0) else {
            owner.guards = Guards::None;
            return Found::Closed;
        };
        if owner.guards == Guards::Stale {
            waiting.state_changed();
        }
        // A panic passes through, to `run`.
        owner.guards = Guards::Asked;
        let found = waiting.look(|envelope| {
            worker.guard_begins(envelope.kind());
            envelope.ready(&mut state)
        });
        worker.guard_ends();
        owner.guards = match found {
            Found::Open(_) | Found::More => Guards::Partly,
            Found::Closed => Guards::Shut,
        };
        // A guard can send, but no actor is muted for that: no turn has ended.
        if worker.has_wishes() {
            drop(worker.take_overloaded());
        }
        found
    }

    #[inline(never)]
    fn opened(&mut self, envelope: Envelope) -> Found {
        self.publish_deferred();
        Found::Open(envelope)
    }

    /// After the panic of a guard: takes out the message of that guard. The caller runs it at once,
    /// before anything else happens to the actor. The turn meets the same fault and ends the actor,
    /// with the turn's place.
    pub(crate) fn take_asked(&mut self) -> Option<Envelope> {
        if self.owner().guards != Guards::Asked {
            return None;
        }
        // The evaluation did not finish.
        self.owner().guards = Guards::Stale;
        self.worker.guard_ends();
        drop(self.worker.take_overloaded());
        let envelope = self.owner().cold().waiting.take_asked()?;
        self.publish_deferred();
        Some(envelope)
    }

    /// Defers this message, and those behind it in the backlog, without an evaluation while their
    /// guards are known to be false. Returns the first other message.
    #[inline(never)]
    pub(crate) fn lined_up(&mut self, mut envelope: Envelope) -> Next {
        let worker = self.worker;
        let owner = self.owner();
        // The backlog is taken out of the owner part: senders write to the cell meanwhile, and the
        // two would contend for its cache line.
        let mut backlog = std::mem::replace(&mut owner.backlog, Chain::new());
        let waiting = &mut owner.cold().waiting;
        let (mut more, mut sent_ms) = (0, None);
        let next = loop {
            let its_ms = envelope.head().sent_ms;
            if let Some(other) = waiting.line_up(envelope) {
                break Next::Message(other);
            }
            sent_ms = Some(its_ms);
            if more == COUNT_EVERY {
                break Next::LooksOn;
            }
            let Some(another) = backlog.pop_envelope() else {
                break Next::LooksOn;
            };
            worker.account_less(another.kind().bytes);
            more += 1;
            envelope = another;
        };
        let count = waiting.count();
        owner.backlog = backlog;
        self.taken_more(more);
        if let Some(sent_ms) = sent_ms {
            self.actor.facts.passed(sent_ms);
            self.actor.facts.now_deferred(count);
        }
        next
    }

    pub(crate) fn publish_deferred(&mut self) {
        let waiting = &self.owner().cold().waiting;
        let (count, oldest_ms) = (waiting.count(), waiting.oldest_ms());
        self.actor.deferred_sent.store(oldest_ms, Ordering::Relaxed);
        self.actor.facts.now_deferred(count);
    }

    /// Defers a message with a false guard. The guard of a ticket is always false, and that of a
    /// watch is false while it has a listener.
    #[cold]
    pub(crate) fn defer(&mut self, envelope: Envelope) -> After {
        self.actor.facts.nothing_runs();
        // As after an evaluation: no turn has ended.
        drop(self.worker.take_overloaded());
        match envelope.kind().role {
            MessageRole::Ticket => return self.redeem(envelope),
            MessageRole::Watch => return self.keep_watch(envelope),
            _ => {}
        }
        let sent_ms = envelope.head().sent_ms;
        let owner = self.owner();
        if owner.guards == Guards::None {
            owner.guards = Guards::Shut;
        }
        let waiting = &mut owner.cold().waiting;
        waiting.push(envelope);
        let count = waiting.count();
        if count == 1 {
            self.actor.deferred_sent.store(sent_ms, Ordering::Relaxed);
        }
        self.actor.facts.now_deferred(count);
        After::Next
    }

    pub(crate) fn take_deferred(&mut self) -> Vec<Envelope> {
        self.actor.facts.now_deferred(0);
        let owner = self.owner();
        owner.guards = Guards::None;
        let waiting = owner
            .cold
            .as_mut()
            .map(|cold| std::mem::take(&mut cold.waiting));
        waiting.map_or_else(Vec::new, Waiting::into_messages)
    }
}
