//! The graph equals that of the model, whatever the order of messages between shards.

use crate::model::Model;
use fastrand::Rng;
use social::network::Network;
use social::person::PersonId;
use social::planted::Planted;
use std::time::Duration;
use vivant::simulation::{self, Faults, Seeds, Simulation};

const SHARDS: usize = 3;
/// Numbers that the requests name: some of them belong to people that have not joined yet, or never
/// join.
const NUMBERS: u64 = 9;

/// Shards are slow and late by up to two seconds, so some requests exceed their limit of one.
fn faults() -> Faults {
    let late = Duration::from_secs(2);
    Faults::none()
        .slow_turns(20_000, late)
        .delays(50_000, late)
        .full_mailboxes()
}

/// Sends requests at random, without waiting for answers.
fn run(simulation: &Simulation, planted: Planted) -> Result<(), String> {
    let mut chance = Rng::with_seed(simulation.seed());
    let network = Network::with(simulation.system(), SHARDS, planted);
    let mut model = Model::default();
    for number in 0..60 {
        let mut id = || PersonId(chance.u64(..NUMBERS));
        let (from, to) = (id(), id());
        match chance.u8(..10) {
            0..2 => {
                let shard = &network.shards()[number % SHARDS];
                let joined = shard.join("somebody".to_owned()).ask_blocking();
                model.people.insert(joined.map_err(|it| it.to_string())?);
            }
            2..7 => model.follow(&network, from, to),
            7..9 => model.unfollow(&network, from, to),
            _ => model.remove(&network, from),
        }
        if chance.u8(..4) == 0 {
            simulation.run_for(Duration::from_millis(chance.u64(..1500)));
        }
    }
    model.check(simulation, &network)
}

#[vivant::test(seeds = 200, faults = faults())]
fn the_graph_is_that_of_the_model(simulation: &Simulation) {
    run(simulation, Planted::Nothing).expect("they agree");
}

/// Self-test: some seed finds the planted bug.
fn finds(planted: Planted) {
    simulation::check_fails(Seeds(400), &faults(), "follows: ", |simulation| {
        run(simulation, planted).expect("they agree");
    });
}

#[test]
fn canary_a_late_refusal_is_found() {
    finds(Planted::LateRefusal);
}

#[test]
fn canary_a_forgotten_follower_is_found() {
    finds(Planted::ForgottenFollower);
}

#[vivant::test(seeds = 20)]
fn suggestions_are_those_of_three_shards(simulation: &Simulation) {
    let network = Network::open(simulation.system(), SHARDS);
    let join = |_| {
        network
            .any()
            .join("somebody".to_owned())
            .ask_blocking()
            .expect("it joins")
    };
    let people: Vec<PersonId> = (0..6).map(join).collect();
    let follow = |from: usize, to: usize| {
        let asked = network.of(people[from]).follow(people[from], people[to]);
        asked
            .ask_blocking()
            .expect("an answer")
            .expect("both are there");
    };
    // 0 follows 1, 2 and 3; two of them follow 4, one follows 5, and one follows 0 back.
    for (from, to) in [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 4),
        (2, 4),
        (3, 5),
        (3, 0),
        (1, 2),
    ] {
        follow(from, to);
    }
    let suggested = network.of(people[0]).suggest(people[0]).ask_blocking();
    let suggested = suggested.expect("an answer").expect("it is there");
    assert_eq!(suggested.people, [(people[4], 2), (people[5], 1)]);
    assert!(suggested.complete);
    let popular = network.any().popular().ask_blocking().expect("two shards");
    assert!(popular.iter().all(|it| it.followers <= 2), "{popular:?}");
    let census = network.any().census().ask_blocking().expect("all shards");
    assert_eq!((census.people, census.follows), (6, 8));
}
