//! The run guard: evidence that this worker holds an actor, and the single steps of a run.

use crate::actor::Guards;
use crate::actor::first_decides_for;
use crate::actor::{
    Batch, Envelope, Header, KindTable, Lifecycle, Mute, MutedSender, Processed, RunState,
    Runnable, Signals, StateRef, StepProgress, WaitingPlace, Worker, count_back,
};
use crate::actor::{admit, note_dead_letter};
use crate::failures::Cause;
use crate::failures::Panic;
use crate::failures::{Caught, StopReason};
#[cfg(test)]
use crate::injected_fault::InjectedFault;
use crate::interned::Name;
use crate::message::Parked;
use crate::mute::Muting;

/// The run guard of an actor: the right to access its state and owner part. At most one exists for
/// a cell (C1).
pub(crate) struct RunGuard<'w> {
    pub(crate) actor: Runnable,
    pub(crate) worker: &'w Worker,
}

/// The next message to process.
pub(crate) enum NextMessage {
    Message(Envelope),
    /// No message yet, but the next call may have one.
    More,
    Nothing,
    /// No message: a transaction of a synchronizer has its hold.
    Held,
}

/// What a processed message means for the run.
#[must_use]
pub(crate) enum After {
    /// Continue.
    Next,
    /// Continue in another run.
    Pause,
    /// End the actor.
    End(StopReason),
}

/// Limit of the messages begun before the holder subtracts them from the pressure. If the backlog
/// becomes empty earlier, it subtracts them then.
pub(crate) const COUNT_EVERY: u32 = 32;

impl<'w> RunGuard<'w> {
    /// Begins the run of an actor that came out of a run queue. The caller enters the pass of the
    /// system before anything else.
    pub(crate) fn begin(actor: Runnable, worker: &'w Worker) -> RunGuard<'w> {
        debug_assert!(
            !worker.has_next_step(),
            "T1: what a step left is with the worker"
        );
        let mut held = RunGuard { actor, worker };
        held.make_current();
        held.counts_begin();
        worker.begin_run(&held.actor);
        held
    }

    /// Makes the actor the current actor of this worker, so that code deep inside the run finds it.
    fn make_current(&mut self) {
        let cached = std::mem::take(&mut self.owner().cached);
        self.worker.current.set(&self.actor, cached);
    }

    /// C6: subtracts the cached addresses from the count.
    #[inline]
    fn count_back(&self) {
        let cached = self.worker.current.take_cached();
        if cached == 0 {
            return;
        }
        // SAFETY: the cell is alive while the actor is held: its life is in the registry, or with
        // this worker (C5). The run owned these counted addresses (C6), and the pointer is that of
        // the whole cell (C7).
        unsafe { count_back(self.actor.as_ptr(), cached) };
    }

    /// Returns a new `RunGuard` for the actor of this worker after a panic has dropped the old one.
    pub(crate) fn after_panic(worker: &'w Worker) -> Option<RunGuard<'w>> {
        let actor = worker.current.after_panic()?;
        Some(RunGuard { actor, worker })
    }

    pub(crate) fn actor(&self) -> &Header {
        &self.actor
    }

    pub(crate) fn owner(&mut self) -> &mut RunState {
        // SAFETY: this is the only `RunGuard` of the cell (C1), borrowed exclusively (X2). User
        // code, and runs of other actors that it causes, reach this owner part only through this
        // `RunGuard`: a turn gets the state only.
        unsafe { &mut *self.actor.owner.get() }
    }

    pub(crate) fn state(&mut self) -> StateRef<'_> {
        // SAFETY: this is the only `RunGuard` of the cell (C1), borrowed exclusively while the
        // `StateRef` exists (X2). The actor's life keeps the cell alive (C5); the pointer is that
        // of the whole cell (C7).
        unsafe { StateRef::new(self.actor.as_ptr()) }
    }

    /// Ends the run and returns the actor, to be put into a queue again.
    pub(crate) fn release(mut self) -> Runnable {
        self.counts_end();
        self.count();
        self.owner().cached = self.worker.current.take_cached();
        self.worker.current.clear();
        self.actor
    }

    /// Ends the run of an actor that has ended.
    pub(crate) fn leave(mut self) {
        self.counts_end();
        self.count_back();
        // SAFETY: this is the holder (C1). No code of the actor runs after this.
        unsafe { self.actor.slots.clear() };
        self.worker.current.clear_ended();
    }

    /// Parks the actor. Returns `Err` if this worker still holds the actor and must check again.
    pub(crate) fn park(mut self) -> Result<(), RunGuard<'w>> {
        if !self.takes_messages() {
            // The inbox may have messages, and only an empty inbox can be parked.
            self.refill();
            let keeps = !self.owner().backlog.is_empty();
            self.actor.facts.set_keeps_messages(keeps);
            if self.actor.signals.is_raised() {
                // A notification that came after a message leaves no mark of its own; the refill
                // has acquired it.
                return Err(self);
            }
        } else if self.actor.facts.keeps_messages() {
            self.actor.facts.set_keeps_messages(false);
        }
        self.count();
        self.count_back();
        // Before the exchange: after it another worker may run the actor, and its cell may be
        // freed.
        self.worker.current.clear();
        match self.actor.inbox.park() {
            Parked::Yes => Ok(()),
            Parked::Again => {
                self.make_current();
                self.counts_begin();
                Err(self)
            }
        }
    }

    /// Takes the signals that were raised since the last check.
    #[inline]
    pub(crate) fn signals(&mut self) -> Signals {
        if !self.actor.signals.is_raised() || self.awaits_last_state() {
            // Orders wait until the last state is there.
            return Signals::default();
        }
        let raised = self.actor.signals.take();
        match raised.is_empty() {
            true => Signals::default(),
            false => self.signals_across_line(raised),
        }
    }

    /// Returns the next message: a deferred one with an open guard, else the oldest of the mailbox.
    #[inline]
    pub(crate) fn next(&mut self) -> NextMessage {
        if self.owner().steps == StepProgress::Pending {
            #[cfg(test)]
            if self.has_bug_between_steps(InjectedFault::MessageBetweenSteps)
                && let Some(envelope) = self.oldest()
            {
                return NextMessage::Message(envelope);
            }
            return self.next_step();
        }
        if self.owner().guards != Guards::None {
            return self.next_guarded();
        }
        match self.oldest() {
            Some(envelope) => NextMessage::Message(envelope),
            None => NextMessage::Nothing,
        }
    }

    /// As `next`, of an actor that has deferred messages, or that synchronizers constrain.
    fn next_guarded(&mut self) -> NextMessage {
        let mut otherwise = NextMessage::Nothing;
        if self.owner().guards.need_evaluation() {
            match self.find_open() {
                NextMessage::Nothing => {}
                NextMessage::More => otherwise = NextMessage::More,
                open @ (NextMessage::Message(_) | NextMessage::Held) => return open,
            }
        }
        let Some(envelope) = self.oldest() else {
            return otherwise;
        };
        let guards = self.owner().guards;
        match guards {
            Guards::None => NextMessage::Message(envelope),
            Guards::Held => self.hold_back(envelope),
            _ if self.owner().is_constrained() => self.take_arrived(envelope),
            _ if !first_decides_for(envelope.kind()) => NextMessage::Message(envelope),
            _ => self.defer_line(envelope),
        }
    }

    /// Takes the oldest message out of the mailbox.
    #[inline(always)]
    fn oldest(&mut self) -> Option<Envelope> {
        if self.owner().backlog.is_empty() {
            self.refill();
        }
        let envelope = self.owner().backlog.pop_envelope()?;
        self.account_taken(&envelope);
        if envelope.stamp() != self.worker.stamp() {
            return Some(self.across_line(envelope, WaitingPlace::Inbox));
        }
        Some(envelope)
    }

    /// Accounts for a message that has left the backlog for good.
    #[inline]
    pub(crate) fn account_taken(&mut self, envelope: &Envelope) {
        self.worker.account_less(envelope.kind().bytes);
        self.count_taken();
    }

    /// Puts a message back that had left the backlog.
    pub(crate) fn put_back(&mut self, envelope: Envelope) {
        self.worker.account_more(envelope.kind().bytes);
        let _depth = self.actor.pressure.add();
        self.owner().backlog.push_envelope(envelope);
    }

    /// Moves the messages of the inbox behind the backlog.
    #[inline]
    pub(crate) fn refill(&mut self) {
        // SAFETY: this is the only `RunGuard` of the cell (C1), borrowed exclusively (X2). Written
        // out here so that the inbox and the pressure may be borrowed beside it.
        let owner = unsafe { &mut *self.actor.owner.get() };
        owner.refill(&self.actor.inbox, &self.actor.pressure);
    }

    /// Counts one message that left the mailbox.
    #[inline]
    fn count_taken(&mut self) {
        let owner = self.owner();
        if owner.batch == Batch::Fresh {
            owner.batch = Batch::Begun;
            return;
        }
        self.count_taken_more(1);
    }

    /// Counts `messages` more messages that left the mailbox.
    #[inline]
    pub(crate) fn count_taken_more(&mut self, messages: u32) {
        let owner = self.owner();
        owner.uncounted += messages;
        if owner.uncounted >= COUNT_EVERY || owner.backlog.is_empty() {
            self.count();
        }
    }

    /// Subtracts the messages that left the mailbox from the pressure.
    #[inline]
    fn count(&mut self) {
        let count = std::mem::take(&mut self.owner().uncounted);
        if count > 0 {
            self.subtract_pressure(count);
        }
    }

    /// Subtracts `count` messages from the pressure. If the actor has recovered, unmutes the actors
    /// that it had muted.
    fn subtract_pressure(&self, count: u32) {
        let system = &self.worker.system;
        let pressure = &self.actor.pressure;
        if pressure.subtract(count, system.config.marks) {
            unmute(system.mutes.recovered((self.actor.id, pressure)));
        }
    }

    /// Processes one message, and a continuation that this message released for the same actor. A
    /// panic passes through, to `run`.
    #[inline]
    pub(crate) fn process(&mut self, envelope: Envelope) -> After {
        let kind = envelope.kind();
        let (actor, worker) = (&self.actor, self.worker);
        actor.facts.turn_begins(kind, envelope.head().sent_ms);
        worker.turn_begins(kind);
        // SAFETY: this is the only `RunGuard` of the cell (C1), borrowed exclusively (X2). Written
        // out here so that `actor` may stay borrowed. The actor's life keeps the cell alive (C5);
        // the pointer is that of the whole cell (C7).
        let mut state = unsafe { StateRef::new(actor.as_ptr()) };
        let step = envelope.run(&mut state, worker);
        worker.turn_ends();
        if let Processed::Deferred(envelope) = step {
            return self.defer(envelope);
        }
        actor.facts.turn_ends();
        if self.owner().guards != Guards::None {
            #[cfg(test)]
            if crate::injected_fault::is_planted(
                crate::injected_fault::InjectedFault::ForgottenGuard,
            ) {
                return After::Next;
            }
            let guards = self.owner().guards;
            self.owner().guards = guards.after_turn();
        }
        if let Processed::Done = step {
            // It owns nothing: its drop would be a call.
            std::mem::forget(step);
            return match worker.has_request() {
                false => After::Next,
                true => self.handle_request(),
            };
        }
        self.step(kind, step)
    }

    /// Handles the wishes of a turn: to end its actor, to end the run, or to be muted because it
    /// sent to an overloaded actor.
    #[cold]
    pub(crate) fn handle_request(&mut self) -> After {
        // Taken whatever the result of the turn: the wish must not outlive it.
        self.set_links();
        if let Some(reason) = self.change_waits() {
            return After::End(reason);
        }
        if let Some(reason) = self.worker.take_end() {
            return After::End(reason);
        }
        if self.worker.take_pause() {
            return After::Pause;
        }
        self.mute_if_overloaded();
        After::Next
    }

    /// Handles the rarer outcomes of a message.
    fn step(&mut self, kind: &'static KindTable, step: Processed) -> After {
        match step {
            Processed::Done | Processed::Deferred(_) => self.handle_request(),
            Processed::NextStep(envelope) => {
                self.set_step(envelope);
                self.handle_request()
            }
            Processed::Stop => After::End(StopReason::Drained),
            Processed::Link(message) => self.link(message),
            Processed::Constrain(patterns) => self.constrain(patterns),
            Processed::Restore(message) => self.restore(kind, *message),
            Processed::ExamineRequests => self.examine_requests(),
            Processed::Withdrawn(place) => {
                // L8: it may have been withdrawn behind the line.
                self.worker.may_know_news();
                let note = || {
                    note_dead_letter(&self.actor, kind, place, Cause::Withdrawn);
                };
                self.as_turn(kind, note);
                self.handle_request()
            }
            Processed::Release(to, released) => self.settled(kind, to, released),
        }
    }

    /// Runs `body` as a turn of `kind`. Work after a message may call user code too, such as the
    /// drop of refused content: that code finds itself within a turn, and the watchdog sees it.
    pub(crate) fn as_turn(&self, kind: &'static KindTable, body: impl FnOnce()) {
        let before = self.worker.turn();
        self.worker.turn_begins(kind);
        body();
        match before {
            // The end of the actor is in progress and continues.
            Some(before) => self.worker.turn_begins(before),
            None => self.worker.turn_ends(),
        }
    }

    pub(crate) fn panicked(&self, behaviour: impl Into<Name>, caught: Caught) -> Panic {
        let panic = self.actor.panic(behaviour, caught);
        self.actor.system.reports.panicked(&panic);
        panic
    }

    /// Mutes this actor if its turn sent to an overloaded actor, unless that actor has recovered
    /// since.
    pub(crate) fn mute_if_overloaded(&mut self) {
        let Some(receiver) = self.worker.take_overloaded() else {
            return;
        };
        let system = &self.actor.system;
        let (me, it) = (
            (self.actor.id, &self.actor.pressure),
            (receiver.id, &receiver.pressure),
        );
        match system.mutes.mute(
            me,
            MutedSender::Actor(self.actor.cell()),
            it,
            system.config.marks,
        ) {
            Muting::NotMuted => {}
            Muting::Muted { release } => {
                unmute(release);
                self.owner().mute = Mute::Muted;
            }
        }
    }

    pub(crate) fn unmute(&mut self) {
        if self.owner().mute == Mute::Muted {
            self.owner().mute = Mute::Free;
            if self.owner().life == Lifecycle::Running {
                self.actor.system.mutes.unmuted(&self.actor.pressure);
            }
        }
    }

    pub(crate) fn takes_messages(&mut self) -> bool {
        let owner = self.owner();
        matches!(owner.life, Lifecycle::Running | Lifecycle::Stopping) && owner.mute == Mute::Free
    }

    /// Returns true if the actor has ended, or waits for its stop hook.
    pub(crate) fn is_ending(&mut self) -> bool {
        matches!(self.owner().life, Lifecycle::Stopping | Lifecycle::Ended)
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.owner().life == Lifecycle::Ended
    }

    /// Returns true if no address is left (C4: for good) and no message sent through an address is
    /// unprocessed.
    pub(crate) fn is_unreferenced(&mut self) -> bool {
        self.count_back();
        // A transaction that has its hold releases it soon.
        self.actor.addresses() == 0 && self.owner().mute != Mute::Held && !self.has_more()
    }

    /// Returns true if there is work: a step, an unread message, or a deferred message with a guard
    /// that may have opened.
    pub(crate) fn has_more(&mut self) -> bool {
        #[cfg(test)]
        if self.has_bug_between_steps(InjectedFault::ParkedStep) {
            return false;
        }
        let owner = self.owner();
        owner.steps == StepProgress::Pending
            || owner.guards.need_evaluation()
            || !owner.backlog.is_empty()
            || !self.actor.inbox.is_empty()
    }

    pub(crate) fn add_busy(&self, ms: u64) {
        self.actor.facts.add_busy(ms);
    }
}

#[inline]
pub(crate) fn unmute(release: Vec<MutedSender>) {
    if !release.is_empty() {
        unmute_all(release);
    }
}

#[cold]
fn unmute_all(release: Vec<MutedSender>) {
    for held_back in release {
        match held_back {
            MutedSender::Actor(muted) => muted.signal(Signals::UNMUTE),
            MutedSender::Offer(waiting_sender) => {
                let _admission = admit(&waiting_sender);
            }
        }
    }
}
