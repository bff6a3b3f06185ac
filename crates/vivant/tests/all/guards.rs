//! T8: guards of messages that come from a topic instead of a call.

use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Cause, Lagged, Subscription, Topic};

#[derive(Actor)]
struct Choosy {
    least: u64,
    got: Vec<u64>,
    _values: Subscription,
}

#[behaviours]
impl Choosy {
    #[start]
    fn new(t: &Turn<Self>, topic: Topic<u64>) -> Self {
        Choosy {
            least: 10,
            got: Vec::new(),
            _values: topic.subscribe(t.me().value()),
        }
    }

    #[then]
    #[when(value.is_ok_and(|value| value >= self.least))]
    fn value(&mut self, value: Result<u64, Lagged>) {
        self.got.extend(value);
    }

    fn takes(&mut self, least: u64) {
        self.least = least;
    }

    fn got(&self) -> Vec<u64> {
        self.got.clone()
    }
}

#[test]
fn a_published_value_does_not_wait_for_the_guard_of_another() {
    let simulation = Simulation::new(1);
    let topic = Topic::new();
    let choosy = Choosy::spawn(simulation.system(), topic.clone());
    simulation.run();
    for value in [1, 5, 3] {
        topic.publish(value);
    }
    simulation.run();
    choosy.takes(3).send();
    simulation.run();
    assert_eq!(choosy.got().ask_blocking(), Ok(vec![5, 3]));
    choosy.takes(0).send();
    simulation.run();
    assert_eq!(choosy.got().ask_blocking(), Ok(vec![5, 3, 1]));
}

#[derive(Actor)]
#[actor(mailbox = drop_oldest(1))]
struct Latest {
    open: bool,
    got: Vec<u64>,
    _values: Subscription,
}

#[behaviours]
impl Latest {
    #[start]
    fn new(t: &Turn<Self>, topic: Topic<u64>) -> Self {
        Latest {
            open: false,
            got: Vec::new(),
            _values: topic.subscribe(t.me().value()),
        }
    }

    #[then]
    #[when(self.open)]
    fn value(&mut self, value: Result<u64, Lagged>) {
        self.got.extend(value);
    }

    #[when(self.open)]
    fn take(&mut self, value: u64) {
        self.got.push(value);
    }

    fn opens(&mut self) {
        self.open = true;
    }

    fn got(&mut self) -> Vec<u64> {
        self.got.clone()
    }
}

/// M8: it is not counted, so it has no place that could be lost.
#[test]
fn a_published_value_that_waits_is_not_dropped_for_a_newer_message() {
    let simulation = Simulation::new(1);
    let topic = Topic::new();
    let latest = Latest::spawn(simulation.system(), topic.clone());
    simulation.run();
    topic.publish(1);
    simulation.run();
    latest.take(100).send();
    simulation.run();
    latest.opens().send();
    simulation.run();
    assert_eq!(latest.got().ask_blocking(), Ok(vec![1]));
    let lost = simulation.system().dead_letters().counts();
    assert_eq!(lost.len(), 1);
    assert_eq!((lost[0].cause, lost[0].count), (Cause::DroppedOldest, 1));
    assert!(lost[0].behaviour.ends_with("take"), "{lost:?}");
}
