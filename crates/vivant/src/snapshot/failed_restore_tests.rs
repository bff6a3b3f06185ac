//! A restore that fails runs no code of a program; records that no program writes are an error.

use super::alarms::Repeats;
use super::image::Image;
use super::tests::{kinds_of, simulated_with, take_now};
use crate::prelude::*;
use crate::simulation::Simulation;
use std::cell::Cell;
use std::time::Duration;

/// Keeps requests.
#[derive(Actor, Default)]
#[actor(saved, id = "failed::Shelf")]
struct Shelf {
    waiting: Vec<Resolver<u64>>,
    ticks: u64,
}

#[behaviours(id = "failed::Shelf")]
impl Shelf {
    #[start]
    fn new(t: &Turn<Self>) -> Shelf {
        let _timer = t.every(Duration::from_secs(1), t.me().tick());
        Shelf::default()
    }

    fn take(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.waiting.push(resolver);
        promise
    }

    fn tick(&mut self) {
        self.ticks += 1;
    }
}

#[derive(Actor)]
#[actor(saved, id = "failed::Desk")]
struct Desk {
    shelf: Option<Address<Shelf>>,
}

thread_local! {
    /// Continuations that have run; a test runs its simulations itself.
    static CONTINUED: Cell<usize> = const { Cell::new(0) };
}

#[behaviours(id = "failed::Desk")]
impl Desk {
    #[start]
    fn new(shelf: Address<Shelf>) -> Desk {
        let shelf = Some(shelf);
        Desk { shelf }
    }

    fn ask(&mut self, t: &Turn<Self>) {
        // No address of the shelf is left but that of its interval.
        let shelf = self.shelf.take().expect("it asks once");
        let all = [0, 1].map(|_| t.ask(shelf.take()));
        t.all(all).then_send(t.me().took());
    }

    #[then]
    fn took(&mut self, _books: Result<Vec<u64>, AskError>) {
        CONTINUED.set(CONTINUED.get() + 1);
    }
}

type Saved = (Desk, Shelf);

fn image() -> Image {
    let simulation = simulated_with::<Saved>(1);
    let shelf = Shelf::spawn(simulation.system());
    let desk = Desk::spawn(simulation.system(), shelf);
    desk.ask().send();
    simulation.run_for(Duration::from_millis(2_500));
    take_now(&simulation).expect("all of it is saved")
}

/// Fills a system with an image, and runs it whether that has failed or not.
fn fails(image: &Image) -> (Simulation, String) {
    let simulation = simulated_with::<Saved>(2);
    let kinds = kinds_of(&simulation);
    let error = super::restore::restore(simulation.system().shared(), image, &kinds).err();
    simulation.run_for(Duration::from_secs(10));
    (simulation, error.expect("no program writes it").to_string())
}

/// The last record that is loaded is damaged. The promises that were open do not break.
#[test]
fn a_restore_that_fails_runs_no_actor() {
    let mut image = image();
    image.shared.tables.alarms[0].message.actor = 1_000_000;
    let before = CONTINUED.get();
    let (_simulation, error) = fails(&image);
    assert!(error.contains("1000000"), "{error}");
    assert_eq!(CONTINUED.get(), before);
}

#[test]
fn an_interval_of_no_length_is_an_error() {
    let mut image = image();
    image.shared.tables.alarms[0].repeats = Repeats::Every { ns: 0 };
    let (_simulation, error) = fails(&image);
    assert!(error.contains("interval"), "{error}");
}
