//! Joins of promises in images: errors that were spare, and numbers that no join has.

use super::by_id::Actors;
use super::image::Image;
use super::not_restored::NotRestored;
use super::restore::restore;
use super::tests::{kinds_of, restored_with, simulated_with, take_now};
use crate::prelude::*;
use crate::simulation::Simulation;

/// Keeps the resolvers of its answers.
#[derive(Actor, Default)]
#[actor(saved)]
struct Teller {
    waiting: Vec<Resolver<u64>>,
}

#[behaviours]
impl Teller {
    #[start]
    fn new() -> Teller {
        Teller::default()
    }

    fn later(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.waiting.push(resolver);
        promise
    }

    /// Breaks the oldest promise.
    fn breaks(&mut self) {
        drop(self.waiting.remove(0));
    }

    /// Keeps the oldest promise.
    fn gives(&mut self, value: u64) {
        self.waiting.remove(0).resolve(value);
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Asker {
    teller: Address<Teller>,
    got: Vec<u64>,
    errors: u64,
}

#[behaviours]
impl Asker {
    #[start]
    fn new(teller: Address<Teller>) -> Asker {
        Asker {
            teller,
            got: Vec::new(),
            errors: 0,
        }
    }

    fn asks_for_any(&mut self, t: &Turn<Self>) {
        let asked = (0..3).map(|_| t.ask(self.teller.later()));
        t.any(asked).then_send(t.me().got());
    }

    #[then]
    fn got(&mut self, value: Result<u64, AskError>) {
        match value {
            Ok(value) => self.got.push(value),
            Err(_) => self.errors += 1,
        }
    }
}

type Program = (Teller, Asker);

/// Of three promises one is broken.
fn image() -> Image {
    let simulation = simulated_with::<Program>(1);
    let teller = Teller::spawn(simulation.system());
    let asker = Asker::spawn(simulation.system(), teller.clone());
    asker.asks_for_any().send();
    simulation.run();
    teller.breaks().send();
    simulation.run();
    take_now(&simulation).expect("all of it is saved")
}

/// What the asker has got, and the number of its errors.
fn noted(simulation: &Simulation) -> (Vec<u64>, u64) {
    let mut noted = (Vec::new(), 0);
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("it is idle");
        idle.state().look::<Asker, _>(|asker| {
            noted = (asker.got.clone(), asker.errors);
        });
        idle.park();
    }
    noted
}

/// The first actor.
fn teller(actors: &Actors) -> Address<Teller> {
    let first = actors.values().next();
    Address::to_actor(first.expect("the image has it").clone())
}

#[test]
fn a_spare_error_is_restored() {
    let image = image();
    let (restored, actors) = restored_with::<Program>(&image, 2);
    assert_eq!(take_now(&restored).expect("all of it is saved"), image);
    teller(&actors).breaks().send();
    restored.run();
    assert_eq!(noted(&restored), (Vec::new(), 0));
    teller(&actors).gives(7).send();
    restored.run();
    assert_eq!(noted(&restored), (vec![7], 0));
}

#[test]
fn the_last_error_of_a_restored_join_is_its_own() {
    let (restored, actors) = restored_with::<Program>(&image(), 2);
    teller(&actors).breaks().send();
    teller(&actors).breaks().send();
    restored.run();
    assert_eq!(noted(&restored), (Vec::new(), 1));
}

/// Memory for a join is as large as what the file has of it.
#[test]
fn a_join_of_more_promises_than_there_are_is_refused() {
    let mut image = image();
    let promises = image.actors.iter_mut().flat_map(|it| &mut it.promises);
    let mut forged = 0;
    for promise in promises.filter(|it| it.sink == "any") {
        let bytes = &mut promise.content.bytes;
        // The state of a join ends with the number of its promises.
        if bytes.last() == Some(&3) {
            bytes.pop();
            bytes.extend([0x80, 0x80, 0x80, 0x08]);
            forged += 1;
        }
    }
    assert_eq!(forged, 1, "{:?}", image.actors);
    let simulation = simulated_with::<Program>(2);
    let refused = restore(simulation.system().shared(), &image, &kinds_of(&simulation));
    let refused = refused.err().expect("no join has so many");
    assert!(matches!(refused, NotRestored::Value { .. }), "{refused}");
    assert!(refused.to_string().contains("number of promises"));
}

/// The contents of the open promises of the join, the one with its state first.
fn contents(image: &mut Image) -> Vec<&mut Vec<u8>> {
    let promises = image.actors.iter_mut().flat_map(|it| &mut it.promises);
    let joined = promises.filter(|it| it.sink == "any");
    let mut contents: Vec<_> = joined.map(|it| &mut it.content.bytes).collect();
    // The state is there, one value is missing, one error is spare, of three promises.
    contents.sort_by_key(|bytes| !bytes.ends_with(&[1, 1, 1, 3]));
    assert!(contents[0].ends_with(&[1, 1, 1, 3]) && contents[1].ends_with(&[0]));
    assert_eq!(contents.len(), 2);
    contents
}

fn refused(image: &Image) -> String {
    let simulation = simulated_with::<Program>(2);
    let refused = restore(simulation.system().shared(), image, &kinds_of(&simulation));
    refused.err().expect("no join is like that").to_string()
}

#[test]
fn two_promises_at_one_position_of_a_join_are_refused() {
    let mut image = image();
    let mut contents = contents(&mut image);
    let first = contents[0][contents[0].len() - 5];
    // The position, and no state.
    let at = contents[1].len() - 2;
    assert_ne!(contents[1][at], first);
    contents[1][at] = first;
    let refused = refused(&image);
    assert!(refused.contains("not whole"), "{refused}");
}

#[test]
fn a_join_that_misses_fewer_values_than_are_open_is_refused() {
    let mut image = image();
    let mut contents = contents(&mut image);
    let spare = contents[0].len() - 2;
    contents[0][spare] = 0;
    let refused = refused(&image);
    assert!(refused.contains("more or fewer"), "{refused}");
}
