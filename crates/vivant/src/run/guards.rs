//! Work of a run for deferred messages (T8; see the README).

use super::offers::offer;
use super::run_guard::{After, COUNT_EVERY, NextMessage, RunGuard};
use crate::actor::{
    Completes, Constrained, DeferredMessages, Envelope, Evaluated, Evaluation, Guarded, Guards,
    Open, Runnable, StateRef, WaitingPlace,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::Chain;
use crate::message::MessageRole;
use crate::sync::Ordering;
use crate::wait_for::WaitForGraph;

/// The order in which guards are evaluated. A type, so that an actor without synchronizers has code
/// that knows nothing of them.
pub(super) trait Order {
    fn evaluate(
        deferred: &mut DeferredMessages,
        is_open: impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Evaluated;

    /// Called with what has a true guard.
    fn is_open(
        constrained: Option<&mut Constrained>,
        actor: &Runnable,
        guarded: &Guarded<'_>,
    ) -> Evaluation;
}

/// One line after the other.
struct AnyLine;

impl Order for AnyLine {
    #[inline(always)]
    fn evaluate(
        deferred: &mut DeferredMessages,
        is_open: impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Evaluated {
        deferred.evaluate(is_open)
    }

    #[inline(always)]
    fn is_open(_: Option<&mut Constrained>, _: &Runnable, _: &Guarded<'_>) -> Evaluation {
        Evaluation::Open
    }
}

/// A constrained message is evaluated after each older open message has run, and offered.
pub(super) struct Arrival;

impl Order for Arrival {
    fn evaluate(
        deferred: &mut DeferredMessages,
        is_open: impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Evaluated {
        deferred.evaluate_in_order(is_open)
    }

    fn is_open(
        constrained: Option<&mut Constrained>,
        actor: &Runnable,
        guarded: &Guarded<'_>,
    ) -> Evaluation {
        constrained.map_or(Evaluation::Open, |constrained| {
            offer(constrained, &actor.cell(), guarded)
        })
    }
}

impl RunGuard<'_> {
    /// T8: finds a deferred message, or a combination of messages, with an open guard, among those
    /// with a stale guard.
    #[inline]
    pub(crate) fn find_open(&mut self) -> NextMessage {
        if self.owner().is_constrained() {
            return self.find_constrained();
        }
        self.drop_overdue();
        self.found::<AnyLine>()
    }

    /// Evaluates guards, and takes out what is found.
    #[inline(always)]
    pub(super) fn found<O: Order>(&mut self) -> NextMessage {
        let (actor, worker) = (&self.actor, self.worker);
        // SAFETY: this is the only `RunGuard` of the cell (C1), borrowed exclusively (X2). Written
        // out here so that the state may be borrowed beside it. A guard gets the state only, and
        // cannot reach the owner part.
        let owner = unsafe { &mut *actor.owner.get() };
        // SAFETY: this is the only `RunGuard` of the cell, and no other `StateRef` exists here
        // (C1). The actor's life keeps the cell alive (C5); the pointer is that of the whole cell
        // (C7).
        let mut state = unsafe { StateRef::new(actor.as_ptr()) };
        let cold = owner.cold.as_deref_mut();
        let Some(cold) = cold.filter(|cold| cold.deferred.count() > 0) else {
            owner.nothing_deferred();
            return NextMessage::Nothing;
        };
        let (waiting, constrained) = (&mut cold.deferred, &mut cold.constrained);
        if owner.guards == Guards::Stale {
            waiting.state_changed();
        }
        // A panic passes through, to `run`.
        owner.guards = Guards::Evaluating;
        let found = O::evaluate(waiting, |guarded| {
            worker.guard_begins(guarded.kind());
            match guarded.ready(&mut state) {
                false => Evaluation::Closed,
                true => O::is_open(constrained.as_deref_mut(), actor, &guarded),
            }
        });
        worker.guard_ends();
        // A guard can send, but no actor is muted for that: no turn has ended.
        if worker.has_request() {
            drop(worker.take_overloaded());
        }
        owner.guards = match found {
            Evaluated::Open(_) | Evaluated::More | Evaluated::Offered => Guards::Partly,
            Evaluated::Closed => Guards::Closed,
        };
        match found {
            Evaluated::Closed => NextMessage::Nothing,
            Evaluated::More | Evaluated::Offered => NextMessage::More,
            Evaluated::Open(open) => NextMessage::Message(self.took_open(open)),
        }
    }

    /// Returns the message to run.
    #[inline(never)]
    fn took_open(&mut self, open: Open) -> Envelope {
        self.tell_taken();
        self.publish_deferred();
        match open {
            Open::Message(envelope) => self.taken_from(WaitingPlace::Deferred, envelope),
            Open::Combination(mut combination) => {
                // Twice: one of them may be of behind the line. Then the actor is captured with the
                // others in its hand, and they wait in the cut.
                for _ in 0..2 {
                    for message in &mut combination.messages {
                        let taken = message.take();
                        *message =
                            taken.map(|taken| self.taken_from(WaitingPlace::Deferred, taken));
                    }
                }
                // Before the turn, which may send to its own actor.
                let messages = combination.messages.iter().flatten();
                messages.for_each(|message| self.free_place(message));
                combination.into_turn()
            }
        }
    }

    /// After the panic of a guard: takes out the message of that guard. The caller runs it at once,
    /// before anything else happens to the actor. The turn meets the same fault and ends the actor,
    /// with the turn's place.
    pub(crate) fn take_last_evaluated(&mut self) -> Option<Envelope> {
        if self.owner().guards != Guards::Evaluating {
            return None;
        }
        // The evaluation did not finish.
        self.owner().guards = Guards::Stale;
        self.worker.guard_ends();
        drop(self.worker.take_overloaded());
        let deferred = &mut self.owner().cold().deferred;
        let constrained = deferred.constrained_evaluated();
        let open = deferred.take_last_evaluated()?;
        if let Some(number) = constrained {
            self.withdraw_offer(number);
        }
        Some(self.took_open(open))
    }

    /// Defers this message, and those behind it in the backlog, without an evaluation while their
    /// guards are known to be false. Returns the first other message.
    #[inline(never)]
    pub(crate) fn defer_line(&mut self, mut envelope: Envelope) -> NextMessage {
        let worker = self.worker;
        let stamp = worker.stamp();
        let owner = self.owner();
        // The backlog is taken out of the owner part: senders write to the cell meanwhile, and the
        // two would contend for its cache line.
        let mut backlog = std::mem::replace(&mut owner.backlog, Chain::new());
        let waiting = &mut owner.cold().deferred;
        let (mut more, mut sent_ms) = (0, None);
        let next = loop {
            let its_ms = envelope.head().sent_ms;
            if let Some(other) = waiting.defer_unevaluated(envelope) {
                break NextMessage::Message(other);
            }
            sent_ms = Some(its_ms);
            // A message from across the line is taken out by `oldest`.
            let crosses = !backlog.first_is_of(stamp);
            #[cfg(test)]
            let crosses = crosses && !is_planted(InjectedFault::TakenUnrecorded);
            if more == COUNT_EVERY || crosses {
                break NextMessage::More;
            }
            let Some(another) = backlog.pop_envelope() else {
                break NextMessage::More;
            };
            worker.account_less(another.kind().bytes);
            more += 1;
            envelope = another;
        };
        let count = waiting.count();
        owner.backlog = backlog;
        self.count_taken_more(more);
        if let Some(sent_ms) = sent_ms {
            self.actor.facts.set_begun(sent_ms);
            self.actor.facts.set_deferred(count);
        }
        next
    }

    pub(crate) fn publish_deferred(&mut self) {
        let waiting = &self.owner().cold().deferred;
        let (count, oldest_ms) = (waiting.count(), waiting.oldest_ms());
        self.actor.deferred_sent.store(oldest_ms, Ordering::Relaxed);
        self.actor.facts.set_deferred(count);
    }

    /// Defers a message with a false guard. The guard of a ticket is always false, and that of a
    /// watch is false while it has a listener.
    #[cold]
    pub(crate) fn defer(&mut self, mut envelope: Envelope) -> After {
        self.actor.facts.clear_current();
        // As after an evaluation: no turn has ended.
        drop(self.worker.take_overloaded());
        match envelope.kind().role {
            MessageRole::Ticket => return self.redeem(envelope),
            MessageRole::Watch => return self.keep_watch(envelope),
            _ => {}
        }
        // A continuation that was to run at once has no stamp yet.
        envelope.set_stamp(self.worker.stamp());
        let sent_ms = envelope.head().sent_ms;
        let owner = self.owner();
        if owner.guards == Guards::None {
            owner.guards = Guards::Closed;
        }
        let waiting = &mut owner.cold().deferred;
        let completes = waiting.push(envelope);
        let count = waiting.count();
        if completes == Completes::Yes && owner.guards == Guards::Closed {
            owner.guards = Guards::Partly;
        }
        if count == 1 {
            self.actor.deferred_sent.store(sent_ms, Ordering::Relaxed);
        }
        self.actor.facts.set_deferred(count);
        After::Next
    }

    pub(crate) fn take_deferred(&mut self) -> Vec<Envelope> {
        self.actor.facts.set_deferred(0);
        self.forget_offers();
        let owner = self.owner();
        owner.nothing_deferred();
        let Some(cold) = &mut owner.cold else {
            return Vec::new();
        };
        let waiting = std::mem::take(&mut cold.deferred);
        cold.deferred.constrain(waiting.constrained());
        cold.open_requests.clear();
        if waiting.has_known() {
            // W2: before they are refused.
            WaitForGraph::of(&self.actor.system).take_all(self.actor.id);
        }
        waiting.into_messages()
    }
}
