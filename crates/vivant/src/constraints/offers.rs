//! The offers of the table: made, retracted, made anew, changed, removed (S5, S7).

use super::offer::{Matches, Offer, OfferMade, OfferState, Offered, Rank};
use super::table::Table;
use super::transaction::SeatState;

impl<U> Table<U> {
    /// Offers the message with this number of this actor.
    pub(crate) fn offer(
        &mut self,
        actor: u64,
        number: u64,
        mut matches: Matches,
        made: OfferMade,
    ) -> Offered {
        matches.retain(|synchronizer| self.entries.contains_key(&synchronizer));
        if matches.is_empty() {
            return Offered::Free;
        }
        if let Some(why) = self.hopeless(&matches) {
            return Offered::Hopeless(why);
        }
        let rank = self.rank_of(made);
        self.by_message.insert((actor, number), rank);
        let offer = Offer {
            actor,
            number,
            made,
            matches,
            state: OfferState::Retracted,
            refused: 0,
        };
        self.offers.insert(rank, offer);
        self.waits(rank);
        self.form(rank);
        Offered::Waits
    }

    fn rank_of(&mut self, made: OfferMade) -> Rank {
        if let OfferMade::Before(rank) = made
            && !self.offers.contains_key(&rank)
        {
            return rank;
        }
        self.next_rank += 1;
        self.next_rank
    }

    /// Makes an offer anew that was retracted. Returns `None` if there is none.
    pub(crate) fn offer_again(&mut self, actor: u64, number: u64) -> Option<Offered> {
        let rank = *self.by_message.get(&(actor, number))?;
        if self.offers.get(&rank)?.state == OfferState::Retracted {
            self.waits(rank);
            self.form(rank);
        }
        Some(Offered::Waits)
    }

    /// The message matches these patterns too, of a synchronizer that is new to its actor. Returns
    /// `None` if it is not offered.
    pub(crate) fn matches_too(
        &mut self,
        actor: u64,
        number: u64,
        mut more: Matches,
    ) -> Option<Offered> {
        let rank = *self.by_message.get(&(actor, number))?;
        more.retain(|synchronizer| self.entries.contains_key(&synchronizer));
        if more.is_empty() {
            return Some(Offered::Waits);
        }
        self.abort_all_with(&[rank]);
        let offered = match self.hopeless(&more) {
            None => {
                self.change_matches(rank, |matches| matches.add(more));
                Offered::Waits
            }
            Some(why) => match self.remove_offer(rank) {
                Some(_) => Offered::Hopeless(why),
                // It is dispatched as it is.
                None => Offered::Waits,
            },
        };
        self.form_again();
        Some(offered)
    }

    /// Changes what an offer matches, and forms a group with it; removes it if it matches nothing.
    /// An offer in a transaction that is about to commit is dispatched as it is.
    pub(super) fn change_matches(&mut self, rank: Rank, change: impl FnOnce(&mut Matches)) {
        let Some(state) = self.offers.get(&rank).map(|offer| offer.state) else {
            return;
        };
        if let OfferState::In(_) = state {
            return;
        }
        self.waits_no_more(rank, OfferState::Retracted);
        self.forget_gates(rank);
        let Some(offer) = self.offers.get_mut(&rank) else {
            return;
        };
        change(&mut offer.matches);
        if offer.matches.is_empty() {
            if let Some(offer) = self.remove_offer(rank) {
                let seat = self.seats.entry(offer.actor).or_default();
                seat.free.push(offer.number);
                self.signals.insert(offer.actor);
            }
        } else if state == OfferState::Waiting {
            self.waits(rank);
            self.released.ranks.insert(rank);
        }
    }

    /// The message with this number is gone.
    pub(crate) fn withdraw(&mut self, actor: u64, number: u64) {
        if let Some(&rank) = self.by_message.get(&(actor, number)) {
            self.abort_all_with(&[rank]);
            self.remove_offer(rank);
            self.form_again();
        }
    }

    /// The offer can be taken into a group.
    pub(super) fn waits(&mut self, rank: Rank) {
        if let Some(offer) = self.offers.get_mut(&rank) {
            offer.state = OfferState::Waiting;
            for place in &offer.matches.places {
                self.at.entry(*place).or_default().insert(rank);
            }
        }
    }

    /// The offer cannot be taken into a group.
    pub(super) fn waits_no_more(&mut self, rank: Rank, state: OfferState) {
        if let Some(offer) = self.offers.get_mut(&rank) {
            offer.state = state;
            for place in &offer.matches.places {
                if let Some(ranks) = self.at.get_mut(place) {
                    ranks.remove(&rank);
                    if ranks.is_empty() {
                        self.at.remove(place);
                    }
                }
            }
        }
    }

    /// The actor is to make its offers anew. `form_again` is to follow.
    pub(super) fn retract_all(&mut self, actor: u64) {
        let ranks = self.ranks_of(actor);
        self.abort_all_with(&ranks);
        for rank in ranks {
            if self.offers.get(&rank).map(|offer| offer.state) == Some(OfferState::Waiting) {
                self.waits_no_more(rank, OfferState::Retracted);
            }
        }
    }

    fn ranks_of(&self, actor: u64) -> Vec<Rank> {
        let messages = self.by_message.range((actor, 0)..=(actor, u64::MAX));
        messages.map(|(_, rank)| *rank).collect()
    }

    /// Removes an offer, unless it is in a transaction: then that has decided to commit.
    pub(super) fn remove_offer(&mut self, rank: Rank) -> Option<Offer> {
        if let OfferState::In(_) = self.offers.get(&rank)?.state {
            return None;
        }
        self.waits_no_more(rank, OfferState::Retracted);
        self.forget_gates(rank);
        let offer = self.offers.remove(&rank)?;
        self.by_message.remove(&(offer.actor, offer.number));
        Some(offer)
    }

    /// The offer waits for no gate.
    fn forget_gates(&mut self, rank: Rank) {
        let gates = self.offers.get(&rank).map(|offer| &offer.matches.gates);
        for gate in gates.into_iter().flatten() {
            if let Some(entry) = self.entries.get_mut(&gate.synchronizer) {
                entry.gates[gate.gate].1.remove(&rank);
            }
        }
    }

    /// The messages that the actor had deferred are gone: they were refused.
    pub(crate) fn forget(&mut self, actor: u64) {
        let ranks = self.ranks_of(actor);
        self.abort_all_with(&ranks);
        for rank in ranks {
            self.remove_offer(rank);
        }
        if let Some(seat) = self.seats.get_mut(&actor) {
            seat.hopeless.clear();
            seat.free.clear();
            if let SeatState::Committed(_) = seat.state {
                seat.state = SeatState::Free;
            }
        }
        self.form_again();
    }
}
