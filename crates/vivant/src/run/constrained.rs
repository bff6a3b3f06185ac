//! Work of a run for synchronizers: constrained messages are offered, held and dispatched as the
//! table of constraints decides (see `constraints/README.md`).

use super::guards::Order;
use super::run_guard::{After, NextMessage, RunGuard};
use crate::actor::{
    CellRef, Constrained, Decision, Envelope, Evaluation, Guarded, Guards, KindTable, Lifecycle,
    MessageKind, Mute, Next, Pattern, Processed, Refusal, Rule, Signals, StateRef, StepProgress,
    Update, Worker,
};
use crate::constraints::{Constraints, Gate, Matches, Offered, Patience, Place, Refused, Task};
use crate::failures::{Caught, catch, resume};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::MessageRole;
use crate::services::Alarm;
use std::collections::BTreeSet;
use std::panic::Location;

/// Whether the message that an actor has offered can be dispatched now.
enum Standing {
    /// With the updates of its dispatch.
    Stands(Vec<(u64, Update)>),
    Not(Refused),
    /// Its guard has panicked.
    Panicked(Caught),
}

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
    pub(crate) fn defer_constrained(&mut self, envelope: Envelope) -> Option<Envelope> {
        if !self.constrains(&envelope) {
            return Some(envelope);
        }
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
        let found = self.found(Order::Arrival);
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
                self.guard_panics_again(number, caught);
            }
            let envelope = self.owner().cold().deferred.take_numbered(number);
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
        let constrained = &mut self.owner().cold().constrained;
        let alarm = constrained.as_mut().and_then(|it| it.alarm.take());
        let patience = self.do_tasks();
        match (alarm, &mut self.owner().cold().constrained) {
            (None, _) => {}
            (Some(alarm), Some(constrained))
                if patience == Patience::Waits && constrained.alarm.is_none() =>
            {
                constrained.alarm = Some(alarm);
            }
            (Some(alarm), _) => drop(alarm.cancel()),
        }
    }

    /// Does what the table says. Returns whether a transaction waits for this actor's exclusive
    /// wait.
    fn do_tasks(&mut self) -> Patience {
        let system = self.actor.system.clone();
        let (constraints, actor) = (Constraints::of(&system), self.actor.id);
        loop {
            match constraints.task(actor) {
                Task::Nothing => {
                    self.release_message();
                    self.set_held(Mute::Free);
                    self.unmark();
                    return Patience::Over;
                }
                Task::Rest => {
                    self.release_message();
                    // It refuses holds until its continuation has run, so it does not rest.
                    let waits = self.owner().guards == Guards::Held;
                    self.set_held(if waits { Mute::Free } else { Mute::Held });
                    return Patience::Over;
                }
                Task::Hold => {
                    self.set_held(Mute::Held);
                    return Patience::Over;
                }
                Task::Dispatch(number) => {
                    self.set_held(Mute::Free);
                    if let Some(constrained) = &mut self.owner().cold().constrained {
                        constrained.held = None;
                    }
                    self.decide(Decision::Dispatch(number));
                    return Patience::Over;
                }
                Task::Refuse(number, why) => self.decide(Decision::Refuse(number, why)),
                Task::Lifted(synchronizers, free) => self.lifted(&synchronizers, &free),
                Task::Acquire(transaction, number) => {
                    self.release_message();
                    if self.gives_hold_later(transaction) == Patience::Waits {
                        self.set_held(Mute::Free);
                        return Patience::Waits;
                    }
                    self.give_hold(transaction, number);
                }
            }
        }
    }

    /// Gives the hold to this transaction, if the offer of this message stands; else refuses.
    fn give_hold(&mut self, transaction: u64, number: u64) {
        let system = self.actor.system.clone();
        let (constraints, actor) = (Constraints::of(&system), self.actor.id);
        match self.standing(number) {
            Standing::Stands(updates) => {
                let cell = self.actor.cell();
                debug_assert!(self.worker.turn().is_none(), "S2: a hold in a turn");
                self.in_synchronizer(|| constraints.acquired(transaction, &cell, updates));
            }
            Standing::Not(refused) => {
                constraints.refuse(transaction, actor, refused);
                self.evaluate_offers();
            }
            Standing::Panicked(caught) => {
                constraints.refuse(transaction, actor, Refused::Gone);
                self.evaluate_offers();
                self.decide(Decision::Panicked(number, caught));
            }
        }
    }

    /// S9: whether the transaction waits until this actor's exclusive wait is over.
    fn gives_hold_later(&mut self, transaction: u64) -> Patience {
        let owner = self.owner();
        let waits = owner.guards == Guards::Held && owner.life == Lifecycle::Running;
        if !waits || !owner.is_constrained() {
            return Patience::Over;
        }
        let cell = self.actor.cell();
        let (patience, ns) = Constraints::of(&cell.system).wait_for(transaction);
        if let Some(ns) = ns {
            let system = cell.system.clone();
            let post = move || Constraints::of(&cell.system).wait_no_longer(transaction, cell.id);
            let alarm = system.set_timer(ns, Alarm::Limit(Box::new(post)));
            let constrained = &mut self.owner().cold().constrained;
            constrained.get_or_insert_default().alarm = Some(alarm);
        }
        patience
    }

    /// The exclusive wait is over: transactions that wait for that go first (S9).
    pub(crate) fn wait_is_over(&mut self) {
        self.owner().guards = Guards::Stale;
        if self.owner().is_constrained() {
            self.actor.signals.raise(Signals::SYNCHRONIZE);
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

    fn decide(&mut self, decision: Decision) {
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
    fn evaluate_offers(&mut self) {
        let owner = self.owner();
        if let Some(constrained) = &mut owner.cold().constrained {
            constrained.retracted.append(&mut constrained.offered);
            owner.cold().deferred.evaluate_constrained();
            owner.look_at_deferred();
        }
    }

    /// The transaction that had the hold was aborted: the asker can withdraw the message again.
    fn release_message(&mut self) {
        let cold = self.owner().cold();
        let held = cold.constrained.as_mut().and_then(|it| it.held.take());
        if let Some((number, release)) = held
            && let Some(message) = cold.deferred.numbered(number)
        {
            release(message);
        }
    }

    /// A guard has panicked when a hold was examined: as if it were evaluated now.
    fn guard_panics_again(&mut self, number: u64, caught: Caught) -> ! {
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

    /// Signals that arrive at a constrained actor. Returns those to handle now: after a commit,
    /// those that end the actor take effect after its message (S1).
    #[cold]
    pub(crate) fn synchronize_before(&mut self, signals: Signals) -> Signals {
        let owner = self.owner();
        let Some(constrained) = &mut owner.cold().constrained else {
            self.synchronize();
            return signals;
        };
        let signals = signals.after(std::mem::take(&mut constrained.postponed));
        self.synchronize();
        if !signals.end_incarnation() {
            return signals;
        }
        self.give_up_hold();
        let is_held = self.owner().mute == Mute::Held;
        let Some(constrained) = &mut self.owner().cold().constrained else {
            return signals;
        };
        if constrained.dispatches() {
            constrained.postponed = signals;
            self.actor.signals.raise(Signals::SYNCHRONIZE);
            return Signals::default();
        }
        if is_held {
            // It is about to be told of the commit.
            constrained.postponed = signals;
            return Signals::default();
        }
        signals
    }

    /// Gives up the actor's hold, unless the transaction that has it is about to commit.
    pub(crate) fn give_up_hold(&mut self) {
        if self.owner().mute == Mute::Held {
            Constraints::of(&self.actor.system).give_up_hold(self.actor.id);
            self.evaluate_offers();
            self.synchronize();
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

/// Offers a message with a true guard, if synchronizers constrain it.
pub(super) fn offer(
    constrained: &mut Constrained,
    cell: &CellRef,
    guarded: &Guarded<'_>,
) -> Evaluation {
    let Guarded::Message(number, message) = guarded else {
        return Evaluation::Open;
    };
    #[cfg(test)]
    if is_planted(InjectedFault::ForgottenOffer) && number % 4 == 3 {
        return Evaluation::Offered;
    }
    if constrained.offered.contains(number) {
        return Evaluation::Offered;
    }
    let constraints = Constraints::of(&cell.system);
    let again = match constrained.retracted.remove(number) {
        true => constraints.offer_again(cell.id, *number),
        false => None,
    };
    let offered = match again {
        Some(offered) => offered,
        None => {
            let matches = matches_of(&constrained.patterns, cell, message);
            if matches.is_empty() {
                return Evaluation::Open;
            }
            constraints.offer(cell.id, *number, matches)
        }
    };
    match offered {
        Offered::Free => return Evaluation::Open,
        Offered::Waits => {}
        Offered::Hopeless(why) => {
            let refuse = Decision::Refuse(*number, why);
            constrained.decided.push_back(refuse);
        }
    }
    constrained.offered.insert(*number);
    Evaluation::Offered
}

fn matches_of(patterns: &[Pattern], cell: &CellRef, message: &Envelope) -> Matches {
    let mut matches = Matches::default();
    for pattern in patterns.iter().filter(|it| (it.is_of)(message.kind())) {
        let synchronizer = pattern.synchronizer;
        match catch(|| (pattern.matches)(message)) {
            Ok(true) => {}
            Ok(false) => continue,
            // It is refused: its synchronizer is broken.
            Err(caught) => Constraints::of(&cell.system).break_down(synchronizer, cell, caught),
        }
        match pattern.rule {
            Rule::Together { set, place } => matches.places.push(Place {
                synchronizer,
                set,
                place,
            }),
            Rule::Gate(gate) => {
                matches.gates.push(Gate { synchronizer, gate });
                matches.stateful.insert(synchronizer);
            }
            Rule::Update(_) => drop(matches.stateful.insert(synchronizer)),
        }
    }
    matches
}

/// The kind that inspection sees while code of a synchronizer runs. Never sent.
struct Synchronizing;

impl MessageKind for Synchronizing {
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("a synchronizer", MessageRole::StopMark);

    fn run((): (), _: &mut StateRef<'_>, _: &Worker) -> Processed {
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: &'static Location<'static>) -> Next {
        Next::Nothing
    }
}
