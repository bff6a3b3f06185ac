//! Holds: a transaction takes those of its members, one after the other, and then commits (S1, S2,
//! S4).

use super::offer::{GateState, OfferState, Rank};
#[cfg(test)]
use super::offer::{Offer, OfferMade};
use super::table::Table;
use super::transaction::{
    Acquired, Committed, Patience, Refused, Released, SeatState, Task, Transaction, patience_ns,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::Phase;
use std::collections::BTreeSet;

impl<U> Table<U> {
    /// Begins a transaction for a group.
    pub(super) fn begin(&mut self, group: &[Rank], stateful: BTreeSet<u64>) {
        self.next_transaction += 1;
        let number = self.next_transaction;
        let mut members = Vec::new();
        for &rank in group {
            self.waits_no_more(rank, OfferState::In(number));
            if let Some(offer) = self.offers.get(&rank) {
                members.push((offer.actor, rank));
                let seat = self.seats.entry(offer.actor).or_default();
                seat.part_of.insert(number);
            }
        }
        members.sort_unstable();
        for synchronizer in &stateful {
            if let Some(entry) = self.entries.get_mut(synchronizer) {
                entry.occupied_by = Some(number);
            }
        }
        let transaction = Transaction {
            members,
            held: 0,
            decided: None,
            stateful,
            updates: Vec::new(),
            patience: Patience::New,
        };
        self.transactions.insert(number, transaction);
        self.ask_next(number);
    }

    /// Asks the next member for its hold.
    fn ask_next(&mut self, number: u64) {
        let transaction = self.transactions.get(&number);
        if let Some(&(actor, _)) = transaction.and_then(|it| it.members.get(it.held)) {
            let seat = self.seats.entry(actor).or_default();
            seat.waiting.insert(number);
            if matches!(seat.state, SeatState::Free | SeatState::Rests) {
                self.signals.insert(actor);
            }
        }
    }

    /// Returns what the actor has to do next.
    pub(crate) fn task(&mut self, actor: u64) -> Task {
        let Some(seat) = self.seats.get_mut(&actor) else {
            return Task::Nothing;
        };
        if !seat.lifted.is_empty() || !seat.free.is_empty() {
            let (lifted, free) = (
                std::mem::take(&mut seat.lifted),
                std::mem::take(&mut seat.free),
            );
            return Task::Lifted(lifted, free);
        }
        if let Some((number, why)) = seat.hopeless.pop_front() {
            return Task::Refuse(number, why);
        }
        match seat.state {
            SeatState::Committed(it) => return Task::Dispatch(it.number),
            SeatState::Held(_) => return Task::Hold,
            SeatState::Free | SeatState::Rests => {}
        }
        let Some(&number) = seat.waiting.first() else {
            if !seat.part_of.is_empty() {
                seat.state = SeatState::Rests;
                return Task::Rest;
            }
            self.seats.remove(&actor);
            return Task::Nothing;
        };
        let transaction = self.transactions.get(&number);
        let member = transaction.and_then(|it| it.members.get(it.held));
        match member.and_then(|(_, rank)| self.offers.get(rank)) {
            Some(offer) => Task::Acquire(number, offer.number),
            None => Task::Nothing,
        }
    }

    /// The actor gives its hold to a transaction, with the updates of its message.
    pub(crate) fn acquired(
        &mut self,
        number: u64,
        actor: u64,
        updates: Vec<(u64, U)>,
        code: Phase,
    ) -> Acquired<U> {
        let Some(transaction) = self.transactions.get_mut(&number) else {
            self.garbage
                .extend(updates.into_iter().map(|(_, update)| update));
            return Acquired::Next;
        };
        transaction.held += 1;
        transaction.patience = Patience::New;
        transaction.updates.extend(updates);
        let seat = self.seats.entry(actor).or_default();
        seat.waiting.remove(&number);
        seat.state = SeatState::Held(number);
        if !transaction.is_decided() {
            self.ask_next(number);
            return Acquired::Next;
        }
        transaction.decided = Some(code);
        #[cfg(test)]
        if is_planted(InjectedFault::CommitOfOffer)
            && let Some((_, rank)) = transaction.members.first()
            && let Some(Offer {
                made: OfferMade::In(made),
                ..
            }) = self.offers.get(rank)
        {
            transaction.decided = Some(*made);
        }
        Acquired::All {
            updates: std::mem::take(&mut transaction.updates),
            stateful: transaction.stateful.clone(),
        }
    }

    /// All members have given their holds, and the updates have run: they dispatch.
    pub(crate) fn commit(&mut self, number: u64, gates: &[(u64, Vec<GateState>)]) {
        for (synchronizer, gates) in gates {
            self.set_gates(*synchronizer, gates);
        }
        let Some(transaction) = self.transactions.remove(&number) else {
            return;
        };
        let Some(decided) = transaction.decided else {
            return;
        };
        for (actor, rank) in &transaction.members {
            self.waits_no_more(*rank, OfferState::Retracted);
            if let Some(offer) = self.remove_offer(*rank) {
                let seat = self.seats.entry(*actor).or_default();
                seat.part_of.remove(&number);
                seat.state = SeatState::Committed(Committed {
                    number: offer.number,
                    rank: *rank,
                    made: offer.made,
                    decided,
                });
                self.signals.insert(*actor);
            }
        }
        self.free(number, &transaction.stateful);
    }

    /// The actor is about to dispatch the message of its commit.
    pub(crate) fn dispatched(&mut self, actor: u64) {
        if let Some(seat) = self.seats.get_mut(&actor) {
            seat.state = SeatState::Free;
            if !seat.part_of.is_empty() {
                self.signals.insert(actor);
            }
        }
    }

    /// The actor gives no hold, or gives it up: the transaction is aborted, unless it is about to
    /// commit.
    pub(crate) fn refuse(&mut self, number: u64, actor: u64, refused: Refused) {
        let transaction = self.transactions.get(&number);
        let Some(transaction) = transaction.filter(|it| !it.is_decided()) else {
            return;
        };
        let mut members = transaction.members.iter();
        let rank = members
            .find(|(member, _)| *member == actor)
            .map(|(_, rank)| *rank);
        let released = self.abort(number);
        self.released.extend(released);
        match (refused, rank) {
            (Refused::Gone, Some(rank)) => drop(self.remove_offer(rank)),
            (_, rank) => {
                if let Some(offer) = rank.and_then(|rank| self.offers.get_mut(&rank)) {
                    offer.refused += 1;
                }
                self.retract_all(actor);
            }
        }
        self.form_again();
    }

    /// The actor cannot give its hold before its exclusive wait is over. Returns whether the
    /// transaction waits for that, and the length of the wait in nanoseconds if it begins now (S9).
    pub(crate) fn wait_for(&mut self, number: u64) -> (Patience, Option<u64>) {
        let Some(transaction) = self.transactions.get_mut(&number) else {
            return (Patience::Over, None);
        };
        let members = transaction.members.iter();
        let refused = members.filter_map(|(_, rank)| Some(self.offers.get(rank)?.refused));
        let ns = refused.max().and_then(patience_ns);
        match (transaction.patience, ns) {
            (Patience::New, Some(_)) => {
                transaction.patience = Patience::Waits;
                (Patience::Waits, ns)
            }
            (Patience::Waits, _) => (Patience::Waits, None),
            (Patience::New | Patience::Over, _) => (Patience::Over, None),
        }
    }

    /// The transaction has waited long enough for the actor's exclusive wait.
    pub(crate) fn wait_no_longer(&mut self, number: u64, actor: u64) {
        if let Some(transaction) = self.transactions.get_mut(&number)
            && transaction.patience == Patience::Waits
            && transaction.members.get(transaction.held).map(|it| it.0) == Some(actor)
        {
            transaction.patience = Patience::Over;
            self.signals.insert(actor);
        }
    }

    /// The actor gives up its hold, unless the transaction that has it is about to commit; if it
    /// rests, that is over.
    pub(crate) fn give_up_hold(&mut self, actor: u64) {
        let Some(seat) = self.seats.get(&actor) else {
            return;
        };
        let numbers = match seat.state {
            SeatState::Held(number) => BTreeSet::from([number]),
            SeatState::Rests => seat.part_of.clone(),
            SeatState::Free | SeatState::Committed(_) => return,
        };
        for number in numbers {
            self.refuse(number, actor, Refused::NotReady);
        }
    }

    /// Aborts all transactions with one of these offers. `form_again` is to follow.
    pub(super) fn abort_all_with(&mut self, ranks: &[Rank]) {
        for rank in ranks {
            if let Some(OfferState::In(number)) = self.offers.get(rank).map(|offer| offer.state) {
                let released = self.abort(number);
                self.released.extend(released);
            }
        }
    }

    /// Forms groups with the offers of aborted transactions, as far as they still wait.
    pub(super) fn form_again(&mut self) {
        let released = std::mem::take(&mut self.released);
        for rank in released.ranks {
            self.form(rank);
        }
        for synchronizer in released.synchronizers {
            self.release(synchronizer);
        }
    }

    /// Aborts a transaction, unless it is about to commit; returns what it had.
    fn abort(&mut self, number: u64) -> Released {
        let transaction = self.transactions.get(&number);
        if transaction.is_none_or(Transaction::is_decided) {
            return Released::default();
        }
        let Some(transaction) = self.transactions.remove(&number) else {
            return Released::default();
        };
        for (actor, rank) in &transaction.members {
            self.waits(*rank);
            if let Some(seat) = self.seats.get_mut(actor) {
                seat.waiting.remove(&number);
                seat.part_of.remove(&number);
                match seat.state {
                    SeatState::Held(by) if by == number => seat.state = SeatState::Free,
                    SeatState::Rests if seat.part_of.is_empty() => {}
                    _ => continue,
                }
                self.signals.insert(*actor);
            }
        }
        let updates = transaction.updates.into_iter();
        self.garbage.extend(updates.map(|(_, update)| update));
        self.vacate(number, &transaction.stateful);
        Released {
            ranks: transaction.members.iter().map(|(_, rank)| *rank).collect(),
            synchronizers: transaction.stateful,
        }
    }

    fn vacate(&mut self, number: u64, stateful: &BTreeSet<u64>) {
        for synchronizer in stateful {
            if let Some(entry) = self.entries.get_mut(synchronizer)
                && entry.occupied_by == Some(number)
            {
                entry.occupied_by = None;
            }
        }
    }

    fn free(&mut self, number: u64, stateful: &BTreeSet<u64>) {
        self.vacate(number, stateful);
        for synchronizer in stateful {
            self.release(*synchronizer);
        }
    }
}
