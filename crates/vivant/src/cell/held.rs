//! Evidence that this worker holds an actor, and the single steps of a run.

use super::reference::count_back;
use super::waiting::{Found, first_speaks_for};
use super::{
    AddressRef, Batch, Guards, Header, Lane, Life, Mute, Owner, Runnable, Signals, StateRef, Steps,
};
use crate::behaviour::Access;
use crate::call::Delivery;
use crate::dead_letter::Cause;
use crate::error::Panic;
use crate::mailbox::{Envelope, Kind, Parked, Step};
use crate::mute::Muting;
#[cfg(test)]
use crate::planted::Planted;
use crate::promise;
use crate::scheduler::Worker;
use crate::stop::StopReason;
use crate::system::HeldBack;

/// The right to touch an actor's state and owner part. At most one exists for a cell (C1).
pub(super) struct Held<'w> {
    pub(super) actor: Runnable,
    pub(super) worker: &'w Worker,
}

/// What is to be processed next.
pub(super) enum Next {
    Message(Envelope),
    /// Nothing yet, but more messages that wait for their guards are to be looked at.
    LooksOn,
    Nothing,
}

/// Whether the run of an actor is measured, because an earlier one took long.
pub(super) enum Suspicion {
    None,
    Since(u64),
}

/// What a processed message means for the run.
#[must_use]
pub(super) enum After {
    /// Go on.
    Next,
    /// Go on in another run.
    Pause,
    /// The actor is to end.
    End(StopReason),
}

/// How many messages may be begun before the pressure is told, unless the backlog is empty first.
pub(super) const COUNT_EVERY: u32 = 32;

impl<'w> Held<'w> {
    /// Takes an actor that came out of a run queue.
    pub(super) fn begin(actor: Runnable, worker: &'w Worker) -> Held<'w> {
        debug_assert!(
            !worker.has_left(),
            "T1: what a step left is with the worker"
        );
        let mut held = Held { actor, worker };
        held.is_present();
        held.counts_begin();
        worker.begins(&held.actor);
        held
    }

    /// Code deep inside the run finds the actor from here on.
    fn is_present(&mut self) {
        let spare = std::mem::take(&mut self.owner().spare);
        self.worker.present.begins(&self.actor, spare);
    }

    /// C6: counts the spare addresses back.
    #[inline]
    fn count_back(&self) {
        let spare = self.worker.present.take_spare();
        if spare == 0 {
            return;
        }
        // SAFETY: the cell is alive while it is held, and the run had these addresses.
        unsafe { count_back(self.actor.as_ptr(), spare) };
    }

    /// Takes up an actor whose `Held` was lost to a panic on this worker.
    pub(super) fn after_panic(worker: &'w Worker) -> Option<Held<'w>> {
        let actor = worker.present.again()?;
        Some(Held { actor, worker })
    }

    pub(super) fn actor(&self) -> &Header {
        &self.actor
    }

    pub(super) fn owner(&mut self) -> &mut Owner {
        // SAFETY: C1: this is the only `Held` of the cell, borrowed exclusively. Code of the
        // user's, and other actors' runs that it brings about, have no way to this owner part but
        // through this `Held`: a turn is given the state only.
        unsafe { &mut *self.actor.owner.get() }
    }

    pub(super) fn state(&mut self) -> StateRef<'_> {
        // SAFETY: C1: this is the only `Held` of the cell, borrowed exclusively while the
        // `StateRef` exists.
        unsafe { StateRef::new(self.actor.as_ptr()) }
    }

    /// Gives the actor back, to put it into a queue again.
    pub(super) fn release(mut self) -> Runnable {
        self.counts_end();
        self.count();
        self.owner().spare = self.worker.present.take_spare();
        self.worker.present.ends();
        self.actor
    }

    /// Leaves an actor that has ended.
    pub(super) fn leave(mut self) {
        self.counts_end();
        self.count_back();
        self.worker.present.ends_for_good();
    }

    /// Lets go; an error means that this worker still holds the actor, and must look again.
    pub(super) fn park(mut self) -> Result<(), Held<'w>> {
        if !self.takes_messages() {
            // It may have messages; an inbox is parked only when it is empty.
            self.refill();
            if self.actor.signals.is_raised() {
                // A nudge that came after a message leaves no mark of its own; the refill has
                // acquired it.
                return Err(self);
            }
        }
        self.count();
        self.count_back();
        // Before the exchange: after it the actor is another's, and its cell may be gone.
        self.worker.present.ends();
        match self.actor.inbox.park() {
            Parked::Yes => Ok(()),
            Parked::Again => {
                self.is_present();
                self.counts_begin();
                Err(self)
            }
        }
    }

    /// Takes the signals that came since the last look.
    pub(super) fn signals(&self) -> Signals {
        self.actor.signals.take()
    }

    /// The next message: a deferred one whose guard has opened, else the oldest of the mailbox.
    #[inline]
    pub(super) fn next(&mut self) -> Next {
        if self.owner().steps == Steps::Pending {
            #[cfg(test)]
            if self.has_bug_between_steps(Planted::MessageBetweenSteps)
                && let Some(envelope) = self.oldest()
            {
                return Next::Message(envelope);
            }
            return self.next_step();
        }
        let mut otherwise = Next::Nothing;
        if self.owner().guards.are_unseen() {
            match self.reopened() {
                Found::Open(envelope) => return Next::Message(envelope),
                Found::More => otherwise = Next::LooksOn,
                Found::Closed => {}
            }
        }
        let Some(envelope) = self.oldest() else {
            return otherwise;
        };
        if self.owner().guards == Guards::None || !first_speaks_for(envelope.kind()) {
            return Next::Message(envelope);
        }
        self.lined_up(envelope)
    }

    /// Takes the oldest message out of the mailbox.
    #[inline]
    fn oldest(&mut self) -> Option<Envelope> {
        if self.owner().backlog.is_empty() {
            self.refill();
        }
        let envelope = self.owner().backlog.pop_envelope()?;
        self.left(&envelope);
        Some(envelope)
    }

    /// A message has left the backlog for good.
    #[inline]
    pub(super) fn left(&mut self, envelope: &Envelope) {
        self.worker.account_less(envelope.kind().bytes);
        self.taken();
    }

    /// It has not, after all.
    pub(super) fn put_back(&mut self, envelope: Envelope) {
        self.worker.account_more(envelope.kind().bytes);
        let _depth = self.actor.pressure.add();
        self.owner().backlog.push_envelope(envelope);
    }

    /// Moves what is in the inbox behind the backlog.
    #[inline]
    pub(super) fn refill(&mut self) {
        let taken = self.actor.inbox.take();
        if taken.is_empty() {
            return;
        }
        // SAFETY: C1, as in `owner`; written out, so that the pressure may be borrowed beside it.
        let owner = unsafe { &mut *self.actor.owner.get() };
        owner.expect_batch(&self.actor.pressure);
        owner.backlog.append(taken);
    }

    /// A message left the mailbox.
    #[inline]
    fn taken(&mut self) {
        let owner = self.owner();
        if owner.batch == Batch::Fresh {
            owner.batch = Batch::Begun;
            return;
        }
        self.taken_more(1);
    }

    /// So many more left it.
    #[inline]
    pub(super) fn taken_more(&mut self, messages: u32) {
        let owner = self.owner();
        owner.uncounted += messages;
        if owner.uncounted >= COUNT_EVERY || owner.backlog.is_empty() {
            self.count();
        }
    }

    /// Tells the pressure of the messages that left the mailbox.
    #[inline]
    fn count(&mut self) {
        let count = std::mem::take(&mut self.owner().uncounted);
        if count > 0 {
            self.relieve(count);
        }
    }

    /// Lets go whom this actor had muted, if it has recovered.
    fn relieve(&self, count: u32) {
        let system = &self.worker.system;
        let pressure = &self.actor.pressure;
        if pressure.subtract(count, system.config.marks) {
            unmute(system.mutes.recovered((self.actor.id, pressure)));
        }
    }

    /// Processes one message, and a continuation that it released for this same actor. A panic in
    /// it passes through, to `run`.
    #[inline]
    pub(super) fn process(&mut self, envelope: Envelope) -> After {
        let kind = envelope.kind();
        let (actor, worker) = (&self.actor, self.worker);
        actor.facts.turn_begins(kind, envelope.head().sent_ms);
        worker.turn_begins(kind);
        // SAFETY: C1, as in `state`; written out, so that `actor` may stay borrowed.
        let mut state = unsafe { StateRef::new(actor.as_ptr()) };
        let step = envelope.run(&mut state, worker);
        worker.turn_ends();
        if let Step::Deferred(envelope) = step {
            return self.defer(envelope);
        }
        actor.facts.turn_ends();
        if kind.access == Access::Writes && self.owner().guards != Guards::None {
            #[cfg(test)]
            if crate::planted::is_planted(crate::planted::Planted::ForgottenGuard) {
                return After::Next;
            }
            self.owner().guards = Guards::Stale;
        }
        match step {
            Step::Done if !worker.has_wishes() => After::Next,
            Step::Done => self.heed_wishes(),
            other => self.step(kind, other),
        }
    }

    /// The turn wants its actor to end, or its run, or sent to an overloaded one.
    #[cold]
    fn heed_wishes(&mut self) -> After {
        // Taken whatever came of the turn: the wish must not outlive it.
        if let Some(reason) = self.worker.take_end() {
            return After::End(reason);
        }
        if self.worker.take_pause() {
            return After::Pause;
        }
        self.mute_if_asked();
        After::Next
    }

    /// The rarer outcomes of a message.
    fn step(&mut self, kind: &'static Kind, step: Step) -> After {
        match step {
            Step::Done | Step::Deferred(_) => self.heed_wishes(),
            Step::Again(envelope) => {
                self.has_step(envelope);
                self.heed_wishes()
            }
            Step::Stop => After::End(StopReason::Drained),
            Step::Bound(bond) => self.bind(bond),
            Step::Withdrawn(place) => {
                let note = || {
                    let letters = &self.actor.system.dead_letters;
                    letters.note(&self.actor, kind, place, Cause::Withdrawn);
                };
                self.as_turn(kind, note);
                self.heed_wishes()
            }
            Step::Release(to, released) => self.released(kind, to, released),
        }
    }

    /// What follows from a message may call code of the user's too, such as the drop of what is
    /// refused: it finds itself within a turn, and the watchdog sees it.
    pub(super) fn as_turn(&self, kind: &'static Kind, body: impl FnOnce()) {
        let before = self.worker.turn();
        self.worker.turn_begins(kind);
        body();
        match before {
            // The end of the actor goes on.
            Some(before) => self.worker.turn_begins(before),
            None => self.worker.turn_ends(),
        }
    }

    /// A resolution released a continuation: for this actor it runs at once, in a turn of its own;
    /// else it is sent on.
    fn released(&mut self, kind: &'static Kind, to: AddressRef, released: Envelope) -> After {
        if std::ptr::eq(&raw const *to, &raw const *self.actor) {
            // Before the turn, which may have use for a spare address.
            drop(to);
            self.gives_place(&released);
            return self.process(released);
        }
        let delivery = Delivery {
            to,
            envelope: released,
        };
        self.as_turn(kind, || promise::Next::Deliver(delivery).follow());
        self.heed_wishes()
    }

    pub(super) fn panicked(&self, behaviour: &'static str, caught: super::Caught) -> Panic {
        let panic = Panic::new(&self.actor, behaviour, caught);
        self.actor.system.reports.panicked(&panic);
        panic
    }

    /// A turn sent to an overloaded actor: mutes this one, unless that one has recovered meanwhile.
    pub(super) fn mute_if_asked(&mut self) {
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
            HeldBack::Actor(self.actor.cell()),
            it,
            system.config.marks,
        ) {
            Muting::GoesOn => {}
            Muting::Muted { release } => {
                unmute(release);
                self.owner().mute = Mute::Muted;
            }
        }
    }

    pub(super) fn unmute(&mut self) {
        if self.owner().mute == Mute::Muted {
            self.owner().mute = Mute::Free;
            if self.owner().life == Life::Running {
                self.actor.system.mutes.unmuted(&self.actor.pressure);
            }
        }
    }

    pub(super) fn takes_messages(&mut self) -> bool {
        let owner = self.owner();
        owner.life == Life::Running && owner.mute == Mute::Free
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.owner().life == Life::Ended
    }

    /// No address is left (C4: for good), and nothing that an address holder sent is unprocessed.
    pub(super) fn is_forsaken(&mut self) -> bool {
        self.count_back();
        self.actor.addresses() == 0 && !self.has_more()
    }

    /// Whether messages wait that have not been looked at, or may have become runnable since.
    pub(super) fn has_more(&mut self) -> bool {
        #[cfg(test)]
        if self.has_bug_between_steps(Planted::ParkedStep) {
            return false;
        }
        let owner = self.owner();
        owner.steps == Steps::Pending
            || owner.guards.are_unseen()
            || !owner.backlog.is_empty()
            || !self.actor.inbox.is_empty()
    }

    /// T6: the processor's time at which a run begins that is measured.
    #[inline]
    pub(super) fn suspicion(&mut self) -> Suspicion {
        match self.owner().lane {
            Lane::Workers | Lane::Blocking => Suspicion::None,
            Lane::Suspect | Lane::Slow => {
                Suspicion::Since(self.worker.system.oracle.thread_cpu_ns())
            }
        }
    }

    /// T6: an actor that computes for long belongs apart, and one that does not any more comes
    /// back. A turn that takes long is only suspect: it may wait for something, or have been kept
    /// from a processor.
    #[inline]
    pub(super) fn keeps_lane(&mut self, longest_ms: u64, suspicion: &Suspicion) {
        let system = &self.worker.system;
        let limit_ms = system.config.turn_limit_ms;
        let lane = match suspicion {
            Suspicion::None if longest_ms < limit_ms => return,
            Suspicion::None => Lane::Suspect,
            Suspicion::Since(then_ns) => {
                let computed_ns = system.oracle.thread_cpu_ns().saturating_sub(*then_ns);
                if computed_ns >= limit_ms * 1_000_000 {
                    Lane::Slow
                } else if longest_ms >= limit_ms {
                    Lane::Suspect
                } else {
                    Lane::Workers
                }
            }
        };
        if self.owner().lane != Lane::Blocking {
            self.owner().lane = lane;
        }
    }

    pub(super) fn was_busy(&self, ms: u64) {
        self.actor.facts.was_busy(ms);
    }
}

pub(super) fn unmute(release: Vec<HeldBack>) {
    release.into_iter().for_each(HeldBack::goes_on);
}
