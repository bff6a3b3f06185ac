//! Groups: offers that can be dispatched together (S3, S5, S6).

use super::offer::{Gate, GateState, OfferState, Place, Rank};
use super::table::Table;
use std::collections::BTreeSet;

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
        let mut group = vec![first];
        let mut from = 0;
        while let Some(place) = self.missing(&group) {
            let waiting = self.at.get(&place).into_iter().flat_map(|ranks| {
                let rest = ranks.range(from..);
                rest.copied()
            });
            let mut shut = Vec::new();
            let mut fits = |rank: &Rank| match self.fits(&group, *rank) {
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
                    group.push(rank);
                    from = 0;
                }
                None if group.len() == 1 => return None,
                None => from = group.pop()? + 1,
            }
        }
        Some(group)
    }

    /// Whether each place that this offer needs has an open offer: without one no combination of
    /// the others needs to be tried.
    fn can_be_complete(&mut self, first: Rank) -> bool {
        let mut shut = Vec::new();
        let can_be = self.needed(&[first]).all(|place| {
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

    /// The first place that an offer of the group needs, and that none of it has.
    fn missing(&self, group: &[Rank]) -> Option<Place> {
        let offers = || group.iter().filter_map(|rank| self.offers.get(rank));
        let has = |place: &Place| offers().any(|offer| offer.matches.places.contains(place));
        self.needed(group).find(|place| !has(place))
    }

    /// All places of the sets that an offer of the group matches a place of.
    fn needed<'a>(&'a self, group: &'a [Rank]) -> impl Iterator<Item = Place> + 'a {
        let offers = group.iter().filter_map(|rank| self.offers.get(rank));
        let places = offers.flat_map(|offer| &offer.matches.places);
        places.flat_map(|place| {
            let set = self.entries.get(&place.synchronizer);
            let count = set.map_or(0, |entry| entry.sets[place.set].len());
            (0..count).map(|index| Place {
                place: index,
                ..*place
            })
        })
    }

    fn fits(&self, group: &[Rank], rank: Rank) -> bool {
        let Some(offer) = self.offers.get(&rank) else {
            return false;
        };
        let mut others = group.iter().filter_map(|rank| self.offers.get(rank));
        !others.any(|other| {
            let mut places = other.matches.places.iter();
            other.actor == offer.actor || places.any(|place| offer.matches.places.contains(place))
        })
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
