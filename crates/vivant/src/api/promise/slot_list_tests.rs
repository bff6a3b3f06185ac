//! The list of open promises of actors that ask.

use crate::actor::CellRef;
use crate::api::{Address, Resolver, Turn};
use crate::prelude::*;
use crate::simulation::Simulation;
use std::cell::RefCell;

thread_local! {
    static CARRIED: RefCell<Option<Promise<u64>>> = const { RefCell::new(None) };
}

#[derive(Actor, Default)]
struct Desk {
    answers: Vec<u64>,
}

#[behaviours]
impl Desk {
    fn asks(&mut self, t: &Turn<Self>, shelf: Address<Shelf>, count: usize) {
        for _ in 0..count {
            t.ask(shelf.take()).then_send(t.me().answered());
        }
    }

    #[then]
    fn answered(&mut self, answer: Result<u64, AskError>) {
        self.answers.extend(answer.ok());
    }

    /// A promise that is not wanted is open until its value comes.
    fn asks_in_vain(&self, t: &Turn<Self>, shelf: Address<Shelf>) {
        drop(t.ask(shelf.take()));
    }

    /// Carries a promise out of its turn, against the rules; and drops the last one.
    fn carries(&self, t: &Turn<Self>, shelf: Address<Shelf>) {
        let last = CARRIED.replace(Some(t.ask(shelf.take())));
        drop(last);
    }

    fn ends(&self, t: &Turn<Self>) {
        t.stop();
    }
}

#[derive(Actor, Default)]
struct Shelf {
    resolvers: Vec<Resolver<u64>>,
}

#[behaviours]
impl Shelf {
    fn take(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.resolvers.push(resolver);
        promise
    }

    fn gives(&mut self, which: usize) {
        self.resolvers.remove(which).resolve(0);
    }
}

struct Scene {
    simulation: Simulation,
    desk: Address<Desk>,
    shelf: Address<Shelf>,
}

impl Scene {
    fn new() -> Scene {
        let simulation = Simulation::new(1);
        Scene {
            desk: simulation.system().spawn(Desk::default()),
            shelf: simulation.system().spawn(Shelf::default()),
            simulation,
        }
    }

    fn of(cell: &CellRef) -> Vec<u64> {
        cell.slots.numbers()
    }

    fn numbers(&self) -> Vec<u64> {
        self.simulation.run();
        Scene::of(&Address::link(&self.desk).to.cell())
    }
}

#[test]
fn an_actor_has_a_list_of_its_open_promises() {
    let scene = Scene::new();
    let Scene { desk, shelf, .. } = &scene;
    assert!(scene.numbers().is_empty());
    desk.asks(shelf.clone(), 3).send();
    assert_eq!(scene.numbers(), [3, 2, 1]);
    shelf.gives(1).send();
    assert_eq!(scene.numbers(), [3, 1]);
    desk.asks_in_vain(shelf.clone()).send();
    assert_eq!(scene.numbers(), [4, 3, 1]);
    shelf.gives(2).send();
    assert_eq!(scene.numbers(), [3, 1]);
    shelf.gives(1).send();
    assert_eq!(scene.numbers(), [1], "the highest number is free again");
    desk.asks(shelf.clone(), 1).send();
    assert_eq!(scene.numbers(), [2, 1]);
}

/// The promise is dropped after its value has come.
#[test]
fn a_promise_that_was_carried_out_of_its_turn_does_not_stay() {
    let scene = Scene::new();
    let Scene { desk, shelf, .. } = &scene;
    for _ in 0..10 {
        desk.carries(shelf.clone()).send();
        assert_eq!(scene.numbers(), [1]);
        shelf.gives(0).send();
        scene.simulation.run();
    }
    drop(CARRIED.take());
}

#[test]
fn an_actor_that_has_ended_has_no_list() {
    let scene = Scene::new();
    let Scene { desk, shelf, .. } = &scene;
    desk.asks(shelf.clone(), 3).send();
    assert_eq!(scene.numbers(), [3, 2, 1]);
    let cell = Address::link(desk).to.cell();
    desk.ends().send();
    scene.simulation.run();
    assert!(Scene::of(&cell).is_empty());
    // The values find no owner; Miri and the sanitizers see what becomes of the memory.
    (0..3).for_each(|_| shelf.gives(0).send());
    scene.simulation.run();
}
