//! Work of a run for synchronizers: constrained messages are offered, held and dispatched as the
//! table of constraints decides (see `constraints/README.md`).

use super::guards::Among;
use super::run_guard::{After, NextMessage, RunGuard};
use crate::actor::{
    CellRef, Constrained, Decision, Envelope, Evaluated, Evaluation, Guarded, Guards, KindTable,
    Lifecycle, MessageKind, Mute, Next, Pattern, Processed, Refusal, Rule, Signals, StateRef,
    StepProgress, Update, Worker,
};
use crate::constraints::{Constraints, Gate, Matches, Offered, Place, Refused, Task};
use crate::failures::catch;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::MessageRole;
use std::panic::Location;

/// Whether the message that an actor has offered can be dispatched now.
enum Standing {
    /// With the updates of its dispatch.
    Stands(Vec<(u64, Update)>),
    Not(Refused),
}

impl RunGuard<'_> {
    /// A synchronizer constrains messages of this actor, from here on (S7).
    #[cold]
    pub(crate) fn constrain(&mut self, patterns: Vec<Pattern>) -> After {
        let owner = self.owner();
        let constrained = owner.cold().constrained.get_or_insert_default();
        constrained.patterns.extend(patterns);
        // Deferred messages may match the new patterns.
        constrained.offered.clear();
        self.patterns_changed();
        After::Next
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

    /// Removes the patterns of a synchronizer that is lifted.
    fn lifted(&mut self, synchronizer: u64) {
        let cold = self.owner().cold();
        let Some(constrained) = &mut cold.constrained else {
            return;
        };
        let all = std::mem::take(&mut constrained.patterns);
        let (lifted, rest): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|pattern| pattern.synchronizer == synchronizer);
        constrained.patterns = rest;
        constrained.offered.clear();
        self.patterns_changed();
        let is_held = self.owner().mute == Mute::Held;
        let constrained = &mut self.owner().cold().constrained;
        constrained.take_if(|it| it.is_over() && !is_held);
        // Their drop is user code.
        if let Err(caught) = catch(|| drop(lifted)) {
            self.panicked("the drop of a synchronizer", caught);
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

    /// Defers a message of a constrained behaviour; returns any other.
    pub(crate) fn defer_constrained(&mut self, envelope: Envelope) -> Option<Envelope> {
        let cold = self.owner().cold.as_ref();
        if !cold.is_some_and(|cold| cold.deferred.is_constrained(envelope.kind())) {
            return Some(envelope);
        }
        let owner = self.owner();
        owner.cold().deferred.push(envelope);
        owner.look_at_deferred();
        self.publish_deferred();
        None
    }

    /// Chooses what comes before all other messages: what was decided, and the transactions that
    /// begin with the offers that can be made now (S9).
    #[cold]
    pub(crate) fn next_constrained(&mut self) -> Option<NextMessage> {
        if let Some(decided) = self.next_decided() {
            return Some(NextMessage::Message(decided));
        }
        self.drop_overdue();
        match self.evaluate(Among::Constrained) {
            Evaluated::Closed => return None,
            Evaluated::More | Evaluated::Open(_) => self.synchronize(),
        }
        if self.owner().mute == Mute::Held {
            return Some(NextMessage::Held);
        }
        self.next_decided().map(NextMessage::Message)
    }

    /// After an evaluation: takes part in the transactions that it has begun. Returns a message to
    /// dispatch, if they have committed at once.
    #[cold]
    pub(crate) fn after_offers(&mut self, found: NextMessage) -> NextMessage {
        if let NextMessage::Message(_) = found {
            // Signals are handled after its turn.
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
            | Decision::Refuse(number, _)) = decision;
            constrained.offered.remove(&number);
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
                (_, None) => {}
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
                Task::Nothing => return self.set_held(Mute::Free),
                // It refuses holds until its continuation has run, so it does not rest.
                Task::Hold if self.owner().guards == Guards::Held => {
                    return self.set_held(Mute::Free);
                }
                Task::Hold => return self.set_held(Mute::Held),
                Task::Dispatch(number) => {
                    self.set_held(Mute::Free);
                    self.decide(Decision::Dispatch(number));
                    return;
                }
                Task::Refuse(number, why) => self.decide(Decision::Refuse(number, why)),
                Task::Lifted(synchronizer) => self.lifted(synchronizer),
                Task::Acquire(transaction, number) => match self.standing(number) {
                    Standing::Stands(updates) => {
                        let cell = self.actor.cell();
                        debug_assert!(self.worker.turn().is_none(), "S2: a hold in a turn");
                        self.in_synchronizer(|| constraints.acquired(transaction, &cell, updates));
                    }
                    Standing::Not(refused) => {
                        constraints.refuse(transaction, actor, refused);
                        self.evaluate_offers();
                    }
                },
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

    fn decide(&mut self, decision: Decision) {
        let owner = self.owner();
        let constrained = owner.cold().constrained.get_or_insert_default();
        match decision {
            Decision::Dispatch(_) if constrained.dispatches() => return,
            Decision::Dispatch(_) => constrained.decided.push_front(decision),
            Decision::Alone(_) | Decision::Refuse(..) => constrained.decided.push_back(decision),
        }
        owner.look_at_deferred();
    }

    /// An offer did not stand: the actor offers it anew when it does.
    fn evaluate_offers(&mut self) {
        let owner = self.owner();
        if let Some(constrained) = &mut owner.cold().constrained {
            constrained.offered.clear();
            owner.cold().deferred.evaluate_constrained();
            owner.look_at_deferred();
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
        let constrained = owner.cold().constrained.take();
        let standing = match (deferred.numbered(number), &constrained) {
            (Some(message), Some(constrained)) => self.standing_of(message, &constrained.patterns),
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
            Err(_) => return Standing::Not(Refused::Gone),
        }
        let of_kind = patterns.iter().filter(|it| (it.is_of)(message.kind()));
        if of_kind.clone().any(|pattern| (pattern.begin)(message)) {
            return Standing::Not(Refused::Gone);
        }
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
        constrained.decided.clear();
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
    let matches = matches_of(&constrained.patterns, cell, message);
    if matches.is_empty() {
        return Evaluation::Open;
    }
    match Constraints::of(&cell.system).offer(cell.id, *number, matches) {
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
