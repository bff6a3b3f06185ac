//! Feeds: each post once, in the order of its author, and one object for all readers.

use social::network::Network;
use social::person::PersonId;
use std::time::Duration;
use vivant::Held;
use vivant::simulation::{Faults, Simulation};

fn faults() -> Faults {
    let late = Duration::from_millis(500);
    Faults::none()
        .slow_turns(100_000, late)
        .delays(200_000, late)
        .full_mailboxes()
}

fn feed(network: &Network, id: PersonId) -> Vec<Held<str>> {
    let asked = network.of(id).feed(id).ask_blocking();
    asked.expect("an answer").expect("the person is there")
}

#[vivant::test(seeds = 200, faults = faults())]
fn posts_come_once_and_in_order(simulation: &Simulation) {
    let network = Network::open(simulation.system(), 3);
    let join = |_| {
        network
            .any()
            .join("somebody".to_owned())
            .ask_blocking()
            .expect("it joins")
    };
    let people: Vec<PersonId> = (0..6).map(join).collect();
    let (authors, readers) = people.split_at(2);
    for &reader in readers {
        for &author in authors {
            let asked = network.of(reader).follow(reader, author).ask_blocking();
            asked.expect("an answer").expect("both are there");
        }
    }
    for number in 0..10 {
        for &author in authors {
            network
                .of(author)
                .post(author, format!("post {number}"))
                .send();
        }
    }
    simulation.run();
    for &reader in readers {
        let lines = feed(&network, reader);
        for &author in authors {
            let mine = format!("\"author\":{author},");
            let lines = lines.iter().rev().filter(|line| line.contains(&mine));
            for (number, line) in lines.clone().enumerate() {
                assert!(line.contains(&format!("post {number}\"")), "{line:?}");
            }
            assert_eq!(lines.count(), 10);
        }
    }
    // Readers of several shards have the same objects.
    let mut places = readers.iter().map(|&reader| {
        let mut places: Vec<_> = feed(&network, reader)
            .iter()
            .map(|line| line.as_ptr())
            .collect();
        places.sort_unstable();
        places
    });
    let first = places.next();
    assert!(places.all(|it| Some(it) == first));
}

#[test]
fn a_feed_is_bounded_and_outlives_its_author() {
    let simulation = Simulation::new(1);
    let network = Network::open(simulation.system(), 2);
    let [author, reader] = ["Ada", "Bob"].map(|name| {
        network
            .any()
            .join(name.to_owned())
            .ask_blocking()
            .expect("it joins")
    });
    let followed = network.of(reader).follow(reader, author).ask_blocking();
    followed.expect("an answer").expect("both are there");
    for number in 0..60 {
        network.of(author).post(author, number.to_string()).send();
    }
    network.of(author).remove(author).send();
    simulation.run();
    let lines = feed(&network, reader);
    assert_eq!(lines.len(), 50);
    assert!(lines[0].contains("\"59\""), "{:?}", lines[0]);
    let late = network
        .of(author)
        .post(author, "too late".to_owned())
        .ask_blocking();
    assert!(late.expect("an answer").is_err());
}
