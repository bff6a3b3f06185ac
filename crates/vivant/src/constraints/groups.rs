//! Groups: offers that can be dispatched together (S3, S5, S6).

use super::offer::{Gate, GateState, OfferState, PatternPlace, Rank};
use super::table::Table;
use std::collections::BTreeSet;

/// Offers that are to become a group.
#[derive(Default)]
struct Draft {
    ranks: Vec<Rank>,
    actors: BTreeSet<u64>,
    /// The sets that they match places of, each with its synchronizer.
    sets: BTreeSet<(u64, usize)>,
    /// The places of these sets without an offer.
    missing: BTreeSet<PatternPlace>,
}

impl<U> Table<U> {
    /// Looks for a group with this offer, and begins a transaction if there is one (S3, S5).
    pub(super) fn form(&mut self, first: Rank) {
        let Some(group) = self.group(first) else {
            return;
        };
        let offers = group.iter().filter_map(|rank| self.offers.get(rank));
        let stateful: BTreeSet<u64> = offers
            .flat_map(|offer| offer.matches.stateful.iter().copied())
            .collect();
        for synchronizer in &stateful {
            if let Some(entry) = self.entries.get_mut(synchronizer)
                && entry.occupied_by.is_some()
            {
                entry.queue.insert(first);
                return;
            }
        }
        self.begin(&group, stateful);
    }

    /// Returns a group with this offer: for each place the offer with the lowest rank that fits
    /// (S5). Goes back where the choice of an offer leads to no group.
    fn group(&mut self, first: Rank) -> Option<Vec<Rank>> {
        if self.offers.get(&first)?.state != OfferState::Waiting || self.waits_for_gate(first) {
            return None;
        }
        if !self.can_be_complete(first) {
            return None;
        }
        let mut draft = self.draft(&[first]);
        let mut from = 0;
        while let Some(place) = draft.missing.first() {
            let waiting = self.at.get(place).into_iter().flat_map(|ranks| {
                let rest = ranks.range(from..);
                rest.copied()
            });
            let mut shut = Vec::new();
            let mut fits = |rank: &Rank| match self.fits(&draft, *rank) {
                true if self.shut_gate(*rank).is_some() => {
                    shut.push(*rank);
                    false
                }
                fits => fits,
            };
            let found = waiting.into_iter().find(|rank| fits(rank));
            for rank in shut {
                self.waits_for_gate(rank);
            }
            match found {
                Some(rank) => {
                    self.take_into(&mut draft, rank);
                    from = 0;
                }
                None if draft.ranks.len() == 1 => return None,
                None => {
                    from = draft.ranks.pop()? + 1;
                    draft = self.draft(&draft.ranks);
                }
            }
        }
        Some(draft.ranks)
    }

    fn draft(&self, ranks: &[Rank]) -> Draft {
        let mut draft = Draft::default();
        ranks
            .iter()
            .for_each(|rank| self.take_into(&mut draft, *rank));
        draft
    }

    fn take_into(&self, draft: &mut Draft, rank: Rank) {
        let Some(offer) = self.offers.get(&rank) else {
            return;
        };
        draft.ranks.push(rank);
        draft.actors.insert(offer.actor);
        for &place in &offer.matches.places {
            if draft.sets.insert((place.synchronizer, place.set)) {
                draft.missing.extend(self.places_with(place));
            }
        }
        for place in &offer.matches.places {
            draft.missing.remove(place);
        }
    }

    /// Whether each place that this offer needs has an open offer: without one no combination of
    /// the others needs to be tried.
    fn can_be_complete(&mut self, first: Rank) -> bool {
        let mut shut = Vec::new();
        let places = self.offers.get(&first).map(|offer| &offer.matches.places);
        let places = places.into_iter().flatten();
        let can_be = places
            .flat_map(|&place| self.places_with(place))
            .all(|place| {
                let own = |rank: &Rank| *rank == first;
                let mut is_open = |rank: &Rank| match own(rank) || self.shut_gate(*rank).is_none() {
                    true => true,
                    false => {
                        shut.push(*rank);
                        false
                    }
                };
                let waiting = self.at.get(&place);
                waiting.is_some_and(|ranks| ranks.iter().any(&mut is_open))
            });
        for rank in shut {
            self.waits_for_gate(rank);
        }
        can_be
    }

    /// The places of the set of this one.
    fn places_with(&self, of: PatternPlace) -> impl Iterator<Item = PatternPlace> + '_ {
        let entry = self.entries.get(&of.synchronizer);
        let count = entry.map_or(0, |entry| entry.sets[of.set].len());
        (0..count).map(move |place| PatternPlace { place, ..of })
    }

    /// Returns true if no offer of the draft has the offer's actor, or one of its places.
    fn fits(&self, draft: &Draft, rank: Rank) -> bool {
        let Some(offer) = self.offers.get(&rank) else {
            return false;
        };
        let is_taken = |place: &PatternPlace| {
            let is_of_set = draft.sets.contains(&(place.synchronizer, place.set));
            is_of_set && !draft.missing.contains(place)
        };
        !draft.actors.contains(&offer.actor) && !offer.matches.places.iter().any(is_taken)
    }

    fn shut_gate(&self, rank: Rank) -> Option<Gate> {
        #[cfg(test)]
        if crate::injected_fault::is_planted(crate::injected_fault::InjectedFault::OpenGate) {
            return None;
        }
        let gates = &self.offers.get(&rank)?.matches.gates;
        let is_shut = |gate: &&Gate| {
            let entry = self.entries.get(&gate.synchronizer);
            entry.is_some_and(|entry| entry.gates[gate.gate].0 == GateState::Shut)
        };
        gates.iter().find(is_shut).copied()
    }

    /// Returns true if a gate is shut for the offer, which then waits for the first such.
    fn waits_for_gate(&mut self, rank: Rank) -> bool {
        let Some(gate) = self.shut_gate(rank) else {
            return false;
        };
        if let Some(entry) = self.entries.get_mut(&gate.synchronizer) {
            entry.gates[gate.gate].1.insert(rank);
        }
        true
    }

    /// The synchronizer is occupied no more: begins what waited for that, in the order of ranks,
    /// until it is occupied again (S6).
    pub(super) fn release(&mut self, synchronizer: u64) {
        while let Some(entry) = self.entries.get_mut(&synchronizer) {
            if entry.occupied_by.is_some() {
                return;
            }
            let open = entry.gates.iter().filter(|gate| gate.0 == GateState::Open);
            let waiting = open.map(|gate| &gate.1).chain([&entry.queue]);
            let Some(first) = waiting.filter_map(BTreeSet::first).min().copied() else {
                return;
            };
            entry.queue.remove(&first);
            entry.gates.iter_mut().for_each(|gate| {
                gate.1.remove(&first);
            });
            self.form(first);
        }
    }
}
