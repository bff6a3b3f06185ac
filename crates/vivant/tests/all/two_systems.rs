//! Actors of two systems with the same numbers: promises and links lead from one to the other.

use crate::exclusive::{Oracle, lines};
use crate::log::Log;
use vivant::prelude::*;
use vivant::simulation::Simulation;

/// Waits exclusively for a clerk, or for an oracle.
#[derive(Actor)]
struct Clerk {
    log: Log,
    oracle: Address<Oracle>,
}

#[behaviours]
impl Clerk {
    fn wait(&mut self, t: &Turn<Self>) {
        t.ask(self.oracle.ask())
            .exclusive()
            .then_send(t.me().answered());
    }

    fn wait_for(&mut self, t: &Turn<Self>, other: Address<Clerk>) {
        t.ask(other.get()).exclusive().then_send(t.me().answered());
    }

    fn get(&self) -> u64 {
        7
    }

    #[then]
    fn answered(&mut self, value: Result<u64, AskError>) {
        match value {
            Ok(value) => self.log.note(format!("answer {value}")),
            Err(error) => self.log.note(format!("{error}")),
        }
    }

    fn link_with(&self, t: &Turn<Self>, other: Address<Clerk>) {
        t.link(&other);
    }

    fn unlink_from(&self, t: &Turn<Self>, other: Address<Clerk>) {
        t.unlink(&other);
    }

    fn fail(&self, t: &Turn<Self>) {
        t.fail("as planned");
    }
}

/// Two systems in each of which the first actor is an oracle, and the second a clerk.
struct Scene {
    simulations: [Simulation; 2],
    oracles: [Address<Oracle>; 2],
    clerks: [Address<Clerk>; 2],
    logs: [Log; 2],
}

impl Scene {
    fn new() -> Scene {
        let simulations = [Simulation::new(1), Simulation::new(2)];
        let systems = simulations.each_ref().map(Simulation::system);
        let oracles = systems.map(|system| system.spawn(Oracle { asked: Vec::new() }));
        let logs = [Log::default(), Log::default()];
        let clerk = |of: usize| {
            let (log, oracle) = (logs[of].clone(), oracles[of].clone());
            systems[of].spawn(Clerk { log, oracle })
        };
        let clerks = [clerk(0), clerk(1)];
        Scene {
            oracles,
            clerks,
            logs,
            simulations,
        }
    }

    fn run(&self) {
        for _ in 0..4 {
            self.simulations.iter().for_each(Simulation::run);
        }
    }
}

/// Both clerks have the same number and the same number of their waits.
#[test]
fn a_wait_in_another_system_closes_no_cycle() {
    let scene = Scene::new();
    scene.clerks[1].wait().send();
    scene.run();
    scene.clerks[0].wait_for(scene.clerks[1].clone()).send();
    scene.run();
    assert!(lines(&scene.logs[0]).is_empty());
    scene.oracles[1].answer(1).send();
    scene.run();
    assert_eq!(lines(&scene.logs[1]), ["answer 1"]);
    assert_eq!(lines(&scene.logs[0]), ["answer 7"]);
}

#[test]
fn links_are_with_the_actor_of_its_system() {
    let scene = Scene::new();
    let [here, there] = &scene.clerks;
    here.link_with(there.clone()).send();
    scene.run();
    there.fail().send();
    scene.run();
    assert!(!Address::is_alive(here), "they have the same number");
}

#[test]
fn an_unlink_leaves_the_link_with_the_same_number() {
    let scene = Scene::new();
    let [here, there] = &scene.clerks;
    let (log, oracle) = (Log::default(), scene.oracles[0].clone());
    let third = scene.simulations[0].system().spawn(Clerk { log, oracle });
    third.link_with(here.clone()).send();
    third.link_with(there.clone()).send();
    scene.run();
    third.unlink_from(here.clone()).send();
    scene.run();
    there.fail().send();
    scene.run();
    assert!(!Address::is_alive(&third));
    assert!(Address::is_alive(here));
}
