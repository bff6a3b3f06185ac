//! Actors that know actors of another system: an image has no other system.

use super::tests::{restored_with, simulated_with, take_now};
use crate::prelude::*;
use crate::simulation::Simulation;

#[derive(Actor, Default)]
#[actor(saved, id = "two::Shelf")]
struct Shelf {
    waiting: Vec<Resolver<u64>>,
}

#[behaviours(id = "two::Shelf")]
impl Shelf {
    #[start]
    fn new() -> Shelf {
        Shelf::default()
    }

    fn take(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.waiting.push(resolver);
        promise
    }

    fn bell(&mut self) {
        let all = self.waiting.drain(..).enumerate();
        all.for_each(|(at, resolver)| resolver.resolve(at as u64));
    }
}

#[derive(Actor)]
#[actor(saved, id = "two::Desk")]
struct Desk {
    shelf: Address<Shelf>,
    got: Vec<u64>,
}

#[behaviours(id = "two::Desk")]
impl Desk {
    #[start]
    fn new(shelf: Address<Shelf>) -> Desk {
        let got = Vec::new();
        Desk { shelf, got }
    }

    fn ask(&mut self, t: &Turn<Self>) {
        t.ask(self.shelf.take()).then_send(t.me().took());
    }

    #[then]
    fn took(&mut self, book: Result<u64, AskError>) {
        self.got.push(book.unwrap_or(1_000));
    }
}

type Saved = (Desk, Shelf);

fn run(simulations: &[&Simulation]) {
    for _ in 0..10 {
        simulations.iter().for_each(|simulation| {
            simulation.run();
        });
    }
}

/// The desks of both systems have the same number, and so have their promises.
#[test]
fn a_resolver_of_another_system_is_none_of_this_one() {
    let (here, there) = (simulated_with::<Saved>(1), simulated_with::<Saved>(2));
    let shelf = Shelf::spawn(here.system());
    let desk = Desk::spawn(here.system(), shelf.clone());
    let _first = Shelf::spawn(there.system());
    let other = Desk::spawn(there.system(), shelf.clone());
    // The resolver of the other system is the first on the shelf.
    other.ask().send();
    run(&[&there, &here]);
    desk.ask().send();
    run(&[&here, &there]);
    let image = take_now(&here).expect("all of it is saved");
    let (restored, actors) = restored_with::<Saved>(&image, 3);
    let kinds = super::tests::kinds_of(&restored);
    let shelf = actors
        .values()
        .find_map(|actor| crate::api::address_by::<Shelf>(actor, &kinds));
    shelf.expect("it is saved").bell().send();
    restored.run();
    let mut got = Vec::new();
    for cell in restored.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("it is idle");
        idle.state().look::<Desk, _>(|desk| got = desk.got.clone());
        idle.park();
    }
    assert_eq!(got, [1]);
}

/// The number of an actor of another system is that of some actor of this one.
#[test]
fn an_address_of_another_system_is_an_error() {
    let (here, there) = (simulated_with::<Saved>(1), simulated_with::<Saved>(2));
    let _shelf = Shelf::spawn(here.system());
    let shelf = Shelf::spawn(there.system());
    let _desk = Desk::spawn(here.system(), shelf);
    run(&[&here, &there]);
    let error = take_now(&here).expect_err("an image has one system");
    let said = error.to_string();
    assert!(said.contains("another system"), "{said}");
}
