//! Cycles of objects of living actors.

use super::ends::{ring, tied};
use super::{nodes, seeded};
use crate::waits::wait_while;
use std::time::Duration;
use vivant::heap::{Stress, When};
use vivant::prelude::*;

#[test]
fn seeded_a_cycle_of_objects_of_living_actors_is_freed() {
    let name = "seeded_a_cycle_of_objects_of_living_actors_is_freed";
    seeded(name, |simulation, token| {
        let system = simulation.system();
        let actors = tied(system, token);
        simulation.run();
        assert_eq!(nodes(token), 0);
        assert_eq!(system.inspect().actors.len(), 2);
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
    let simulation = vivant::simulation::Simulation::new(1);
    let actors: Vec<_> = (0..if cfg!(miri) { 1 } else { 300 })
        .flat_map(|_| tied(simulation.system(), &token))
        .collect();
    simulation.run();
    assert_eq!(nodes(&token), 0);
    drop(actors);
}

/// More living actors than a group has members refer to each other's objects.
#[test]
fn group_marks_of_living_objects_come_to_an_end() {
    let simulation = vivant::simulation::Simulation::new(1);
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
    assert_eq!(marks(), before);
    drop(actors);
}
