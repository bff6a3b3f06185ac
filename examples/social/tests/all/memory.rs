//! People that are removed are garbage, however they refer to each other.

use social::network::Network;
use social::person::PersonId;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

const PEOPLE: u64 = 2_000;

fn live_bytes(system: &System) -> u64 {
    let facts = system.inspect();
    facts
        .actors
        .iter()
        .filter_map(|it| it.heap)
        .map(|heap| heap.live)
        .sum()
}

/// A crowd in which all follow the next ten.
fn crowd(network: &Network) {
    let join = |_| {
        network
            .any()
            .join("somebody".to_owned())
            .ask_blocking()
            .expect("it joins")
    };
    let people: Vec<PersonId> = (0..PEOPLE).map(join).collect();
    for (at, &from) in people.iter().enumerate() {
        for step in 1..=10 {
            let to = people[(at + step) % people.len()];
            network.of(from).follow(from, to).send();
        }
        network.of(from).post(from, "hello".to_owned()).send();
    }
}

/// Live bytes before and after the people are removed, if they are.
fn before_and_after(removed: bool) -> (u64, u64) {
    let simulation = Simulation::new(1);
    let network = Network::open(simulation.system(), 2);
    crowd(&network);
    simulation.run();
    let before = live_bytes(simulation.system());
    for id in (0..PEOPLE).filter(|_| removed).map(PersonId) {
        network.of(id).remove(id).send();
    }
    // The shards are idle, and their heaps are marked.
    simulation.run_for(Duration::from_secs(600));
    (before, live_bytes(simulation.system()))
}

#[test]
fn a_removed_crowd_is_collected() {
    let (before, after) = before_and_after(true);
    assert!(before > 1 << 20, "{before}");
    assert!(after < before / 4, "{after} of {before}");
}

#[test]
fn canary_a_crowd_that_stays_is_not() {
    let (before, after) = before_and_after(false);
    assert!(after > before / 2, "{after} of {before}");
}
