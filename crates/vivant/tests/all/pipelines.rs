//! T7: promise pipelining.

use super::joins::answer;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Cause, Name, Pipeline};

/// Makes rooms: at once, later, or never.
#[derive(Actor)]
struct House {
    kept: Vec<Resolver<Address<Room>>>,
}

#[behaviours]
impl House {
    fn later(&mut self, t: &Turn<Self>) -> Promise<Address<Room>> {
        let (promise, resolver) = t.promise();
        self.kept.push(resolver);
        promise
    }

    fn opens(&mut self, room: Address<Room>) {
        self.kept
            .drain(..)
            .for_each(|kept| kept.resolve(room.clone()));
    }

    fn burns(&mut self) {
        self.kept.clear();
    }
}

#[derive(Actor, Default)]
struct Room {
    said: Vec<u64>,
}

#[behaviours]
impl Room {
    fn say(&mut self, number: u64) -> usize {
        self.said.push(number);
        self.said.len()
    }

    fn said(&self) -> Vec<u64> {
        self.said.clone()
    }

    fn me(&self, t: &Turn<Self>) -> Address<Room> {
        t.me()
    }
}

#[derive(Actor)]
struct Guest {
    house: Address<House>,
    room: Option<Pipeline<Room>>,
}

#[behaviours]
impl Guest {
    fn comes(&mut self, t: &Turn<Self>) {
        let room = t.pipeline(t.ask(self.house.later()));
        assert_eq!(room.address(), None);
        self.room = Some(room);
    }

    fn says(&self, number: u64) {
        self.room().send(move |room| room.say(number));
    }

    fn asks(&self, t: &Turn<Self>, number: u64) -> Promise<usize> {
        self.room().ask(t, move |room| room.say(number))
    }

    fn panics(&self, t: &Turn<Self>) -> Promise<usize> {
        self.room().ask(t, |room| match room.say(0) {
            call if call.args().0 > 0 => call,
            call => panic!("no message of {call:?}"),
        })
    }

    fn is_in(&self) -> bool {
        self.room().address().is_some()
    }

    fn goes(&mut self) {
        self.room = None;
    }

    fn ready(&self, t: &Turn<Self>, room: Address<Room>) -> Promise<usize> {
        t.pipeline(Promise::ready(room)).ask(t, |room| room.say(1))
    }

    /// Each pipeline is to the answer of the one before.
    fn chain(&self, t: &Turn<Self>, length: usize) -> Promise<usize> {
        let mut room = t.pipeline(t.ask(self.house.later()));
        for _ in 0..length {
            let next = room.ask(t, |room| room.me());
            room = t.pipeline(next);
        }
        room.ask(t, |room| room.say(9))
    }

    #[local]
    fn room(&self) -> &Pipeline<Room> {
        self.room.as_ref().expect("the guest has come")
    }
}

struct Scene {
    simulation: Simulation,
    house: Address<House>,
    room: Address<Room>,
    guest: Address<Guest>,
}

fn scene(seed: u64) -> Scene {
    let simulation = Simulation::new(seed);
    let system = simulation.system();
    let house = system.spawn(House { kept: Vec::new() });
    let room = system.spawn(Room::default());
    let guest = system.spawn(Guest {
        house: house.clone(),
        room: None,
    });
    Scene {
        house,
        room,
        guest,
        simulation,
    }
}

impl Scene {
    fn lost(&self) -> Vec<(Name, Cause, u64)> {
        let counts = self.simulation.system().dead_letters().counts();
        let lines = counts.iter().map(|line| {
            assert!(line.place.contains("pipelines.rs"), "{}", line.place);
            (line.behaviour, line.cause, line.count)
        });
        lines.collect()
    }
}

#[test]
fn messages_wait_for_the_address_and_travel_in_order() {
    for seed in 0..50 {
        let scene = scene(seed);
        let Scene { guest, room, .. } = &scene;
        guest.comes().send();
        guest.says(1).send();
        let second = guest.asks(2).ask();
        guest.says(3).send();
        scene.simulation.run();
        assert_eq!(room.said().ask_blocking(), Ok(vec![]));
        assert_eq!(guest.is_in().ask_blocking(), Ok(false));
        scene.house.opens(room.clone()).send();
        // Some of them are sent before the address is here, and some afterwards.
        (4..9).for_each(|number| guest.says(number).send());
        scene.simulation.run();
        assert_eq!(answer(second), Ok(2));
        assert_eq!(guest.is_in().ask_blocking(), Ok(true));
        assert_eq!(guest.asks(9).ask_blocking(), Ok(9));
        assert_eq!(room.said().ask_blocking(), Ok((1..10).collect()));
        assert_eq!(scene.lost(), []);
    }
}

#[test]
fn a_broken_promise_breaks_what_waits_and_what_comes_later() {
    let scene = scene(1);
    let Scene { guest, .. } = &scene;
    guest.comes().send();
    guest.says(1).send();
    let asked = guest.asks(2).ask();
    scene.simulation.run();
    scene.house.burns().send();
    scene.simulation.run();
    let asked = answer(asked);
    assert!(matches!(asked, Err(AskError::Broken(_))), "{asked:?}");
    guest.says(3).send();
    assert_eq!(guest.asks(4).ask_blocking(), asked);
    let lost = scene.lost();
    let all: u64 = lost.iter().map(|(.., count)| count).sum();
    assert_eq!(all, 4, "{lost:?}");
    assert!(
        lost.iter()
            .all(|(name, cause, _)| name.ends_with("Room::say") && *cause == Cause::Unresolved),
        "{lost:?}"
    );
}

#[test]
fn the_end_of_the_actor_that_had_the_promise_breaks_it() {
    let scene = scene(1);
    let Scene { guest, room, .. } = &scene;
    guest.comes().send();
    guest.says(1).send();
    let asked = guest.asks(2).ask();
    scene.simulation.run();
    Address::stop(guest);
    scene.simulation.run();
    scene.house.opens(room.clone()).send();
    scene.simulation.run();
    let asked = answer(asked);
    assert!(
        matches!(asked, Err(AskError::Stopped(_) | AskError::Broken(_))),
        "{asked:?}"
    );
    assert_eq!(room.said().ask_blocking(), Ok(vec![]));
    let lost: u64 = scene.lost().iter().map(|(.., count)| count).sum();
    assert_eq!(lost, 2);
}

#[test]
fn a_shutdown_accounts_for_what_waits() {
    let scene = scene(1);
    let Scene { guest, .. } = &scene;
    guest.comes().send();
    guest.says(1).send();
    let asked = guest.asks(2).ask();
    scene.simulation.run();
    let system = scene.simulation.system();
    assert!(system.shutdown().is_complete());
    assert!(answer(asked).is_err());
    assert_eq!(system.dead_letters().total(), 2);
}

#[test]
fn a_dropped_pipeline_still_sends_what_it_was_given() {
    let scene = scene(1);
    let Scene { guest, room, .. } = &scene;
    guest.comes().send();
    guest.says(1).send();
    guest.goes().send();
    scene.simulation.run();
    scene.house.opens(room.clone()).send();
    scene.simulation.run();
    assert_eq!(room.said().ask_blocking(), Ok(vec![1]));
    assert_eq!(guest.ready(room.clone()).ask_blocking(), Ok(2));
}

#[test]
fn an_actor_that_has_ended_gets_dead_letters_and_a_panic_breaks_one_promise() {
    let scene = scene(1);
    let Scene { guest, room, .. } = &scene;
    guest.comes().send();
    let (first, panicked, last) = (
        guest.asks(1).ask(),
        guest.panics().ask(),
        guest.asks(2).ask(),
    );
    scene.simulation.run();
    scene.house.opens(room.clone()).send();
    scene.simulation.run();
    assert_eq!((answer(first), answer(last)), (Ok(1), Ok(2)));
    let panicked = answer(panicked);
    assert!(
        matches!(panicked, Err(AskError::Panicked(_))),
        "{panicked:?}"
    );
    Address::stop(room);
    scene.simulation.run();
    let late = guest.asks(3).ask_blocking();
    assert!(matches!(late, Err(AskError::Stopped(_))), "{late:?}");
    assert!(matches!(&scene.lost()[..], [(_, Cause::Ended, 1)]));
}

/// H12: the stack does not grow with the chain.
#[test]
fn a_long_chain_of_pipelines_is_resolved_or_broken() {
    const LENGTH: usize = if cfg!(miri) { 50 } else { 20_000 };
    let scene = scene(1);
    let Scene {
        guest, room, house, ..
    } = &scene;
    let asked = guest.chain(LENGTH).ask();
    scene.simulation.run();
    house.opens(room.clone()).send();
    scene.simulation.run();
    assert_eq!(answer(asked), Ok(1));
    let asked = guest.chain(LENGTH).ask();
    scene.simulation.run();
    house.burns().send();
    scene.simulation.run();
    assert!(matches!(answer(asked), Err(AskError::Broken(_))));
    let lost: u64 = scene.lost().iter().map(|(.., count)| count).sum();
    assert_eq!(lost, LENGTH as u64 + 1);
}
