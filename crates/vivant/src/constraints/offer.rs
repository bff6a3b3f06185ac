//! Offers: messages that match patterns, and wait to be dispatched.

use crate::interned::Place;
use crate::phase::Phase;
use crate::sync::Arc;
use std::collections::BTreeSet;

/// The rank of an offer.
pub(crate) type Rank = u64;

/// A place of a set of a synchronizer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PatternPlace {
    pub(crate) synchronizer: u64,
    pub(crate) set: usize,
    pub(crate) place: usize,
}

/// A gate of a synchronizer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Gate {
    pub(crate) synchronizer: u64,
    pub(crate) gate: usize,
}

/// What a message matches.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct Matches {
    pub(crate) places: Vec<PatternPlace>,
    pub(crate) gates: Vec<Gate>,
    /// The synchronizers with a gate or an update among the patterns.
    pub(crate) stateful: BTreeSet<u64>,
}

impl Matches {
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.stateful.is_empty()
    }

    /// Keeps what belongs to these synchronizers.
    pub(super) fn retain(&mut self, is_kept: impl Fn(u64) -> bool) {
        self.places.retain(|place| is_kept(place.synchronizer));
        self.gates.retain(|gate| is_kept(gate.synchronizer));
        self.stateful.retain(|synchronizer| is_kept(*synchronizer));
    }

    pub(super) fn remove(&mut self, synchronizer: u64) {
        self.retain(|other| other != synchronizer);
    }

    pub(super) fn add(&mut self, more: Matches) {
        self.places.extend(more.places);
        self.gates.extend(more.gates);
        self.stateful.extend(more.stateful);
    }

    pub(super) fn synchronizers(&self) -> impl Iterator<Item = u64> {
        let places = self.places.iter().map(|place| place.synchronizer);
        places.chain(self.stateful.iter().copied())
    }
}

/// Why a message can never be dispatched, in words.
pub(crate) type Hopeless = Arc<str>;

/// Why the synchronizer that is declared at this place does not dispatch a message.
pub(super) fn hopeless(place: Option<Place>, how: &str) -> Hopeless {
    let place = place.map(|place| place.to_string()).unwrap_or_default();
    format!("the synchronizer declared at {place} dispatches it only {how}").into()
}

/// What becomes of a message that is offered.
#[derive(Debug)]
pub(crate) enum Offered {
    /// It waits for its turn in a group.
    Waits,
    /// No synchronizer constrains it any more.
    Free,
    /// It can never be dispatched.
    Hopeless(Hopeless),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GateState {
    Open,
    Shut,
}

/// How an offer came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OfferMade {
    /// By code of this phase.
    In(Phase),
    /// In another life of the system, with this rank.
    Before(Rank),
}

impl OfferMade {
    /// Whether a cut with this line has it.
    pub(super) fn is_before(self, line: Phase) -> bool {
        match self {
            OfferMade::In(phase) => phase < line,
            OfferMade::Before(_) => true,
        }
    }
}

pub(super) struct Offer {
    pub(super) actor: u64,
    pub(super) number: u64,
    pub(super) made: OfferMade,
    pub(super) matches: Matches,
    pub(super) state: OfferState,
    /// Number of holds that its actor has refused for it.
    pub(super) refused: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OfferState {
    Waiting,
    /// Its actor refused a hold for it, and is to offer it anew.
    Retracted,
    /// In the transaction with this number.
    In(u64),
}
