//! T8: guards of messages that no call has sent: what a topic publishes.

use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Lagged, Subscription, Topic};

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
