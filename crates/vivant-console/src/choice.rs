//! The choice of the actors that a snapshot names when there are more than its limit.

use crate::limits::ACTORS_MAX;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use vivant::ActorFacts;

/// The measures by which an actor may be worth naming. A million idle actors are equal in all of
/// them.
const MEASURES: &[fn(&ActorFacts) -> u128] = &[
    |facts| facts.mutes as u128,
    |facts| facts.restarts.into(),
    |facts| facts.age.as_millis(),
    |facts| facts.depth as u128,
    |facts| facts.deferred as u128,
    |facts| facts.busy.as_millis(),
    |facts| facts.turns.into(),
    |facts| facts.lost.into(),
    |facts| facts.heap.map_or(0, |heap| heap.pages.into()),
    |facts| {
        facts
            .heap
            .map_or(0, |heap| heap.pauses.all().longest.as_nanos())
    },
];

/// All actors, or the first by each measure in equal shares; in the order of creation.
pub(crate) fn most_telling(all: &[ActorFacts]) -> Vec<&ActorFacts> {
    most_telling_of(all, ACTORS_MAX)
}

fn most_telling_of(all: &[ActorFacts], room: usize) -> Vec<&ActorFacts> {
    if all.len() <= room {
        return all.iter().collect();
    }
    let share = room / MEASURES.len();
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    for measure in MEASURES {
        let mut numbers: Vec<usize> = (0..all.len()).collect();
        let rank = |number: &usize| (Reverse(measure(&all[*number])), *number);
        numbers.select_nth_unstable_by_key(share, rank);
        chosen.extend(&numbers[..share]);
    }
    chosen.into_iter().map(|number| &all[number]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivant::prelude::*;

    #[derive(Actor)]
    struct Idle;

    #[behaviours]
    impl Idle {}

    fn facts(count: usize) -> Vec<ActorFacts> {
        let simulation = vivant::simulation::Simulation::new(0);
        let idle: Vec<_> = (0..count)
            .map(|_| simulation.system().spawn(Idle))
            .collect();
        let actors = simulation.system().inspect().actors;
        drop(idle);
        actors
    }

    #[test]
    fn all_are_named_while_there_is_room() {
        let all = facts(20);
        assert_eq!(most_telling_of(&all, 20).len(), 20);
    }

    #[test]
    fn the_first_by_each_measure_are_named() {
        let mut all = facts(100);
        all[70].depth = 3;
        all[80].turns = 9;
        all[90].mutes = 1;
        let chosen = most_telling_of(&all, 12);
        assert!(chosen.len() <= 12);
        for number in [70, 80, 90] {
            let path = &all[number].actor;
            assert!(chosen.iter().any(|facts| facts.actor == *path), "{path}");
        }
        assert!(
            chosen.iter().any(|facts| facts.actor == all[0].actor),
            "of equal ones, the oldest"
        );
    }
}
