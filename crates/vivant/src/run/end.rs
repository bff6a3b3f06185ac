//! The end of an actor: stop hook, drop of the state, close of the mailbox, in this order. Every
//! pending request is refused.

use super::run_guard::{RunGuard, unmute};
use crate::actor::ChildNews;
use crate::actor::Ended;
use crate::actor::Refusal;
use crate::actor::note_dead_letter;
use crate::actor::{
    AfterStop, Envelope, KindTable, Lifecycle, MessageKind, Next, Processed, StateRef, StopWait,
    WaitPurpose, WaitingPlace, Worker,
};
use crate::failures::{Caught, StopReason, catch};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::observe;

/// Whether the end of an actor waits for its stop hook.
#[must_use]
pub(crate) enum StopHook {
    /// The hook has run, and the rest of the end follows.
    Over,
    /// The hook has returned a promise, and the rest follows when that has settled.
    Waits,
}

impl RunGuard<'_> {
    /// Ends the actor: stop hook, drop of the state, close of the mailbox, in this order. Every
    /// pending request is refused. If the hook returns a promise, the rest follows when that has
    /// settled.
    pub(crate) fn end(&mut self, reason: StopReason) {
        match self.run_stop_hook(&reason, AfterStop::Ends) {
            StopHook::Over => self.end_now(reason),
            StopHook::Waits => {}
        }
    }

    /// Runs the stop hook, unless it has run.
    pub(crate) fn run_stop_hook(&mut self, reason: &StopReason, then: AfterStop) -> StopHook {
        match self.owner().life {
            Lifecycle::Running => {}
            Lifecycle::Stopping => {
                // The supervisor does not start it again after that.
                if let (AfterStop::Ends, Some(stop)) = (then, &mut self.owner().cold().stop) {
                    stop.then = AfterStop::Ends;
                }
                return StopHook::Waits;
            }
            Lifecycle::Down | Lifecycle::Ended => return StopHook::Over,
        }
        // What the incarnation waited for does not matter any more.
        self.drop_begun_waits();
        self.forget_waits();
        self.end_turn_begins();
        let (class, worker) = (self.actor.class, self.worker);
        if let Err(caught) = catch(|| (class.stopping)(&mut self.state(), worker, reason)) {
            self.panicked("stop hook", caught);
        }
        self.set_links();
        let _ends = self.change_waits();
        if !self.waits_for(WaitPurpose::Stop) {
            return StopHook::Over;
        }
        self.forget_turn();
        if let Some(step) = self.take_step() {
            let cell = self.actor.cell();
            let refusal = match then {
                AfterStop::Ends => Refusal::ending(cell, reason.clone()),
                AfterStop::GoesDown => Refusal::restarted(cell, reason.clone()),
            };
            self.refuse(step, &refusal);
        }
        let owner = self.owner();
        owner.life = Lifecycle::Stopping;
        owner.cold().stop = Some(StopWait {
            reason: reason.clone(),
            then,
        });
        StopHook::Waits
    }

    /// The promise of the stop hook has settled, or the actor does not wait for it any more.
    pub(crate) fn after_stop_hook(&mut self) {
        let Some(StopWait { reason, then }) = self.owner().cold().stop.take() else {
            return;
        };
        match then {
            AfterStop::Ends => self.end_now(reason),
            AfterStop::GoesDown => self.go_down_now(reason),
        }
    }

    /// The end after the stop hook.
    fn end_now(&mut self, reason: StopReason) {
        self.owner().life = Lifecycle::Ended;
        self.drop_state();
        self.finish(reason);
    }

    /// Drops the state.
    pub(crate) fn drop_state(&mut self) {
        self.forget_waits();
        self.end_turn_begins();
        let (class, worker) = (self.actor.class, self.worker);
        if let Err(caught) = catch(|| (class.drop_state)(&mut self.state(), worker)) {
            self.panicked("drop of the state", caught);
        }
    }

    /// Visible to inspection and the watchdog like a turn: a hook may take long.
    fn end_turn_begins(&self) {
        let now_ms = self.actor.system.oracle.coarse_ms();
        let kind = const { &Ending::KIND };
        self.actor.facts.turn_begins(kind, now_ms as u32);
        self.worker.turn_begins(kind);
    }

    /// The second half of an end: closes the mailbox and removes the actor from the system's
    /// tables. A panic of user code in it is caught at the call.
    fn finish(&mut self, reason: StopReason) {
        let worker = self.worker;
        self.actor.ended.set(Ended {
            reason: reason.clone(),
            phase: worker.pass().phase(),
        });
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
        let parity = self.owner().pass.parity();
        let system = &self.actor.system;
        let life = system.registry.remove(place, parity, |cell| cell.id == id);
        if let Some(life) = life {
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
        self.drop_overdue_at_end();
        let rest = self.actor.inbox.close();
        self.close_bounded_queue();
        self.owner().backlog.append(rest);
        self.owner().uncounted = 0;
        self.actor.pressure.closed();
        self.record_untaken_signals();
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
            if let Some((place, envelope)) = self.waiting_message_of(envelope) {
                let refuse = |envelope| self.refuse(envelope, &refusal);
                self.refuses_across_line(envelope, place, refuse);
            }
        }
        for envelope in self.take_deferred() {
            let refuse = |envelope| self.refuse(envelope, &refusal);
            self.refuses_across_line(envelope, WaitingPlace::Deferred, refuse);
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

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}
