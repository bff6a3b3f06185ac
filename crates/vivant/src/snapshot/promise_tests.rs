//! Images with open promises: each kind of what is done with a value, at every turn.

use super::tests::{restored_with, take, take_now};
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use std::time::Duration;

/// Answers late: a request waits for a bell.
#[derive(Actor, Default)]
#[actor(saved)]
struct Shelf {
    waiting: Vec<(u64, Resolver<u64>)>,
    given: u64,
}

#[behaviours]
impl Shelf {
    #[start]
    fn new() -> Shelf {
        Shelf::default()
    }

    /// The answer comes with the bell.
    fn take(&mut self, t: &Turn<Self>, book: u64) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.waiting.push((book, resolver));
        promise
    }

    fn look(&self, book: u64) -> u64 {
        book
    }

    fn bell(&mut self, t: &Turn<Self>) {
        for (book, resolver) in self.waiting.drain(..) {
            self.given += 1;
            resolver.resolve(book);
        }
        if self.given < 20 {
            t.send(t.me().bell());
        }
    }
}

/// Asks in every way, and writes down what it got.
#[derive(Actor)]
#[actor(saved)]
struct Desk {
    shelf: Address<Shelf>,
    got: Vec<u64>,
    errors: Vec<String>,
}

#[behaviours]
impl Desk {
    #[start]
    fn new(shelf: Address<Shelf>) -> Desk {
        Desk {
            shelf,
            got: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn ask(&mut self, t: &Turn<Self>, book: u64) {
        t.ask(self.shelf.take(book)).then_send(t.me().took(book));
    }

    #[then]
    fn took(&mut self, book: Result<u64, AskError>, asked: u64) -> u64 {
        match book {
            Ok(book) => self.got.push(book * 1000 + asked),
            Err(error) => self.errors.push(error.to_string()),
        }
        asked
    }

    /// The answer is that of the shelf.
    fn pass(&mut self, t: &Turn<Self>, book: u64) -> Promise<u64> {
        t.ask(self.shelf.take(book))
    }

    /// The answer is that of the continuation.
    fn pass_on(&mut self, t: &Turn<Self>, book: u64) -> Promise<u64> {
        t.ask(t.me().pass(book)).then(t.me().took(book))
    }

    fn ask_all(&mut self, t: &Turn<Self>, books: u64) {
        let asked = (0..books).map(|book| match book % 2 {
            0 => t.ask(self.shelf.look(book)),
            _ => t.ask(self.shelf.take(book)),
        });
        t.all(asked).then_send(t.me().took_all());
        let asked = (0..books).map(|book| t.ask(self.shelf.take(book)));
        t.quorum(2, asked).then_send(t.me().took_all());
        let asked = (0..books).map(|book| t.ask(self.shelf.take(book)));
        t.any(asked).then_send(t.me().took(7));
        let asked = (0..books).map(|book| t.ask(self.shelf.take(book)));
        t.all_settled(asked).then_send(t.me().settled());
    }

    #[then]
    fn took_all(&mut self, books: Result<Vec<u64>, AskError>) {
        match books {
            Ok(books) => self.got.push(books.iter().sum()),
            Err(error) => self.errors.push(error.to_string()),
        }
    }

    #[then]
    fn settled(&mut self, books: Result<Vec<Result<u64, AskError>>, AskError>) {
        let books = books.unwrap_or_default();
        self.got.push(books.iter().flatten().sum());
    }

    fn ask_in_time(&mut self, t: &Turn<Self>, book: u64) {
        let asked = t.ask(self.shelf.take(book)).within(Duration::from_secs(10));
        asked.then_send(t.me().took(book));
    }

    /// Nothing else is processed meanwhile.
    fn ask_exclusively(&mut self, t: &Turn<Self>, book: u64) {
        let asked = t.ask(self.shelf.take(book)).exclusive();
        asked.then_send(t.me().took(book));
        self.got.push(1);
    }

    fn drops(&mut self, t: &Turn<Self>, book: u64) {
        drop(t.ask(self.shelf.take(book)));
    }

    fn note(&mut self, line: u64) {
        self.got.push(line);
    }
}

fn kinds() -> Arc<SavedKinds> {
    Arc::new(SavedKinds::of::<(Desk, Shelf)>().expect("no two names are equal"))
}

fn begin(simulation: &Simulation) -> (Address<Desk>, Address<Shelf>) {
    let shelf = Shelf::spawn(simulation.system());
    let desk = Desk::spawn(simulation.system(), shelf.clone());
    desk.ask(1).send();
    desk.pass_on(2).send();
    desk.ask_all(4).send();
    desk.ask_in_time(3).send();
    desk.drops(5).send();
    desk.ask_exclusively(6).send();
    desk.note(8).send();
    desk.pass(9).send();
    shelf.bell().send();
    (desk, shelf)
}

/// What the desk has in the end. The order of what two actors send is the schedule's.
fn end(simulation: &Simulation) -> (Vec<u64>, Vec<String>) {
    simulation.run();
    let mut end = (Vec::new(), Vec::new());
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("all is done");
        let found = idle
            .state()
            .look::<Desk, _>(|desk| (desk.got.clone(), desk.errors.clone()));
        if let Some(found) = found {
            end = found;
        }
        idle.park();
    }
    end.0.sort_unstable();
    end
}

/// For every turn: what runs until then, is saved, restored and run to its end, ends as what runs
/// without a pause.
#[test]
fn promises_are_kept_at_every_turn() {
    kept_at_every_turn();
}

/// A value on its way that the image lacks.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_lost_arrival_is_noticed() {
    must_catch(InjectedFault::ArrivalUnrecorded, kept_at_every_turn);
}

/// The newest promise of an actor that the image lacks, as if it came late into the list.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_slot_that_is_listed_late_is_noticed() {
    must_catch(InjectedFault::SlotListedLate, kept_at_every_turn);
}

fn kept_at_every_turn() {
    let simulation = Simulation::new(0);
    let _program = begin(&simulation);
    let expected = end(&simulation);
    assert_eq!(expected.0.len(), 10, "{expected:?}");
    assert_eq!(expected.1, Vec::<String>::new());
    let (mut open, mut arriving) = (0, 0);
    for seed in 0..if cfg!(miri) { 1 } else { 20 } {
        let mut dice = Dice::new(seed);
        let mut turns = 0;
        loop {
            let simulation = Simulation::new(seed);
            let program = begin(&simulation);
            let is_over = (0..turns).any(|_| !simulation.step());
            let image = take(&simulation, kinds(), &mut dice).expect("all of it is saved");
            drop(program);
            open += image.promises();
            arriving += image.arrivals();
            let (simulation, _actors) = restored_with(&image, seed + 1, &kinds());
            assert_eq!(
                end(&simulation),
                expected,
                "seed {seed}, after {turns} steps"
            );
            if is_over {
                break;
            }
            turns += 1;
        }
        assert!(turns > 10, "{turns} steps are too few");
    }
    assert!(
        open > 100 && arriving > 0,
        "{open} promises, {arriving} arrivals"
    );
}

/// An image of a restored system is the image that it was restored from.
#[test]
fn an_image_of_restored_promises_is_the_same() {
    let mut open = 0;
    for seed in 0..if cfg!(miri) { 1 } else { 30 } {
        let simulation = Simulation::new(seed);
        let _program = begin(&simulation);
        for _ in 0..seed {
            simulation.step();
        }
        let image = take_now(&simulation, kinds()).expect("all of it is saved");
        let (restored, _actors) = restored_with(&image, seed, &kinds());
        let again = take_now(&restored, kinds()).expect("all of it is saved");
        assert_eq!(again, image, "seed {seed}");
        open += image.promises();
    }
    assert!(open > 0, "no promise was open");
}
