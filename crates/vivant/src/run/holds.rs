//! Holds of a member: whether its message can be dispatched now, and what is held of it until the
//! commit or the abort (S2, S4, S9 of `constraints/README.md`).

use super::run_guard::RunGuard;
use crate::actor::{
    Decision, Envelope, Guards, KindTable, Lifecycle, MessageKind, Mute, Next, Pattern, Processed,
    Refusal, Rule, StateRef, StepProgress, Update, Worker,
};
use crate::constraints::{Constraints, Patience, Refused};
use crate::failures::{Caught, catch, resume};
use crate::interned::Place;
use crate::message::MessageRole;

/// Whether the message that an actor has offered can be dispatched now.
enum Standing {
    /// With the updates of its dispatch.
    Stands(Vec<(u64, Update)>),
    Not(Refused),
    /// Its guard has panicked.
    Panicked(Caught),
}

impl RunGuard<'_> {
    /// Gives the hold to this transaction, if the offer of this message stands; else refuses.
    pub(super) fn give_hold(&mut self, transaction: u64, number: u64) {
        let system = self.actor.system.clone();
        let (constraints, actor) = (Constraints::of(&system), self.actor.id);
        match self.standing(number) {
            Standing::Stands(updates) => {
                let cell = self.actor.cell();
                debug_assert!(self.worker.turn().is_none(), "S2: a hold in a turn");
                // L6: the holds of the others are had, and may be of behind the line.
                self.enter_pass();
                let code = self.worker.pass().phase();
                self.in_synchronizer(|| constraints.acquired(transaction, &cell, updates, code));
            }
            Standing::Not(Refused::NotReady) => {
                constraints.refuse(transaction, actor, Refused::NotReady);
                self.evaluate_offers();
            }
            Standing::Not(Refused::Gone) => {
                constraints.refuse(transaction, actor, Refused::Gone);
                // The transaction may have been aborted meanwhile.
                constraints.withdraw(actor, number);
                self.evaluate_offers();
            }
            Standing::Panicked(caught) => {
                constraints.refuse(transaction, actor, Refused::Gone);
                constraints.withdraw(actor, number);
                self.evaluate_offers();
                self.decide(Decision::Panicked(number, caught));
            }
        }
    }

    /// S9: whether the transaction waits until this actor's exclusive wait is over.
    pub(super) fn gives_hold_later(&mut self, transaction: u64) -> Patience {
        let owner = self.owner();
        let waits = owner.guards == Guards::Held && owner.life == Lifecycle::Running;
        if !waits || !owner.is_constrained() {
            return Patience::Over;
        }
        let cell = self.actor.cell();
        let (patience, ns) = Constraints::of(&cell.system).wait_for(transaction);
        if let Some(ns) = ns {
            Constraints::set_patience(&cell.system, ns, transaction, cell.id);
        }
        patience
    }

    /// The exclusive wait is over: transactions that wait for that go first (S9).
    pub(crate) fn wait_is_over(&mut self) {
        self.owner().guards = Guards::Stale;
        if self.owner().is_constrained() {
            self.synchronize_again();
        }
    }

    /// The transaction that had the hold was aborted: the asker can withdraw the message again.
    pub(super) fn release_message(&mut self) {
        let cold = self.owner().cold();
        let held = cold.constrained.as_mut().and_then(|it| it.held.take());
        if let Some((number, release)) = held
            && let Some(message) = cold.deferred.numbered(number)
        {
            release(message);
        }
    }

    /// A guard has panicked when a hold was examined: as if it were evaluated now.
    pub(super) fn guard_panics_again(&mut self, number: u64, caught: Caught) -> ! {
        let owner = self.owner();
        owner.guards = Guards::Evaluating;
        owner.cold().deferred.set_evaluated(number);
        resume(caught)
    }

    /// After the panic of the guard of a constrained message: it fails as by a panic of its turn,
    /// and is not dispatched (S8). The caller ends the actor.
    pub(crate) fn fail_constrained(&mut self, envelope: Envelope, caught: &Caught) {
        let kind = envelope.kind();
        self.actor.facts.turn_begins(kind, envelope.head().sent_ms);
        self.worker.turn_begins(kind);
        self.free_place(&envelope);
        let panic = self.actor.panic(kind.name, caught.clone());
        let refusal = Refusal::panicked(self.actor.cell(), panic);
        if let Err(second) = catch(|| envelope.refuse(&refusal).follow()) {
            self.panicked(kind.name, second);
        }
    }

    /// S2: whether the deferred message with this number can be dispatched now.
    fn standing(&mut self, number: u64) -> Standing {
        let owner = self.owner();
        let is_free = owner.life == Lifecycle::Running
            && owner.mute != Mute::Muted
            && owner.guards != Guards::Held
            && owner.steps == StepProgress::None;
        if !is_free || !owner.is_constrained() {
            return Standing::Not(Refused::NotReady);
        }
        // Out of the owner part while user code runs.
        let deferred = std::mem::take(&mut owner.cold().deferred);
        let mut constrained = owner.cold().constrained.take();
        let standing = match (deferred.numbered(number), &mut constrained) {
            (Some(message), Some(constrained)) => {
                let standing = self.standing_of(message, &constrained.patterns);
                let mut patterns = constrained.patterns.iter();
                let of_kind = patterns.find(|it| (it.is_of)(message.kind()));
                match (standing, of_kind) {
                    (Standing::Stands(_), Some(pattern)) if (pattern.hold)(message) => {
                        Standing::Not(Refused::Gone)
                    }
                    (Standing::Stands(updates), Some(pattern)) => {
                        constrained.held = Some((number, pattern.release));
                        Standing::Stands(updates)
                    }
                    (standing, _) => standing,
                }
            }
            _ => Standing::Not(Refused::Gone),
        };
        let cold = self.owner().cold();
        (cold.deferred, cold.constrained) = (deferred, constrained);
        if let Standing::Not(Refused::Gone) = standing {
            self.decide(Decision::Alone(number));
        }
        standing
    }

    fn standing_of(&mut self, message: &Envelope, patterns: &[Pattern]) -> Standing {
        let worker = self.worker;
        worker.guard_begins(message.kind());
        let mut state = self.state();
        let ready = catch(|| message.ready(&mut state));
        worker.guard_ends();
        drop(worker.take_overloaded());
        match ready {
            Ok(true) => {}
            Ok(false) => return Standing::Not(Refused::NotReady),
            Err(caught) => return Standing::Panicked(caught),
        }
        let of_kind = patterns.iter().filter(|it| (it.is_of)(message.kind()));
        let mut updates = Vec::new();
        let mut broken = None;
        self.in_synchronizer(|| {
            for pattern in of_kind {
                let Rule::Update(update) = &pattern.rule else {
                    continue;
                };
                match catch(|| (pattern.matches)(message).then(|| update(message))) {
                    Ok(update) => updates.extend(update.map(|it| (pattern.synchronizer, it))),
                    Err(caught) => broken = Some((pattern.synchronizer, caught)),
                }
            }
        });
        match broken {
            None => Standing::Stands(updates),
            Some((synchronizer, caught)) => {
                let cell = self.actor.cell();
                Constraints::of(&cell.system).break_down(synchronizer, &cell, caught);
                Standing::Not(Refused::NotReady)
            }
        }
    }

    /// Runs `body`, with user code of synchronizers, between two turns.
    fn in_synchronizer(&self, body: impl FnOnce()) {
        self.as_turn(const { &Synchronizing::KIND }, body);
        // A send of that code mutes no actor, and its wish to end is discarded.
        let _wish = self.worker.take_end();
        drop(self.worker.take_overloaded());
    }
}

/// The kind that inspection sees while code of a synchronizer runs. Never sent.
struct Synchronizing;

impl MessageKind for Synchronizing {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("a synchronizer", MessageRole::StopMark);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}
