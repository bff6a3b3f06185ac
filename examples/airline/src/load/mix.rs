//! The mix: what users do in a loop, and the flights in their queries.

use crate::data::{Airport, Day};
use std::cell::Cell;

/// Percentage of the loops in which a user changes its profile.
const CHANGE_PERCENT: u32 = 25;
/// Percentage of the loops in which a user cancels bookings.
const CANCEL_PERCENT: u32 = 25;

/// What a user does in one loop besides querying, booking and listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Reads the profile and writes it back changed.
    pub changes_profile: bool,
    /// Cancels all bookings but two.
    pub cancels: bool,
}

impl Visit {
    /// Draws one: in a quarter of the loops each, independently, as in the original's plan.
    pub fn draw(chance: &mut fastrand::Rng) -> Visit {
        Visit {
            changes_profile: chance.u32(0..100) < CHANGE_PERCENT,
            cancels: chance.u32(0..100) < CANCEL_PERCENT,
        }
    }
}

/// A user's query: always a trip out and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// Where it begins.
    pub from: &'static str,
    /// Where it goes.
    pub to: &'static str,
    /// When it begins.
    pub day: Day,
    /// When it ends.
    pub back: Day,
}

/// Pairs of airports for all users together, one after the other: where a trip begins cycles
/// through the 14 destinations and Amsterdam, where it goes through the destinations. All 210 pairs
/// come, and 170 of them are connected.
#[derive(Debug)]
pub struct Mix {
    today: Day,
    from: Vec<&'static str>,
    to: Vec<&'static str>,
    next: Cell<usize>,
}

impl Mix {
    /// Trips that begin in the six days from today, and end in the seven days after those.
    pub fn new(today: Day) -> Mix {
        let to: Vec<_> = Airport::destinations().map(|it| it.code).collect();
        let from = [&["AMS"], &to[..]].concat();
        Mix {
            today,
            from,
            to,
            next: Cell::new(0),
        }
    }

    /// The next pair, on random days.
    pub fn next_question(&self, chance: &mut fastrand::Rng) -> Question {
        let number = self.next.replace(self.next.get() + 1);
        Question {
            from: self.from[number % self.from.len()],
            to: self.to[number % self.to.len()],
            day: Day(self.today.0 + chance.i32(0..=5)),
            back: Day(self.today.0 + chance.i32(6..=12)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Network;
    use std::collections::BTreeSet;

    #[test]
    fn a_quarter_of_the_loops_changes_the_profile_and_a_quarter_cancels() {
        const LOOPS: usize = 10_000;
        let mut chance = fastrand::Rng::with_seed(1);
        let visits: Vec<_> = (0..LOOPS).map(|_| Visit::draw(&mut chance)).collect();
        let share = |of: fn(&Visit) -> bool| visits.iter().filter(|it| of(it)).count();
        for count in [share(|it| it.changes_profile), share(|it| it.cancels)] {
            assert!((2_400..2_600).contains(&count), "{count} of {LOOPS}");
        }
        let both = share(|it| it.changes_profile && it.cancels);
        assert!((525..725).contains(&both), "{both} of {LOOPS}");
    }

    #[test]
    fn all_pairs_come_and_four_in_five_are_connected() {
        let mix = Mix::new(Day(0));
        let mut chance = fastrand::Rng::with_seed(1);
        let network = Network::new();
        let pairs: BTreeSet<_> = (0..210)
            .map(|_| mix.next_question(&mut chance))
            .map(|it| (it.from, it.to))
            .collect();
        assert_eq!(pairs.len(), 210);
        let connected = |from, to| network.between(from, to).is_some();
        let out = pairs.iter().filter(|(from, to)| connected(from, to));
        assert_eq!(out.clone().count(), 170);
        assert_eq!(out.filter(|(from, to)| connected(to, from)).count(), 132);
    }
}
