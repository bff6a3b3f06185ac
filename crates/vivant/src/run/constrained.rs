//! Work of a run for synchronizers: constrained messages are offered, held and dispatched as the
//! table of constraints decides (see `constraints/README.md`).

use super::guards::Arrival;
use super::offers::matches_of;
use super::run_guard::{After, NextMessage, RunGuard};
use crate::actor::{Decision, Envelope, Guards, Lifecycle, Mute, Pattern, Refusal, Signals};
use crate::constraints::{Constraints, Offered, Patience, Task};
use crate::failures::catch;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::MessageRole;
use std::collections::BTreeSet;

impl RunGuard<'_> {
    /// A synchronizer constrains messages of this actor, from here on (S7).
    #[cold]
    pub(crate) fn constrain(&mut self, patterns: Vec<Pattern>) -> After {
        self.owner().cold().constrained.get_or_insert_default();
        self.match_more(&patterns);
        let constrained = &mut self.owner().cold().constrained;
        constrained
            .get_or_insert_default()
            .patterns
            .extend(patterns);
        self.patterns_changed();
        After::Next
    }

    /// Messages with an offer may match these new patterns too. The others are evaluated later.
    fn match_more(&mut self, patterns: &[Pattern]) {
        let cold = self.owner().cold();
        // Out of the owner part while user code runs.
        let deferred = std::mem::take(&mut cold.deferred);
        let mut constrained = cold.constrained.take();
        let (worker, cell) = (self.worker, self.actor.cell());
        if let Some(constrained) = &mut constrained {
            let known = constrained.offered.iter().chain(&constrained.retracted);
            for &number in known {
                let Some(message) = deferred.numbered(number) else {
                    continue;
                };
                worker.guard_begins(message.kind());
                let more = matches_of(patterns, &cell, message);
                worker.guard_ends();
                drop(worker.take_overloaded());
                if more.is_empty() {
                    continue;
                }
                let constraints = Constraints::of(&cell.system);
                if let Some(Offered::Hopeless(why)) = constraints.matches_too(cell.id, number, more)
                {
                    let refuse = Decision::Refuse(number, why);
                    constrained.decided.push_back(refuse);
                }
            }
        }
        let cold = self.owner().cold();
        (cold.deferred, cold.constrained) = (deferred, constrained);
    }

    fn patterns_changed(&mut self) {
        let owner = self.owner();
        let cold = owner.cold();
        let patterns = cold.constrained.iter().flat_map(|it| &it.patterns);
        let kinds = patterns.map(|pattern| pattern.is_of).collect();
        cold.deferred.constrain(kinds);
        if owner.guards == Guards::None {
            owner.guards = Guards::Closed;
        }
        owner.look_at_deferred();
    }

    /// Removes the patterns of synchronizers that are lifted. These messages match no pattern any
    /// more.
    fn lifted(&mut self, synchronizers: &BTreeSet<u64>, free: &[u64]) {
        let cold = self.owner().cold();
        let Some(constrained) = &mut cold.constrained else {
            return;
        };
        let all = std::mem::take(&mut constrained.patterns);
        let (lifted, rest): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|pattern| synchronizers.contains(&pattern.synchronizer));
        constrained.patterns = rest;
        for number in free {
            constrained.forget(*number);
            cold.deferred.evaluate_from(*number);
        }
        self.patterns_changed();
        // Their drop is user code.
        if let Err(caught) = catch(|| drop(lifted)) {
            self.panicked("the drop of a synchronizer", caught);
        }
    }

    /// The actor is not constrained any more if nothing is left of its synchronizers.
    fn unmark(&mut self) {
        let constrained = &mut self.owner().cold().constrained;
        constrained.take_if(|it| it.is_over());
    }

    /// The offer of a deferred message is gone: the message was displaced.
    pub(crate) fn withdraw_offer(&mut self, number: u64) {
        let constrained = &mut self.owner().cold().constrained;
        if constrained.as_mut().is_some_and(|it| it.forget(number)) {
            Constraints::of(&self.actor.system).withdraw(self.actor.id, number);
        }
    }

    /// Takes a message that has arrived at a constrained actor: one of a constrained behaviour is
    /// deferred at once, and evaluated there.
    #[cold]
    pub(crate) fn take_arrived(&mut self, taken: Envelope) -> NextMessage {
        if taken.kind().role != MessageRole::Start
            && let Some(constrained) = &mut self.owner().cold().constrained
        {
            let commits = &mut constrained.restored.commits;
            *commits = match taken.restored_mark().is_committed() {
                true => commits.saturating_sub(1),
                // They come first.
                false => 0,
            };
        }
        let Some(envelope) = self.message_of(taken) else {
            return NextMessage::More;
        };
        match self.defer_constrained(envelope) {
            Some(other) => NextMessage::Message(other),
            None => NextMessage::More,
        }
    }

    /// Returns true for a message of a constrained behaviour.
    pub(crate) fn constrains(&mut self, message: &Envelope) -> bool {
        let cold = self.owner().cold.as_ref();
        cold.is_some_and(|cold| cold.deferred.is_constrained(message.kind()))
    }

    /// Defers a message of a constrained behaviour; returns any other.
    #[inline]
    pub(crate) fn defer_constrained(&mut self, envelope: Envelope) -> Option<Envelope> {
        match self.owner().is_constrained() {
            true => self.defer_if_constrained(envelope),
            false => Some(envelope),
        }
    }

    #[inline(never)]
    fn defer_if_constrained(&mut self, mut envelope: Envelope) -> Option<Envelope> {
        if !self.constrains(&envelope) || envelope.restored_mark().is_committed() {
            return Some(envelope);
        }
        // A continuation that was to run at once has no stamp yet.
        envelope.set_stamp(self.worker.stamp());
        let owner = self.owner();
        owner.cold().deferred.push(envelope);
        owner.look_at_deferred();
        self.publish_deferred();
        None
    }

    /// Finds the next message of a constrained actor. Transactions come first: those that were
    /// decided, and those that begin with the offers that can be made now (S9).
    #[cold]
    pub(crate) fn find_constrained(&mut self) -> NextMessage {
        if let Some(decided) = self.next_decided() {
            return NextMessage::Message(decided);
        }
        self.drop_overdue();
        let found = self.found::<Arrival>();
        if let NextMessage::Message(_) = found {
            return found;
        }
        self.synchronize();
        if self.owner().mute == Mute::Held {
            return NextMessage::Held;
        }
        self.next_decided().map_or(found, NextMessage::Message)
    }

    /// Carries out what was decided of deferred messages. Returns the message of a commit.
    #[cold]
    pub(crate) fn next_decided(&mut self) -> Option<Envelope> {
        loop {
            let constrained = self.owner().cold().constrained.as_mut()?;
            let decision = constrained.decided.pop_front()?;
            let (Decision::Dispatch(number)
            | Decision::Alone(number)
            | Decision::Panicked(number, _)
            | Decision::Refuse(number, _)) = decision;
            constrained.forget(number);
            if let Decision::Panicked(_, caught) = decision {
                if self.owner().cold().deferred.numbered(number).is_some() {
                    self.guard_panics_again(number, caught);
                }
                continue;
            }
            // L6: it may have been decided behind the line.
            self.enter_pass();
            let envelope = self.owner().cold().deferred.take_numbered(number);
            let envelope = envelope.map(|it| self.taken_deferred(number, it));
            self.tell_taken();
            self.publish_deferred();
            if let Decision::Dispatch(_) = decision {
                Constraints::of(&self.actor.system).dispatched(self.actor.id);
            }
            match (decision, envelope) {
                (Decision::Dispatch(_) | Decision::Alone(_), Some(envelope)) => {
                    self.owner().look_at_deferred();
                    return Some(envelope);
                }
                (Decision::Refuse(_, why), Some(envelope)) => {
                    let refusal = Refusal::constrained(self.actor.cell(), why);
                    self.free_place(&envelope);
                    self.as_turn(envelope.kind(), || self.refuse(envelope, &refusal));
                    // No turn has ended.
                    drop(self.worker.take_overloaded());
                }
                (_, None) | (Decision::Panicked(..), Some(_)) => {}
            }
        }
    }

    /// Looks at the table of constraints, and does what is to be done there.
    #[cold]
    pub(crate) fn synchronize(&mut self) {
        let system = self.actor.system.clone();
        let (constraints, actor) = (Constraints::of(&system), self.actor.id);
        loop {
            match constraints.task(actor) {
                Task::Nothing => {
                    self.release_message();
                    self.set_held(Mute::Free);
                    self.unmark();
                    return;
                }
                Task::Rest => {
                    self.release_message();
                    // It refuses holds until its continuation has run, so it does not rest.
                    let waits = self.owner().guards == Guards::Held;
                    self.set_held(if waits { Mute::Free } else { Mute::Held });
                    return;
                }
                Task::Hold => {
                    self.set_held(Mute::Held);
                    return;
                }
                Task::Dispatch(number) => {
                    self.set_held(Mute::Free);
                    if let Some(constrained) = &mut self.owner().cold().constrained {
                        constrained.held = None;
                    }
                    self.decide(Decision::Dispatch(number));
                    return;
                }
                Task::Refuse(number, why) => self.decide(Decision::Refuse(number, why)),
                Task::Lifted(synchronizers, free) => {
                    // L8: perhaps behind the line.
                    self.worker.may_know_news();
                    self.lifted(&synchronizers, &free);
                }
                Task::Acquire(transaction, number) => {
                    self.release_message();
                    if self.gives_hold_later(transaction) == Patience::Waits {
                        self.set_held(Mute::Free);
                        return;
                    }
                    self.give_hold(transaction, number);
                }
            }
        }
    }

    fn set_held(&mut self, mute: Mute) {
        let owner = self.owner();
        #[cfg(test)]
        if is_planted(InjectedFault::LeakyHold) {
            return;
        }
        if owner.mute != Mute::Muted {
            owner.mute = mute;
        }
    }

    pub(super) fn decide(&mut self, decision: Decision) {
        let owner = self.owner();
        let constrained = owner.cold().constrained.get_or_insert_default();
        match decision {
            Decision::Dispatch(_) if constrained.dispatches() => return,
            Decision::Dispatch(_) => constrained.decided.push_front(decision),
            Decision::Alone(_) | Decision::Panicked(..) | Decision::Refuse(..) => {
                constrained.decided.push_back(decision);
            }
        }
        owner.look_at_deferred();
    }

    /// An offer did not stand: the actor offers it anew when it does.
    pub(super) fn evaluate_offers(&mut self) {
        let owner = self.owner();
        if let Some(constrained) = &mut owner.cold().constrained {
            constrained.retracted.append(&mut constrained.offered);
            owner.cold().deferred.evaluate_constrained();
            owner.look_at_deferred();
        }
    }

    /// Signals that arrive at a constrained actor. Returns those to handle now: after a commit,
    /// those that end the actor take effect after its message (S1).
    #[cold]
    pub(crate) fn synchronize_before(&mut self, signals: Signals) -> Signals {
        let owner = self.owner();
        let Some(constrained) = &mut owner.cold().constrained else {
            self.synchronize();
            return signals;
        };
        // What the holder has in its hand is captured with the actor.
        let signals = signals.after(constrained.postponed);
        constrained.postponed = signals;
        self.synchronize();
        if signals.end_incarnation() {
            self.give_up_hold();
        }
        let signals = self.take_postponed();
        if !signals.end_incarnation() {
            self.unmark();
            return signals;
        }
        let awaits_commit = self.awaits_commit();
        let is_held = self.owner().mute == Mute::Held;
        let Some(constrained) = &mut self.owner().cold().constrained else {
            return signals;
        };
        if constrained.dispatches() || awaits_commit {
            constrained.postponed = signals;
            self.synchronize_again();
            return Signals::default();
        }
        if is_held {
            // It is about to be told of the commit.
            constrained.postponed = signals;
            return Signals::default();
        }
        signals
    }

    fn take_postponed(&mut self) -> Signals {
        let constrained = &mut self.owner().cold().constrained;
        let postponed = constrained.as_mut().map(|it| &mut it.postponed);
        postponed.map(std::mem::take).unwrap_or_default()
    }

    /// Whether the first message of the mailbox is that of a commit, from another life of the
    /// system, and can begin now.
    fn awaits_commit(&mut self) -> bool {
        let owner = self.owner();
        let is_free = owner.life == Lifecycle::Running && owner.guards != Guards::Held;
        let constrained = owner.cold().constrained.as_ref();
        if !is_free || constrained.is_none_or(|it| it.restored.commits == 0) {
            return false;
        }
        // An exclusive wait may have deferred it, or a supervisor may have returned it.
        self.refill();
        !self.owner().backlog.is_empty()
    }

    /// The actor looks at the table of constraints again, before its next message.
    pub(super) fn synchronize_again(&self) {
        let phase = self.worker.pass().phase();
        self.actor
            .signals
            .raise(Signals::SYNCHRONIZE, phase.parity());
    }

    /// Gives up the actor's hold, unless the transaction that has it is about to commit.
    pub(crate) fn give_up_hold(&mut self) {
        if self.owner().mute == Mute::Held {
            Constraints::of(&self.actor.system).give_up_hold(self.actor.id);
            self.evaluate_offers();
            self.synchronize();
        }
    }

    /// The incarnation is over: the panic of a guard that read its state does not matter any more.
    pub(crate) fn forget_panicked_guards(&mut self) {
        if let Some(constrained) = &mut self.owner().cold().constrained {
            let mut panics = Vec::new();
            for decision in std::mem::take(&mut constrained.decided) {
                match decision {
                    Decision::Panicked(..) => panics.push(decision),
                    other => constrained.decided.push_back(other),
                }
            }
            drop(panics);
        }
    }

    /// The deferred messages of a constrained actor are refused, or go back into its mailbox.
    pub(crate) fn forget_offers(&mut self) {
        let Some(constrained) = &mut self.owner().cold().constrained else {
            return;
        };
        constrained.offered.clear();
        constrained.retracted.clear();
        constrained.decided.clear();
        constrained.held = None;
        Constraints::of(&self.actor.system).forget(self.actor.id);
    }
}

#[cfg(test)]
impl RunGuard<'_> {
    /// An injected fault.
    pub(crate) fn forget_constraints(&mut self) {
        self.owner().cold().constrained = None;
        self.owner().cold().deferred.constrain(Vec::new());
    }
}
