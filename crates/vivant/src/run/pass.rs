//! An actor enters a pass, and messages and signals cross the line of a cut (`phase/README.md`).

use super::holder::Holder;
use super::idle::Idle;
use super::older_messages::OlderMessages;
use super::run_guard::RunGuard;
use crate::actor::{
    CellRef, Envelope, Lifecycle, Raised, RunState, Signals, StateRef, WaitingPlace, WaitsAs,
    record,
};
use crate::constraints::Constraints;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::{Parity, Pass, Phase, Stamp, Walk};
use vivant_heap::Sharer;

impl RunGuard<'_> {
    /// L2: before a run. Enters the pass of the worker, or both enter the one of the system.
    #[inline(always)]
    pub(crate) fn begin_pass(&mut self) {
        let mark = self.worker.pass_mark();
        if self.owner().pass != mark {
            self.enter_pass();
        }
    }

    /// L2: before anything that may be of behind the line.
    #[cold]
    #[inline(never)]
    pub(crate) fn enter_pass(&mut self) {
        let pass = self.worker.enter_pass();
        // An actor that has ended is in no pass any more.
        if self.owner().pass != pass.mark() && !self.has_ended() {
            let current = &self.worker.current;
            current.hidden(|| enter(self, pass));
        }
    }

    /// L6: the holder has found that no address is left. The last one may have been dropped behind
    /// the line.
    pub(crate) fn enter_pass_unreferenced(&mut self) {
        #[cfg(test)]
        if is_planted(InjectedFault::PhaseReadBeforeCount) {
            return;
        }
        self.enter_pass();
    }

    /// L2, L4: a message that was not sent in the phase of this code is taken out.
    #[cold]
    #[inline(never)]
    pub(crate) fn across_line(&mut self, message: Envelope, place: WaitingPlace) -> Envelope {
        let waits_as = self.owner().restored_as(&message);
        self.across_line_as(message, place, waits_as)
    }

    fn across_line_as(
        &mut self,
        mut message: Envelope,
        place: WaitingPlace,
        waits_as: WaitsAs,
    ) -> Envelope {
        #[cfg(test)]
        if is_planted(InjectedFault::CaptureTooLate) {
            return message;
        }
        if message.stamp() == self.worker.system.passes.now().phase().stamp() {
            self.enter_pass();
        } else {
            // Before the actor enters the next pass, so that it is recorded before the messages
            // behind it.
            let stamp = self.worker.stamp();
            record_taken(&self.actor.cell(), &mut message, (place, waits_as), stamp);
        }
        message
    }

    /// As `taken_from`, for the deferred message with this number, of which synchronizers have
    /// decided.
    pub(crate) fn taken_deferred(&mut self, number: u64, message: Envelope) -> Envelope {
        if message.stamp() == self.worker.stamp() {
            return message;
        }
        let waits_as = deferred_as(
            &self.actor.cell(),
            (number, &message),
            &self.owner().restored_ranks(),
        );
        self.across_line_as(message, WaitingPlace::Deferred, waits_as)
    }

    /// An actor that ends, or goes down, refuses a message: in its own phase, or as news of the
    /// phase of the message (L3). It enters no pass meanwhile: its end is of one phase.
    pub(crate) fn refuses_across_line(
        &self,
        mut message: Envelope,
        place: WaitingPlace,
        refuse: impl FnOnce(Envelope),
    ) {
        let now = self.worker.system.passes.now().phase();
        #[cfg(test)]
        if is_planted(InjectedFault::RefusalWithPhaseOfSender) {
            return refuse(message);
        }
        if message.stamp() == self.worker.stamp() {
            refuse(message);
        } else if message.stamp() == now.stamp() {
            self.worker.with_news_of(now, || refuse(message));
        } else {
            // Its rank is not known here: it is offered as a new one.
            let waits_as = message.restored_mark().waits_as(&[]);
            let stamp = self.worker.stamp();
            record_taken(&self.actor.cell(), &mut message, (place, waits_as), stamp);
            refuse(message);
        }
    }

    /// As `across_line`, if the message was not sent in the phase of this code.
    #[inline]
    pub(crate) fn taken_from(&mut self, place: WaitingPlace, message: Envelope) -> Envelope {
        match message.stamp() == self.worker.stamp() {
            true => message,
            false => self.across_line(message, place),
        }
    }

    /// L2, L6: signals are taken.
    #[cold]
    #[inline(never)]
    pub(crate) fn signals_across_line(&mut self, raised: Raised) -> Signals {
        if self.has_ended() {
            self.record_untaken(raised);
            return Signals::default();
        }
        let parity = |held: &Self| held.worker.pass().phase().parity();
        #[cfg(test)]
        if is_planted(InjectedFault::SignalWithoutPhase) {
            let own = parity(self);
            return raised.of(own).after(raised.of(own.other()));
        }
        // In the phase of the system they are older ones, which are recorded before the actor
        // enters the next pass: then the coordinator may take the records.
        if self.worker.is_behind() && raised.of(parity(self).other()) != Signals::default() {
            self.enter_pass();
        }
        let own = parity(self);
        let older = raised.of(own.other());
        #[cfg(test)]
        let older = match is_planted(InjectedFault::NewerSignalRecorded) {
            true => raised.of(own).after(older),
            false => older,
        };
        record_signals(&self.actor.cell(), self.owner(), older);
        raised.of(own).after(older)
    }

    /// L4: the actor has ended, and these signals were not taken.
    pub(crate) fn record_untaken_signals(&mut self) {
        let raised = self.actor.signals.take();
        if !raised.is_empty() {
            self.record_untaken(raised);
        }
    }

    fn record_untaken(&mut self, raised: Raised) {
        let phase = self.worker.pass().phase();
        if phase == self.worker.system.passes.now().phase() {
            let older = raised.of(phase.parity().other());
            record_signals(&self.actor.cell(), self.owner(), older);
        }
    }
}

impl Idle {
    /// L2: before the holder does anything with the actor.
    pub(crate) fn enter_pass(&mut self) {
        let pass = self.system.passes.now();
        if self.run_state().pass != pass.mark() {
            enter(self, pass);
        }
    }
}

impl Idle {
    /// The actor has got a heap, which enters the phase of the actor.
    pub(crate) fn heap_has_come(&mut self) {
        enter_heap_phase(self);
    }

    /// The phase of the actor.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "no heap is taken over from an image")
    )]
    pub(crate) fn phase(&mut self) -> Phase {
        phase_of(self)
    }
}

impl RunGuard<'_> {
    /// As [`Idle::heap_has_come`].
    pub(crate) fn heap_has_come(&mut self) {
        enter_heap_phase(self);
    }

    /// As [`Idle::phase`].
    pub(crate) fn phase(&mut self) -> Phase {
        phase_of(self)
    }
}

fn phase_of(actor: &mut impl Holder) -> Phase {
    let cell = actor.cell();
    cell.system.passes.phase_of(actor.run_state().pass)
}

/// The heap of an actor enters the phase of the actor.
fn enter_heap_phase(actor: &mut impl Holder) {
    let cell = actor.cell();
    let phase = phase_of(actor);
    let mut enter = |heap: &mut dyn Sharer| heap.enter_phase(phase.number());
    (cell.class.sharer)(&mut actor.state_ref(), &mut enter);
}

/// An actor enters the pass of the system.
#[cold]
fn enter(actor: &mut impl Holder, pass: Pass) {
    let cell = actor.cell();
    debug_assert!(
        actor.run_state().life != Lifecycle::Ended,
        "L7: an actor that has ended is in no pass"
    );
    let system = &cell.system;
    actor.run_state().pass = pass.mark();
    match pass.walk() {
        Walk::Capture => record(system, |cut| {
            cut.captured_run_state(&cell, actor.run_state());
            cut.captured(&cell, &mut actor.state_ref());
        }),
        Walk::Mailbox => record_mailbox(actor, &cell, pass.phase().stamp(), pass.phase().parity()),
    }
    enter_heap_phase(actor);
    // Last: the coordinator takes the records when all actors have entered.
    system.registry.enters(cell.place(), pass.parity());
}

/// L4: records the older messages and signals that wait for an actor.
fn record_mailbox(actor: &mut impl Holder, cell: &CellRef, stamp: Stamp, parity: Parity) {
    actor.refill_backlog();
    let mut older = OlderMessages::of(cell, stamp);
    let run_state = actor.run_state();
    let ranks = run_state.restored_ranks();
    let restored_as = |message: &Envelope| message.restored_mark().waits_as(&ranks);
    let is_constrained = run_state.is_constrained();
    if let Some(cold) = &mut run_state.cold {
        cold.deferred.each(|number, message| {
            older.record(
                WaitingPlace::Deferred,
                message,
                |message| match is_constrained {
                    true => deferred_as(cell, (number, message), &ranks),
                    false => restored_as(message),
                },
            );
        });
    }
    if let Some(queue) = cell.bounded_queue() {
        queue.each_waiting(|message| older.record(WaitingPlace::Queue, message, restored_as));
    }
    (run_state.backlog)
        .each_envelope(|message| older.record(WaitingPlace::Inbox, message, restored_as));
    older.end();
    #[cfg(test)]
    if is_planted(InjectedFault::MailboxReordered)
        && let Some(first) = run_state.backlog.pop_envelope()
    {
        run_state.backlog.push_envelope(first);
    }
    record_signals(cell, run_state, cell.signals.move_to(parity));
}

/// What a deferred message with this number waits as in the cut that is being taken. The ranks are
/// those that its actor has from an image.
fn deferred_as(actor: &CellRef, (number, message): (u64, &Envelope), ranks: &[u64]) -> WaitsAs {
    let line = actor.system.passes.now().phase();
    match Constraints::of(&actor.system).waits_as(actor.id, number, line) {
        WaitsAs::Message => message.restored_mark().waits_as(ranks),
        of_table => of_table,
    }
}

/// L4: records a message that was taken out, and gives it the stamp of this code.
fn record_taken(
    actor: &CellRef,
    message: &mut Envelope,
    place: (WaitingPlace, WaitsAs),
    stamp: Stamp,
) {
    let (place, waits_as) = place;
    let mut older = OlderMessages::of(actor, stamp);
    older.record(place, message, |_| waits_as);
    older.end();
}

fn record_signals(actor: &CellRef, run_state: &RunState, older: Signals) {
    if older != Signals::default() {
        let end = run_state.child().map(|child| &child.end);
        record(&actor.system, |cut| cut.is_signalled(actor, end, older));
    }
}

impl Holder for RunGuard<'_> {
    fn cell(&self) -> CellRef {
        self.actor.cell()
    }

    fn run_state(&mut self) -> &mut RunState {
        self.owner()
    }

    fn state_ref(&mut self) -> StateRef<'_> {
        self.state()
    }

    fn refill_backlog(&mut self) {
        self.refill();
    }
}
