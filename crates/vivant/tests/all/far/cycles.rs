//! Cycles of objects of living actors.

use super::ends::{Knots, ring, tie, tied};
use super::{nodes, seeded};
use crate::waits::wait_while;
use std::time::Duration;
use vivant::PauseKind;
use vivant::heap::{Stress, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};

#[test]
fn seeded_a_cycle_of_objects_of_living_actors_is_freed() {
    let name = "seeded_a_cycle_of_objects_of_living_actors_is_freed";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let actors = tied(system, token);
        simulation.run();
        assert_eq!(nodes(token), 0);
        let left = system.inspect();
        let heaps = left.actors.iter().filter_map(|actor| actor.heap.as_ref());
        let pauses = heaps.map(|heap| heap.pauses[PauseKind::GroupMark].count);
        let pauses: Vec<_> = pauses.collect();
        assert_eq!(pauses.len(), 2);
        assert!(!pauses.contains(&0), "{pauses:?}");
        let total: u64 = pauses.iter().sum();
        assert_eq!(left.pauses[PauseKind::GroupMark].count, total);
        drop(actors);
    });
}

#[test]
fn seeded_actors_that_only_a_cycle_of_objects_keeps_are_unreachable() {
    let name = "seeded_actors_that_only_a_cycle_of_objects_keeps_are_unreachable";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        drop(tied(system, token));
        simulation.run();
        assert_eq!((system.inspect().actors.len(), nodes(token)), (0, 0));
        assert_eq!(system.inspect().detached_heaps, 0);
    });
}

#[test]
fn cycles_of_objects_of_living_actors_are_freed_on_threads() {
    let token = super::Token::default();
    let system = System::builder()
        .workers(2)
        .idle_after(Duration::from_millis(2))
        .pacing(vivant::Pacing::new().stressed(Stress::new(When::Chance, 1)))
        .build();
    let actors: Vec<_> = (0..if cfg!(miri) { 1 } else { 20 })
        .flat_map(|_| tied(&system, &token))
        .collect();
    wait_while(|| nodes(&token) != 0);
    drop(actors);
    assert!(system.shutdown().is_complete());
}

/// A group mark has 256 members at most.
#[test]
fn cycles_of_more_actors_than_a_group_has_members_are_freed() {
    let token = super::Token::default();
    let simulation = Simulation::new(1);
    let actors: Vec<_> = (0..if cfg!(miri) { 1 } else { 300 })
        .flat_map(|_| tied(simulation.system(), &token))
        .collect();
    simulation.run();
    assert_eq!(nodes(&token), 0);
    drop(actors);
}

/// Each cycle is one of actors that were made far apart.
#[test]
fn cycles_of_actors_that_were_made_far_apart_are_freed() {
    let token = super::Token::default();
    let simulation = Simulation::new(1);
    let apart = if cfg!(miri) { 2 } else { 300 };
    let actors: Vec<_> = (0..2 * apart)
        .map(|_| Knots::spawn(simulation.system()))
        .collect();
    let (ones, others) = actors.split_at(apart);
    for (one, other) in ones.iter().zip(others) {
        tie([one, other], &token);
    }
    simulation.run();
    assert_eq!(nodes(&token), 0);
    drop(actors);
}

/// All actors may be on a cycle with each other, and there are more than a group has members.
#[test]
fn a_cycle_among_many_actors_that_refer_to_each_other_is_freed() {
    let token = super::Token::default();
    // A member ends its own mark of one group mark a second after that, and the next one waits.
    let builder = System::builder().idle_after(Duration::from_secs(4));
    let simulation = Simulation::with(1, Faults::none(), builder);
    let (actors, apart) = if cfg!(miri) { (3, 1) } else { (300, 150) };
    let ring = ring(simulation.system(), actors);
    simulation.run();
    for from in [0, 10, actors - 1] {
        let from = from % actors;
        tie([&ring[from], &ring[(from + apart) % actors]], &token);
    }
    simulation.run_for(Duration::from_secs(1_000));
    assert_eq!(nodes(&token), 0);
    drop(ring);
}

/// More living actors than a group has members refer to each other's objects. Their groups overlap:
/// a member's own mark of the first group mark runs still when the second one begins.
#[test]
fn group_marks_of_living_objects_come_to_an_end() {
    for idle_after in [Duration::from_secs(1), Duration::from_secs(4)] {
        let builder = System::builder().idle_after(idle_after);
        let simulation = Simulation::with(1, Faults::none(), builder);
        let actors = ring(simulation.system(), if cfg!(miri) { 3 } else { 300 });
        let marks = || -> u64 {
            let actors = simulation.system().inspect().actors;
            let heaps = actors.iter().filter_map(|actor| actor.heap.as_ref());
            heaps.map(|heap| heap.marks()).sum()
        };
        simulation.run_for(Duration::from_secs(1_000));
        let before = marks();
        assert!(before > 0);
        simulation.run_for(Duration::from_secs(1_000));
        assert_eq!(marks(), before, "{idle_after:?}");
        drop(actors);
    }
}
