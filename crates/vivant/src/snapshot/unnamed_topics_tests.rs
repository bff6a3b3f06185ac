//! Handles of topics without a name in intervals and in the arguments of starts.

use super::taking::{restored, simulated, take, take_now};
use crate::api::SavedKinds;
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::{Lagged, Supervisor, Topic};
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(5);

/// Publishes what it hears of, and hears what it publishes.
#[derive(Actor)]
#[actor(saved)]
struct Bell {
    rung: u64,
}

#[behaviours]
impl Bell {
    #[start]
    fn new() -> Bell {
        Bell { rung: 0 }
    }

    fn ring_every(&mut self, t: &Turn<Self>, to: Topic<u64>) {
        let _timer = t.every(PERIOD, t.me().ring(to));
    }

    fn ring(&mut self, to: Topic<u64>) {
        to.publish(1);
    }

    #[then]
    fn hear(&mut self, _value: Result<u64, Lagged>) {
        self.rung += 1;
    }
}

/// Starts again after a restore.
#[derive(Actor)]
#[actor(saved(restart))]
struct Porter;

#[behaviours]
impl Porter {
    #[start]
    fn new(_bells: Topic<u64>) -> Porter {
        Porter
    }
}

/// Is started by its supervisor.
#[derive(Actor)]
#[actor(saved)]
struct Guest {
    bells: Topic<u64>,
}

#[behaviours]
impl Guest {
    #[start]
    fn new(bells: Topic<u64>) -> Guest {
        Guest { bells }
    }

    fn ring(&mut self) {
        self.bells.publish(1);
    }

    fn fail(&mut self) {
        panic!("it does not like the bell");
    }
}

fn kinds() -> Arc<SavedKinds> {
    let kinds = SavedKinds::of::<(Bell, Porter, Guest, Supervisor)>();
    Arc::new(kinds.expect("no two names are equal"))
}

fn rung(simulation: &Simulation) -> u64 {
    let mut rung = 0;
    for cell in simulation.system().shared().actors() {
        if let Ok(mut idle) = cell.hold_idle() {
            let _none = idle.state().look::<Bell, _>(|bell| rung += bell.rung);
            idle.park();
        }
    }
    rung
}

/// Only the message of the interval has the handle.
#[test]
fn an_interval_goes_on_with_its_topic() {
    let simulation = simulated(&kinds(), 1);
    let bell = Bell::spawn(simulation.system());
    let topic = Topic::new();
    topic.subscribe(bell.hear()).forever();
    bell.ring_every(topic).send();
    simulation.run_for(3 * PERIOD);
    let before = rung(&simulation);
    assert!(before > 0);
    let image = take_now(&simulation);
    assert_eq!(image.shared.tables.topics.len(), 1);
    let (simulation, _actors) = restored(&image, 1, &kinds());
    assert_eq!(take_now(&simulation), image);
    simulation.run_for(3 * PERIOD);
    assert!(rung(&simulation) > before);
}

/// Its supervisor has its start, and with it the topic.
#[test]
fn a_child_starts_again_with_its_topic() {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let bell = Bell::spawn(system);
    let topic = Topic::new();
    topic.subscribe(bell.hear()).forever();
    let tree = Supervisor::one_for_one().spawn(system);
    let guest = tree.add(Guest::child(topic));
    simulation.run();
    let image = take_now(&simulation);
    assert_eq!(image.shared.tables.topics.len(), 1);
    drop((tree, guest, bell));
    let (simulation, actors) = restored(&image, 1, &kinds());
    assert_eq!(take_now(&simulation), image);
    let guest = actors
        .values()
        .find_map(|actor| crate::api::address_by::<Guest>(actor, &kinds()));
    let guest = guest.expect("it is saved");
    guest.fail().send();
    guest.ring().send();
    simulation.run_for(Duration::from_secs(60));
    assert_eq!(rung(&simulation), 1);
    let again = take_now(&simulation);
    assert_eq!(again.shared.tables.topics.len(), 1);
}

/// The actor keeps the arguments as they were encoded when it began.
#[test]
fn a_start_that_is_kept_has_topics_with_a_name() {
    let simulation = simulated(&kinds(), 1);
    let system = simulation.system();
    let named = Porter::spawn(system, system.topic("bells").expect("it is new"));
    simulation.run();
    let image = take_now(&simulation);
    assert_eq!(image.actors.len(), 1);
    let _unnamed = Porter::spawn(system, Topic::new());
    simulation.run();
    let error = take(&simulation, &mut Dice::new(1)).expect_err("it has no name");
    let said = error.to_string();
    assert!(said.contains("a topic without a name"), "{said}");
    drop(named);
}
