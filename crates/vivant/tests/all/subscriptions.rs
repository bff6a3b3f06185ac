//! Subscriptions: the bound on notices, and clones that publish.

use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Lagged, Subscription, Topic};

/// What a subscriber got.
#[derive(Default, Clone, Copy, Debug)]
struct Got {
    values: u64,
    notices: u64,
    missed: u64,
}

impl Got {
    fn record(&mut self, value: Result<u64, Lagged>) {
        match value {
            Ok(_) => self.values += 1,
            Err(lagged) => {
                self.notices += 1;
                self.missed += lagged.missed;
            }
        }
    }
}

#[derive(Actor)]
struct Taker {
    got: Got,
    _values: Subscription,
}

#[behaviours]
impl Taker {
    #[start]
    fn new(t: &Turn<Self>, topic: Topic<u64>) -> Self {
        Taker {
            got: Got::default(),
            _values: topic.subscribe_bounded(2, t.me().take()),
        }
    }

    #[then]
    fn take(&mut self, value: Result<u64, Lagged>) {
        self.got.record(value);
    }

    fn got(&self) -> Got {
        self.got
    }
}

/// Each notice but the first stands behind a value that was posted after the notice before.
#[test]
fn publishers_on_threads_cause_no_more_notices_than_values() {
    const PUBLISHERS: u64 = 8;
    const EACH: u64 = if cfg!(miri) { 50 } else { 20_000 };
    let system = vivant::System::new();
    let topic = Topic::new();
    let taker = Taker::spawn(&system, topic.clone());
    taker.got().ask_blocking().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..PUBLISHERS {
            scope.spawn(|| (0..EACH).for_each(|value| topic.publish(value)));
        }
    });
    let got = taker.got().ask_blocking().unwrap();
    assert_eq!(got.values + got.missed, PUBLISHERS * EACH, "{got:?}");
    assert!(got.notices <= got.values + 1, "{got:?}");
}

/// An argument of a subscription; each of its clones publishes once more.
struct Echo(Topic<u64>);

impl Clone for Echo {
    fn clone(&self) -> Self {
        self.0.publish(100);
        Echo(self.0.clone())
    }
}

#[derive(Actor, Default)]
struct Echoing {
    got: Got,
}

#[behaviours]
impl Echoing {
    fn subscribe(&mut self, t: &Turn<Self>, to: Topic<u64>, clones_publish_to: Topic<u64>) {
        to.subscribe(t.me().take(Echo(clones_publish_to))).forever();
    }

    #[then]
    fn take(&mut self, value: Result<u64, Lagged>, _echo: Echo) {
        self.got.record(value);
    }

    fn got(&self) -> Got {
        self.got
    }
}

#[test]
fn a_clone_that_publishes_to_its_own_subscription_is_missed_by_it() {
    let simulation = Simulation::new(1);
    let topic = Topic::new();
    let echoing = simulation.system().spawn(Echoing::default());
    echoing.subscribe(topic.clone(), topic.clone()).send();
    simulation.run();
    topic.publish(1);
    let got = echoing.got().ask_blocking().unwrap();
    // The clone for the value publishes, and so does the clone for the notice of that.
    assert_eq!((got.values, got.notices, got.missed), (1, 1, 2), "{got:?}");
}

#[test]
fn clones_that_publish_to_each_others_topics_end() {
    let system = vivant::System::new();
    let (left, right) = (Topic::new(), Topic::new());
    let echoing = system.spawn(Echoing::default());
    echoing.subscribe(left.clone(), right.clone()).send();
    echoing.subscribe(right.clone(), left.clone()).send();
    echoing.got().ask_blocking().unwrap();
    std::thread::scope(|scope| {
        for topic in [&left, &right] {
            scope.spawn(|| (0..100).for_each(|value| topic.publish(value)));
        }
    });
    let got = echoing.got().ask_blocking().unwrap();
    // A value that is published while a clone publishes counts as missed.
    assert!(got.values > 0 && got.values + got.missed >= 200, "{got:?}");
}
