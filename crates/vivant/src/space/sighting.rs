//! [`Sighting`]: the addresses in a heap's objects, as a mark has seen them while the actor rested.

use crate::cell::catch;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::unreachable::{Acquaintance, Acquaintances, Sight};
use std::any::Any;

/// What a mark has seen, and when.
#[derive(Default)]
pub(super) struct Sighting {
    acquaintances: Vec<Acquaintance>,
    /// After so many turns. Nothing has changed since if there was none.
    turns: u64,
}

impl Sighting {
    /// A mark after so many turns, which shows what it meets to the function that this hands out.
    /// If an object's code panics nothing was seen: whom the actor knows counts as one that
    /// something outside keeps.
    pub(super) fn by(turns: u64, mark: impl FnOnce(&mut dyn FnMut(&dyn Any))) -> Sighting {
        let mut acquaintances = Vec::new();
        let mut take = |held: &dyn Any| acquaintances.extend(Acquaintance::held(held));
        if catch(|| mark(&mut take)).is_err() {
            acquaintances.clear();
        }
        Sighting {
            acquaintances,
            turns,
        }
    }

    /// Whether it is what a mark would see now, after so many turns.
    pub(super) fn is_of(&self, turns: u64) -> bool {
        #[cfg(test)]
        if is_planted(Planted::StaleSighting) {
            return self.turns != 0;
        }
        self.turns == turns
    }

    pub(super) fn show(&self, seen: &mut Acquaintances<'_>) -> Sight {
        self.acquaintances.iter().for_each(|one| seen.take(*one));
        Sight::All
    }
}
