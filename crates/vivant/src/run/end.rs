//! The end of an actor: stop hook, drop of the state, close of the mailbox, in this order. Every
//! pending request is refused.

use super::run_guard::{RunGuard, unmute};
use crate::actor::ChildNews;
use crate::actor::Refusal;
use crate::actor::note_dead_letter;
use crate::actor::{
    Envelope, KindTable, Lifecycle, MessageKind, Next, Processed, StateRef, Worker,
};
use crate::failures::{Caught, StopReason, catch};
use crate::message::MessageRole;
use crate::observe;
use std::panic::Location;

impl RunGuard<'_> {
    /// Ends the actor: stop hook, drop of the state, close of the mailbox, in this order. Every
    /// pending request is refused.
    pub(crate) fn end(&mut self, reason: StopReason) {
        self.owner().life = Lifecycle::Ended;
        self.drop_state(&reason);
        self.finish(reason);
    }

    /// Runs the stop hook, then drops the state.
    pub(crate) fn drop_state(&mut self, reason: &StopReason) {
        let (class, worker) = (self.actor.class, self.worker);
        // Visible to inspection and the watchdog like a turn: a hook may take long.
        let now_ms = self.actor.system.oracle.coarse_ms();
        self.actor
            .facts
            .turn_begins(const { &Ending::KIND }, now_ms as u32);
        worker.turn_begins(const { &Ending::KIND });
        if let Err(caught) = catch(|| (class.stopping)(&mut self.state(), worker, reason)) {
            self.panicked("stop hook", caught);
        }
        if let Err(caught) = catch(|| (class.drop_state)(&mut self.state(), worker)) {
            self.panicked("drop of the state", caught);
        }
    }

    /// The second half of an end: closes the mailbox and removes the actor from the system's
    /// tables. A panic of user code in it is caught at the call.
    fn finish(&mut self, reason: StopReason) {
        let worker = self.worker;
        self.actor.ended.set(reason.clone());
        worker.turn_begins(const { &Ending::KIND });
        self.refuse_all();
        self.notify_linked(&reason);
        self.refuse_watches();
        // Wishes of a hook or a drop are discarded: no turn of this actor follows, and the next
        // turn on this worker is another actor's.
        self.forget_turn();
        self.report(ChildNews::Gone(reason));
        // The arguments of its start function are user data too.
        let cold = self.owner().cold.take();
        if let Err(caught) = catch(|| drop(cold)) {
            self.panicked("the end of the actor", caught);
        }
        let system = &self.actor.system;
        unmute(system.mutes.ended((self.actor.id, &self.actor.pressure)));
        let (id, place) = (self.actor.id, self.actor.place());
        if let Some(life) = system.registry.remove(place, |cell| cell.id == id) {
            worker.current.keep_alive(life);
            if let Some(reason) = self.actor.ended() {
                observe::ended(&self.actor.seen(), reason, &self.actor.system.meters);
            }
        }
        system.exit_hooks.run(id, system, |caught| {
            self.panicked("what follows from its end", caught);
        });
    }

    /// Ends an actor because of a panic outside any turn.
    pub(crate) fn end_after_panic(&mut self, caught: Caught) {
        let panic = self.panicked(self.worker.behaviour(), caught);
        let reason = StopReason::Panicked(panic);
        if self.has_ended() {
            self.finish(reason);
        } else {
            self.end_incarnation(reason);
        }
    }

    /// T3: closes the mailbox and accounts for every message in it.
    fn refuse_all(&mut self) {
        self.drop_overdue();
        let rest = self.actor.inbox.close();
        self.close_bounded_queue();
        self.owner().backlog.append(rest);
        self.owner().uncounted = 0;
        self.actor.pressure.closed();
        let step = self.take_step();
        let owner = self.owner();
        if owner.backlog.is_empty() && !owner.has_deferred() && step.is_none() {
            return;
        }
        let refusal = Refusal::ended(self.actor.cell());
        if let Some(step) = step {
            self.refuse(step, &refusal);
        }
        while let Some(envelope) = self.owner().backlog.pop_envelope() {
            self.worker.account_less(envelope.kind().bytes);
            if let Some(envelope) = self.message_of(envelope) {
                self.refuse(envelope, &refusal);
            }
        }
        for envelope in self.take_deferred() {
            self.refuse(envelope, &refusal);
        }
    }

    pub(crate) fn refuse(&self, envelope: Envelope, refusal: &Refusal) {
        let (kind, place) = (envelope.kind(), envelope.head().place);
        if kind.role.is_sent() {
            note_dead_letter(&self.actor, kind, place, refusal.cause());
        }
        // Dropping the content is user code: it may panic, and the other messages must still be
        // refused.
        if let Err(caught) = catch(|| envelope.refuse(refusal).follow()) {
            self.panicked(kind.name, caught);
        }
    }
}

/// The kind that inspection sees while an actor ends. Never sent.
struct Ending;

impl MessageKind for Ending {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("the end of the actor", MessageRole::StopMark);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
