//! Evidence that this worker holds an actor, and the single steps of a run.

use super::{AddressRef, CellRef, Guards, Life, Mute, Owner, Signals, StateRef, catch};
use crate::call::Delivery;
use crate::dead_letter::Cause;
use crate::error::Panic;
use crate::mailbox::{Envelope, Role, Step};
use crate::mute::Muting;
use crate::promise::Next;
use crate::scheduler::Worker;
use crate::stop::StopReason;

/// The right to touch an actor's state and owner part. At most one exists for a cell (C1).
pub(super) struct Held<'w> {
    pub(super) cell: CellRef,
    pub(super) worker: &'w Worker,
}

/// What a processed message means for the run.
#[must_use]
pub(super) enum After {
    /// Go on.
    Next,
    /// The actor is to end.
    End(StopReason),
}

impl<'w> Held<'w> {
    /// Takes an actor that came out of a run queue.
    pub(super) fn begin(cell: CellRef, worker: &'w Worker) -> (Held<'w>, Signals) {
        let signals = cell.run.hold();
        worker.holds(&cell);
        (Held { cell, worker }, signals)
    }

    /// Takes up an actor whose `Held` was lost to a panic on this worker.
    pub(super) fn after_panic(worker: &'w Worker) -> Held<'w> {
        let cell = worker.me();
        Held { cell, worker }
    }

    pub(super) fn cell(&self) -> &CellRef {
        &self.cell
    }

    pub(super) fn owner(&mut self) -> &mut Owner {
        // SAFETY: C1: this is the only `Held` of the cell, borrowed exclusively; user code, which runs only inside
        // `process` and `end`, has no way to the owner part.
        unsafe { &mut *self.cell.owner.get() }
    }

    pub(super) fn state(&mut self) -> StateRef<'_> {
        // SAFETY: C1: this is the only `Held` of the cell, borrowed exclusively while the `StateRef` exists.
        unsafe { StateRef::new(self.cell.as_ptr()) }
    }

    /// Gives the reference back, to put it into a queue again.
    pub(super) fn release(self) -> CellRef {
        self.worker.holds_nothing();
        self.cell
    }

    /// The next message that may run: a deferred one whose guard has opened, else the oldest of the mailbox.
    pub(super) fn next(&mut self) -> Option<Envelope> {
        if let Some(envelope) = self.reopened() {
            return Some(envelope);
        }
        loop {
            if self.owner().backlog.is_empty() {
                let taken = self.cell.inbox.take();
                self.owner().backlog.append(taken);
            }
            let envelope = self.owner().backlog.pop_envelope()?;
            if self.is_ready(&envelope) {
                return Some(envelope);
            }
            self.cell.system.bytes.subtract(envelope.kind().bytes);
            self.owner().waiting.push_back(envelope);
            self.publish_deferred();
            self.taken(1);
        }
    }

    /// T8: the oldest deferred message whose guard has opened, if a turn has run since they were last looked at.
    fn reopened(&mut self) -> Option<Envelope> {
        if self.owner().guards == Guards::Looked {
            return None;
        }
        let waiting = std::mem::take(&mut self.owner().waiting);
        let open = waiting.iter().position(|envelope| self.is_ready(envelope));
        self.owner().waiting = waiting;
        match open {
            None => {
                self.owner().guards = Guards::Looked;
                None
            }
            Some(at) => {
                let envelope = self.owner().waiting.remove(at);
                self.publish_deferred();
                // It is counted again while it is processed, like any message.
                self.cell.pressure.add();
                self.cell.system.bytes.add(envelope.as_ref()?.kind().bytes);
                envelope
            }
        }
    }

    pub(super) fn publish_deferred(&mut self) {
        let deferred = self.owner().waiting.len();
        self.cell.facts.now_deferred(deferred);
    }

    fn is_ready(&mut self, envelope: &Envelope) -> bool {
        // Before the state exists only the start message comes, and it has no guard.
        if envelope.kind().role != Role::Turn {
            return true;
        }
        self.worker.turn_begins(envelope.head());
        let ready = catch(|| envelope.ready(&mut self.state()));
        self.worker.turn_ends();
        // A guard that sends cannot be kept from it, but nobody is muted for it: no turn has ended.
        drop(self.worker.take_overloaded());
        // A guard that panics lets its message run: the turn will meet the same fault and end the actor with its place.
        ready.unwrap_or(true)
    }

    /// Messages left the mailbox: lets go whom this actor had muted, if it has recovered.
    fn taken(&mut self, count: usize) {
        if self
            .cell
            .pressure
            .subtract(count, self.cell.system.config.marks)
        {
            let release = self
                .cell
                .system
                .mutes
                .recovered((self.cell.id, &self.cell.pressure));
            unmute(release);
        }
    }

    /// Processes one message, and a continuation that it released for this same actor.
    pub(super) fn process(&mut self, envelope: Envelope) -> After {
        self.cell.system.bytes.subtract(envelope.kind().bytes);
        let after = self.turn(envelope);
        self.taken(1);
        self.owner().guards = Guards::Stale;
        after
    }

    fn turn(&mut self, envelope: Envelope) -> After {
        let (kind, place) = (envelope.kind(), envelope.head().place);
        self.cell.facts.turn_begins(kind, envelope.head().sent_ms);
        self.worker.turn_begins(envelope.head());
        let (worker, id) = (self.worker, self.cell.id);
        let step = catch(|| {
            worker.system.fault_before(kind, id);
            envelope.run(&mut self.state(), worker)
        });
        self.worker.turn_ends();
        self.cell.facts.turn_ends();
        // Taken whatever came of the turn: the wish must not outlive it.
        let wants_stop = self.worker.wants_stop();
        match step {
            Ok(Step::Done) if wants_stop => After::End(StopReason::Finished),
            Ok(Step::Done) => After::Next,
            Ok(Step::Stop) => After::End(StopReason::Drained),
            Ok(Step::Withdrawn) => {
                self.cell
                    .system
                    .dead_letters
                    .note(&self.cell, kind, place, Cause::Withdrawn);
                After::Next
            }
            Ok(Step::Release(to, released)) => self.released(to, released),
            Err(caught) => After::End(StopReason::Panicked(self.panicked(kind.name, caught))),
        }
    }

    /// A resolution released a continuation: for this actor it runs at once, in a turn of its own; else it is sent on.
    fn released(&mut self, to: AddressRef, released: Envelope) -> After {
        if !std::ptr::eq(&raw const *to, &raw const *self.cell) {
            Next::Deliver(Delivery {
                to,
                envelope: released,
            })
            .follow();
            return After::Next;
        }
        if self.is_ready(&released) {
            return self.turn(released);
        }
        self.owner().waiting.push_back(released);
        self.publish_deferred();
        After::Next
    }

    pub(super) fn panicked(&self, behaviour: &'static str, caught: super::Caught) -> Panic {
        let panic = Panic::new(&self.cell, behaviour, caught);
        self.cell.system.reports.panicked(&panic);
        panic
    }

    /// After a turn that sent to an overloaded actor: mutes this one, unless that one has recovered meanwhile.
    pub(super) fn mute_if_asked(&mut self) {
        let Some(receiver) = self.worker.take_overloaded() else {
            return;
        };
        let system = &self.cell.system;
        let (me, it) = (
            (self.cell.id, &self.cell.pressure),
            (receiver.id, &receiver.pressure),
        );
        match system
            .mutes
            .mute(me, self.cell.clone(), it, system.config.marks)
        {
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
            self.cell.system.mutes.unmuted(&self.cell.pressure);
        }
    }

    pub(super) fn is_muted(&mut self) -> bool {
        self.owner().mute == Mute::Muted
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.owner().life == Life::Ended
    }

    /// No address is left (C4: for good), and nothing that an address holder sent is unprocessed.
    pub(super) fn is_forsaken(&mut self) -> bool {
        self.cell.addresses() == 0 && !self.has_more()
    }

    /// Whether messages wait that have not been looked at, or may have become runnable since.
    pub(super) fn has_more(&mut self) -> bool {
        let owner = self.owner();
        let deferred = owner.guards == Guards::Stale && !owner.waiting.is_empty();
        deferred || !owner.backlog.is_empty() || !self.cell.inbox.is_empty()
    }

    /// Lets go; `Again` means that this worker still holds the actor.
    pub(super) fn park(self) -> Result<(), (Held<'w>, Signals)> {
        match self.cell.run.park() {
            super::state::Parked::Yes => {
                self.worker.holds_nothing();
                Ok(())
            }
            super::state::Parked::Again(signals) => Err((self, signals)),
        }
    }

    /// Takes the signals that came since the run began.
    pub(super) fn look(&self) -> Signals {
        self.cell.run.look()
    }

    pub(super) fn was_busy(&self, ns: u64) {
        self.cell.facts.was_busy(ns);
    }
}

pub(super) fn unmute(release: Vec<CellRef>) {
    for muted in release {
        muted.signal(Signals::UNMUTE);
    }
}
