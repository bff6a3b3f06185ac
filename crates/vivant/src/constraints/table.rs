//! The table of constraints as plain data: synchronizers, offers, transactions and holds (S1 to S8
//! of the README). No user code, no actors: they are numbers here.

use super::offer::{GateState, Hopeless, Matches, Offer, OfferState, PatternPlace, Rank};
use super::transaction::{Released, Seat, SeatState, Transaction};
use crate::actor::WaitsAs;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::Phase;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct Entry {
    /// The actors of each set, by their places.
    pub(super) sets: Vec<Vec<u64>>,
    /// For each gate: whether it is shut, and the offers that wait for it.
    pub(super) gates: Vec<(GateState, BTreeSet<Rank>)>,
    members: BTreeSet<u64>,
    pub(super) occupied_by: Option<u64>,
    /// Offers of groups that found the synchronizer occupied.
    pub(super) queue: BTreeSet<Rank>,
    /// The sets with a member that has ended.
    hopeless_sets: BTreeMap<usize, Hopeless>,
    /// Its code has panicked.
    broken: Option<Hopeless>,
}

/// The table of one system. `U` is an update, which the table only stores.
pub(crate) struct Table<U> {
    pub(super) entries: BTreeMap<u64, Entry>,
    pub(super) offers: BTreeMap<Rank, Offer>,
    pub(super) by_message: BTreeMap<(u64, u64), Rank>,
    /// The waiting offers at each place.
    pub(super) at: BTreeMap<PatternPlace, BTreeSet<Rank>>,
    pub(super) transactions: BTreeMap<u64, Transaction<U>>,
    pub(super) seats: BTreeMap<u64, Seat>,
    /// The actors that are to look at the table.
    pub(super) signals: BTreeSet<u64>,
    /// Updates that will not run: dropped by the caller, outside of the lock.
    pub(super) garbage: Vec<U>,
    /// What aborted transactions had, for `form_again`.
    pub(super) released: Released,
    next_synchronizer: u64,
    pub(super) next_rank: Rank,
    pub(super) next_transaction: u64,
}

impl<U> Default for Table<U> {
    fn default() -> Self {
        Table {
            entries: BTreeMap::new(),
            offers: BTreeMap::new(),
            by_message: BTreeMap::new(),
            at: BTreeMap::new(),
            transactions: BTreeMap::new(),
            seats: BTreeMap::new(),
            signals: BTreeSet::new(),
            garbage: Vec::new(),
            released: Released::default(),
            next_synchronizer: 0,
            next_rank: 0,
            next_transaction: 0,
        }
    }
}

impl<U> Table<U> {
    /// Takes the actors that are to look at the table.
    pub(crate) fn take_signals(&mut self) -> BTreeSet<u64> {
        std::mem::take(&mut self.signals)
    }

    /// Takes the updates that will not run.
    pub(crate) fn take_garbage(&mut self) -> Vec<U> {
        std::mem::take(&mut self.garbage)
    }

    /// The actor has ended.
    pub(crate) fn remove_seat(&mut self, actor: u64) {
        self.seats.remove(&actor);
    }

    /// Returns the number for a new synchronizer.
    pub(crate) fn next_synchronizer(&mut self) -> u64 {
        self.next_synchronizer += 1;
        self.next_synchronizer
    }

    pub(super) fn next_number(&self) -> u64 {
        self.next_synchronizer + 1
    }

    pub(super) fn set_next_number(&mut self, number: u64) {
        self.next_synchronizer = number.saturating_sub(1);
    }

    pub(super) fn ranks_behind(&mut self, rank: Rank) {
        self.next_rank = self.next_rank.max(rank);
    }

    /// What the message with this number waits as, in the cut with this line: what was offered, or
    /// decided, before the line.
    pub(super) fn waits_as(&self, actor: u64, message: u64, line: Phase) -> WaitsAs {
        let seat = self.seats.get(&actor).map(|seat| seat.state);
        let (rank, made, decided) = match seat {
            Some(SeatState::Committed(it)) if it.number == message => {
                (it.rank, it.made, Some(it.decided))
            }
            _ => {
                let Some(rank) = self.by_message.get(&(actor, message)) else {
                    return WaitsAs::Message;
                };
                let Some(offer) = self.offers.get(rank) else {
                    return WaitsAs::Message;
                };
                let transaction = match offer.state {
                    OfferState::In(number) => self.transactions.get(&number),
                    OfferState::Waiting | OfferState::Retracted => None,
                };
                (*rank, offer.made, transaction.and_then(|it| it.decided))
            }
        };
        #[cfg(test)]
        let decided = decided.filter(|_| !is_planted(InjectedFault::CommitForgotten));
        match decided {
            Some(decided) if decided < line => WaitsAs::Committed,
            _ if made.is_before(line) => WaitsAs::Offered(rank),
            _ => WaitsAs::Message,
        }
    }

    /// Enters a synchronizer: the actors of its sets, the states of its gates, all its members.
    pub(crate) fn declare(
        &mut self,
        synchronizer: u64,
        sets: Vec<Vec<u64>>,
        gates: Vec<GateState>,
        members: BTreeSet<u64>,
    ) {
        let gates = gates.into_iter().map(|state| (state, BTreeSet::new()));
        let entry = Entry {
            sets,
            gates: gates.collect(),
            members,
            ..Entry::default()
        };
        self.entries.insert(synchronizer, entry);
    }

    pub(super) fn hopeless(&self, matches: &Matches) -> Option<Hopeless> {
        let broken = |synchronizer| self.entries.get(&synchronizer)?.broken.clone();
        let of_set = |place: &PatternPlace| {
            let entry = self.entries.get(&place.synchronizer)?;
            entry.hopeless_sets.get(&place.set).cloned()
        };
        let broken = matches.synchronizers().find_map(broken);
        broken.or_else(|| matches.places.iter().find_map(of_set))
    }

    pub(super) fn set_gates(&mut self, synchronizer: u64, gates: &[GateState]) {
        if let Some(entry) = self.entries.get_mut(&synchronizer) {
            for (gate, state) in entry.gates.iter_mut().zip(gates) {
                gate.0 = *state;
            }
        }
    }

    /// The synchronizer constrains nothing any more. Its members are to look at the table. An offer
    /// that other synchronizers constrain too stays, with its rank.
    pub(crate) fn lift(&mut self, synchronizer: u64) {
        let Some(entry) = self.entries.get(&synchronizer) else {
            return;
        };
        let members = entry.members.clone();
        let of_it =
            self.offers_with(|matches| matches.synchronizers().any(|it| it == synchronizer));
        self.abort_all_with(&of_it);
        for member in members {
            self.seats
                .entry(member)
                .or_default()
                .lifted
                .insert(synchronizer);
            self.signals.insert(member);
        }
        for rank in of_it {
            self.change_matches(rank, |matches| matches.remove(synchronizer));
        }
        self.entries.remove(&synchronizer);
        self.form_again();
    }

    /// An actor has ended: the messages that it would have to dispatch with others are hopeless
    /// (S8). `why` is called with the synchronizer.
    pub(crate) fn member_ended(&mut self, actor: u64, why: impl Fn(u64) -> Hopeless) {
        self.forget(actor);
        self.seats.remove(&actor);
        for (number, entry) in &mut self.entries {
            if !entry.members.remove(&actor) {
                continue;
            }
            for (set, actors) in entry.sets.iter().enumerate() {
                if actors.contains(&actor) {
                    entry
                        .hopeless_sets
                        .entry(set)
                        .or_insert_with(|| why(*number));
                }
            }
        }
        self.refuse_hopeless();
    }

    /// Code of the synchronizer has panicked (S8).
    pub(crate) fn break_down(&mut self, synchronizer: u64, why: Hopeless) {
        if let Some(entry) = self.entries.get_mut(&synchronizer) {
            entry.broken.get_or_insert(why);
            self.refuse_hopeless();
        }
    }

    fn refuse_hopeless(&mut self) {
        let hopeless = self.offers_with(|matches| self.hopeless(matches).is_some());
        self.abort_all_with(&hopeless);
        for rank in hopeless {
            if let Some(offer) = self.remove_offer(rank)
                && let Some(why) = self.hopeless(&offer.matches)
            {
                let seat = self.seats.entry(offer.actor).or_default();
                seat.hopeless.push_back((offer.number, why));
                self.signals.insert(offer.actor);
            }
        }
        self.form_again();
    }

    fn offers_with(&self, has: impl Fn(&Matches) -> bool) -> Vec<Rank> {
        let offers = self.offers.iter();
        let with = offers.filter(|(_, offer)| has(&offer.matches));
        with.map(|(rank, _)| *rank).collect()
    }
}
