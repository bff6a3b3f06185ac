//! The supervised actor: it goes down, keeps its mailbox, and is started again (see
//! `supervision/README.md`).

use super::end::StopHook;
use super::run_guard::{RunGuard, unmute};
use crate::actor::AfterStop;
use crate::actor::HaltNumber;
use crate::actor::Refusal;
use crate::actor::{ChildNews, Received, report};
use crate::actor::{
    Envelope, KindTable, Lifecycle, MessageKind, Mute, Next, Processed, StateRef, WaitPurpose,
    WaitingPlace, Worker,
};
use crate::actor::{LastStates, NextState, SavedClass};
use crate::actor::{Messages, OnPanic, Restart, SupervisedBy, Terms};
use crate::failures::Panic;
use crate::failures::{StopReason, catch};
use crate::interned::{Name, Place};
use crate::message::MessageRole;

/// What happens to an actor at the end of an incarnation.
enum IncarnationEnd {
    Ends,
    GoesDown,
    /// The turn panicked, and the terms keep the state.
    Continues,
}

impl RunGuard<'_> {
    /// Ends this incarnation: the actor ends, or goes down until its supervisor starts it again.
    pub(crate) fn end_incarnation(&mut self, reason: StopReason) {
        if self.owner().life == Lifecycle::Stopping {
            // Only its stop hook, or a failure of its own, brings it further: it is ending already.
            if !self.waits_for(WaitPurpose::Stop) || is_own_failure(&reason) {
                self.after_stop_hook();
            }
            return;
        }
        match self.end_of(&reason) {
            IncarnationEnd::Ends => self.end(reason),
            IncarnationEnd::GoesDown => self.go_down(reason),
            IncarnationEnd::Continues => {
                // The turn has failed before it panicked (`Turn::fail`): its state is not kept.
                if let Some(failed) = self.worker.take_end().filter(StopReason::is_failure) {
                    return self.end_incarnation(failed);
                }
                self.set_links();
                self.drop_begun_waits();
                if let Some(reason) = self.change_waits() {
                    return self.end_incarnation(reason);
                }
                self.forget_turn();
                // G2: the turn may have changed the state before it panicked.
                let guards = self.owner().guards.after_turn();
                self.owner().guards = guards;
                if let Received::No = self.report(ChildNews::Resumed(reason.clone())) {
                    self.end(reason);
                }
            }
        }
    }

    fn end_of(&mut self, reason: &StopReason) -> IncarnationEnd {
        if self.owner().life != Lifecycle::Running || self.actor.system.is_closing() {
            return IncarnationEnd::Ends;
        }
        let child = self.owner().child();
        child.map_or(IncarnationEnd::Ends, |child| end_of(&child.terms, reason))
    }

    /// The supervisor wants a new incarnation.
    pub(crate) fn halt(&mut self, number: HaltNumber) {
        match self.owner().life {
            Lifecycle::Running => self.end_incarnation(StopReason::Restarting),
            // It reports when its stop hook is over.
            Lifecycle::Stopping => {}
            Lifecycle::Down | Lifecycle::Ended => {
                if let Received::No = self.report(ChildNews::IsDown(number)) {
                    self.end(StopReason::Stopped);
                }
            }
        }
    }

    /// Drops the state and keeps the mailbox, after the stop hook.
    fn go_down(&mut self, reason: StopReason) {
        match self.run_stop_hook(&reason, AfterStop::GoesDown) {
            StopHook::Over => self.go_down_now(reason),
            StopHook::Waits => {}
        }
    }

    pub(crate) fn go_down_now(&mut self, reason: StopReason) {
        self.owner().life = Lifecycle::Down;
        self.give_up_hold();
        self.forget_panicked_guards();
        #[cfg(test)]
        if crate::injected_fault::is_planted(
            crate::injected_fault::InjectedFault::ForgottenConstraint,
        ) {
            self.forget_constraints();
        }
        self.drop_state();
        // T5: an actor that takes no messages mutes no sender.
        let system = &self.actor.system;
        unmute(system.mutes.ended((self.actor.id, &self.actor.pressure)));
        self.notify_linked(&reason);
        if let Some(step) = self.take_step() {
            let refusal = Refusal::restarted(self.actor.cell(), reason.clone());
            self.refuse(step, &refusal);
        }
        self.return_messages(&reason);
        self.forget_turn();
        self.choose_next_state(&reason);
        if let Received::No = self.report(ChildNews::Down(reason.clone())) {
            self.end(reason);
        }
    }

    /// The terms may want the last state for the next incarnation. None is loaded for an actor that
    /// has stopped itself.
    fn choose_next_state(&mut self, reason: &StopReason) {
        let wants_last = |child: &SupervisedBy| child.terms.on_panic == OnPanic::RestoreLast;
        if *reason == StopReason::Finished || !self.owner().child().is_some_and(wants_last) {
            return;
        }
        let why = match self.actor.class.saved {
            SavedClass::State(_) if LastStates::of(&self.actor.system).are_known() => {
                self.owner().cold().next_state = NextState::Last(failed_in(reason));
                return;
            }
            SavedClass::State(_) => "no snapshot has been taken",
            SavedClass::Start(_) | SavedClass::Nothing => "no snapshot has states of its type",
        };
        let reports = &self.actor.system.reports;
        reports.state_not_restored(self.actor.path(), why.to_owned());
    }

    /// Whether the last state of the actor is to be loaded now.
    pub(crate) fn awaits_last_state(&mut self) -> bool {
        let owner = self.owner();
        owner.life == Lifecycle::Down && owner.awaits_last_state()
    }

    /// Ends the turn and discards all its wishes.
    pub(crate) fn forget_turn(&mut self) {
        self.worker.turn_ends();
        self.actor.facts.turn_ends();
        let _wish = self.worker.take_end();
        if self.worker.has_changes() {
            drop(self.worker.take_links());
            self.drop_begun_waits();
            drop(self.worker.take_waits());
        }
        drop(self.worker.take_overloaded());
        self.drop_next_step();
    }

    /// Refuses the messages that waited for this incarnation, unless the terms keep them for the
    /// next one.
    fn return_messages(&mut self, reason: &StopReason) {
        #[cfg(test)]
        if crate::injected_fault::is_planted(crate::injected_fault::InjectedFault::LostOnRestart) {
            self.refill();
            drop(self.owner().backlog.pop_envelope());
        }
        let returned = |child: &SupervisedBy| child.terms.messages == Messages::Returned;
        if !self.owner().child().is_some_and(returned) {
            return;
        }
        self.refill();
        let refusal = Refusal::restarted(self.actor.cell(), reason.clone());
        let mut kept = Vec::new();
        while let Some(taken) = self.owner().backlog.pop_envelope() {
            self.account_taken(&taken);
            match self.waiting_message_of(taken) {
                // A message of the runtime is for any incarnation of the actor.
                Some((_, envelope)) if !envelope.kind().role.is_sent() => kept.push(envelope),
                Some((place, envelope)) => self.return_message(envelope, place, &refusal),
                None => {}
            }
        }
        for envelope in kept {
            self.put_back(envelope);
        }
        for envelope in self.take_deferred() {
            match envelope.kind().role.is_sent() {
                true => self.return_message(envelope, WaitingPlace::Deferred, &refusal),
                false => self.put_back(envelope),
            }
        }
    }

    fn return_message(&self, envelope: Envelope, place: WaitingPlace, refusal: &Refusal) {
        self.free_place(&envelope);
        self.refuses_across_line(envelope, place, |envelope| self.refuse(envelope, refusal));
    }

    /// The supervisor starts the actor.
    pub(crate) fn start_incarnation(&mut self) {
        if self.owner().life != Lifecycle::Down {
            return;
        }
        let next = std::mem::take(&mut self.owner().cold().next_state);
        if let NextState::Loaded(break_promises) = next {
            self.start_turn_begins();
            if let Err(caught) = catch(break_promises) {
                self.panicked("a restart with the last state", caught);
            }
            return self.has_started();
        }
        // Taken out of the owner part while user code runs.
        let Some(child) = self.owner().cold().child.take() else {
            return;
        };
        let begun = self.run_start(&child);
        self.owner().cold().child = Some(child);
        match begun {
            Ok(()) => self.has_started(),
            Err(panic) => self.failed_to_start(StopReason::Panicked(panic)),
        }
    }

    fn run_start(&mut self, child: &SupervisedBy) -> Result<(), Panic> {
        let (kind, worker) = (self.start_turn_begins(), self.worker);
        let begun = catch(|| child.begin.begin(&mut self.state(), worker));
        begun.map_err(|caught| self.panicked(kind.name, caught))
    }

    fn start_turn_begins(&self) -> &'static KindTable {
        let kind = const { &Beginning::KIND };
        let now_ms = self.actor.system.oracle.coarse_ms() as u32;
        self.actor.facts.turn_begins(kind, now_ms);
        self.worker.turn_begins(kind);
        kind
    }

    /// The start function has returned, or the last state is there.
    fn has_started(&mut self) {
        self.worker.turn_ends();
        self.actor.facts.turn_ends();
        let owner = self.owner();
        owner.life = Lifecycle::Running;
        owner.guards = owner.guards.after_turn();
        if owner.mute == Mute::Free {
            self.actor.system.mutes.unmuted(&self.actor.pressure);
        }
        self.set_links();
        let fails = self.change_waits();
        let unsupervised = match self.waits_for(WaitPurpose::Start) {
            // It reports when its promise has settled.
            true => None,
            false => self.report_up(),
        };
        if let Some(reason) = unsupervised {
            return self.end(reason);
        }
        match fails.or(self.worker.take_end()) {
            Some(reason) => self.end_incarnation(reason),
            None if self.owner().mute == Mute::Free => self.mute_if_overloaded(),
            // The actor is muted already: an earlier incarnation sent to an overloaded actor (P2).
            None => drop(self.worker.take_overloaded()),
        }
    }

    /// The start function panicked.
    fn failed_to_start(&mut self, reason: StopReason) {
        self.notify_linked(&reason);
        self.forget_turn();
        if let Received::No = self.report(ChildNews::Down(reason.clone())) {
            self.end(reason);
        }
    }

    /// Sends `news` to the supervisor, if there is one.
    pub(crate) fn report(&mut self, news: ChildNews) -> Received {
        let id = self.actor.id;
        match self.owner().child() {
            Some(child) => report(&child.supervisor, (child.news)(id, news)),
            None => Received::No,
        }
    }
}

/// The kind that inspection sees while a supervised actor makes its state. Never sent.
struct Beginning;

impl MessageKind for Beginning {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("start", MessageRole::Start);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}

/// The behaviour in which an actor has failed.
fn failed_in(reason: &StopReason) -> Option<Name> {
    match reason {
        StopReason::Panicked(panic) => Some(panic.behaviour()),
        StopReason::Failed(failed) => Some(failed.behaviour),
        _ => None,
    }
}

/// Whether one of the actor's own turns has failed.
fn is_own_failure(reason: &StopReason) -> bool {
    matches!(reason, StopReason::Panicked(_) | StopReason::Failed(_))
}

fn end_of(terms: &Terms, reason: &StopReason) -> IncarnationEnd {
    match reason {
        StopReason::Restarting => IncarnationEnd::GoesDown,
        StopReason::Panicked(_) if terms.on_panic == OnPanic::Resume => IncarnationEnd::Continues,
        StopReason::Panicked(_)
        | StopReason::Failed(_)
        | StopReason::Linked(_)
        | StopReason::NotStarted(_) => match (terms.restart, terms.on_panic) {
            (Restart::Never, _) | (_, OnPanic::Stop) => IncarnationEnd::Ends,
            _ => IncarnationEnd::GoesDown,
        },
        StopReason::Finished if terms.restart == Restart::Always => IncarnationEnd::GoesDown,
        _ => IncarnationEnd::Ends,
    }
}
