//! No number of a subscription is given twice.

use super::taking::{recorder, restored, simulated, take_now};
use super::topics_tests::{Board, kinds};
use crate::Topic;
use crate::cut::{Coordinator, Step};

/// The topic is swept when nothing uses it, and made anew: an older handle that an image has must
/// not name the new subscription.
#[test]
fn a_topic_that_is_made_anew_gives_no_number_again() {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let topic = |name: &str| system.topic::<u64>(name).expect("it has numbers");
    let board = Board::spawn(system);
    simulation.run();
    drop(topic("news").subscribe(board.hears(1)));
    for number in 0..40 {
        drop(topic(&format!("{number}")));
    }
    topic("news").subscribe(board.hears(2)).forever();
    let image = take_now(&simulation);
    let tables = &image.shared.tables;
    assert_eq!(tables.topics[0].subscriptions[0].number, 1);
    assert_eq!(tables.next_subscription, 2);
    let (simulation, _actors) = restored(&image, 1, &kinds());
    assert_eq!(take_now(&simulation), image);
    let board = Board::spawn(simulation.system());
    let topic: Topic<u64> = simulation.system().topic("news").expect("it has numbers");
    topic.subscribe(board.hears(3)).forever();
    let image = take_now(&simulation);
    assert_eq!(image.shared.tables.topics[0].subscriptions[1].number, 2);
}

/// A subscription comes and goes when each actor is captured.
#[test]
fn a_subscription_behind_the_captures_has_a_number_that_no_other_gets() {
    let simulation = simulated(&kinds(), 1);
    let board = Board::spawn(simulation.system());
    simulation.system().keep(&board);
    simulation.run();
    let topic: Topic<u64> = simulation.system().topic("news").expect("it is new");
    let system = simulation.system().shared();
    let (mut coordinator, recorder) = (Coordinator::new(system), recorder(simulation.system()));
    coordinator.begin(system, recorder.clone());
    while system.passes.now().number() < 2 {
        let _step = coordinator.step(system);
    }
    drop(topic.subscribe(board.hears(1)));
    while !matches!(coordinator.step(system), Step::Complete(_)) {}
    let image = recorder.take(system).expect("it is saved");
    assert_eq!(image.shared.tables.next_subscription, 1);
}
