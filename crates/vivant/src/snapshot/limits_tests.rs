//! Time limits beside alarms and clocks of other lives of the system.

use super::memory_store::MemoryStore;
use super::tests::{restored_with, simulated_with, take_now};
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use std::time::Duration;

/// Answers when a bell rings.
#[derive(Actor, Default)]
#[actor(saved, id = "limits::Shelf")]
struct Shelf {
    waiting: Vec<(u64, Resolver<u64>)>,
}

#[behaviours(id = "limits::Shelf")]
impl Shelf {
    #[start]
    fn new() -> Shelf {
        Shelf::default()
    }

    fn take(&mut self, t: &Turn<Self>, book: u64) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.waiting.push((book, resolver));
        promise
    }

    fn bell(&mut self) {
        for (book, resolver) in self.waiting.drain(..) {
            resolver.resolve(book);
        }
    }
}

/// Notes each answer, each error and each reminder.
#[derive(Actor)]
#[actor(saved, id = "limits::Desk")]
struct Desk {
    shelf: Address<Shelf>,
    got: Vec<u64>,
}

/// What is noted instead of an answer.
const LATE: u64 = 1_000;

#[behaviours(id = "limits::Desk")]
impl Desk {
    #[start]
    fn new(shelf: Address<Shelf>) -> Desk {
        let got = Vec::new();
        Desk { shelf, got }
    }

    /// Asks for these books, each with the same limit.
    fn ask(&mut self, t: &Turn<Self>, books: u64, limit: Duration) {
        for book in 0..books {
            let asked = t.ask(self.shelf.take(book)).within(limit);
            asked.then_send(t.me().took(book));
        }
    }

    #[then]
    fn took(&mut self, book: Result<u64, AskError>, asked: u64) {
        self.got.push(book.map_or(LATE + asked, |book| book));
    }

    fn remind(&mut self, t: &Turn<Self>, after: Duration) {
        let _timer = t.after(after, t.me().reminded());
    }

    fn reminded(&mut self) {
        self.got.push(77);
    }
}

type Saved = (Desk, Shelf);

const SECOND: Duration = Duration::from_secs(1);

fn begin(simulation: &Simulation) -> (Address<Desk>, Address<Shelf>) {
    let shelf = Shelf::spawn(simulation.system());
    (Desk::spawn(simulation.system(), shelf.clone()), shelf)
}

fn got(simulation: &Simulation) -> Vec<u64> {
    let mut got = Vec::new();
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("it is idle");
        idle.state().look::<Desk, _>(|desk| got = desk.got.clone());
        idle.park();
    }
    got
}

/// An answer that comes in time cancels its own time limit, and no alarm.
#[test]
fn a_restored_limit_is_no_restored_alarm() {
    let simulation = simulated_with::<Saved>(1);
    let (desk, shelf) = begin(&simulation);
    (0..4).for_each(|_| desk.remind(8 * SECOND).send());
    desk.ask(4, 10 * SECOND).send();
    simulation.run_for(SECOND);
    shelf.bell().send();
    let image = take_now(&simulation).expect("all of it is saved");
    drop((desk, shelf));
    let (restored, _actors) = restored_with::<Saved>(&image, 2);
    restored.run_for(60 * SECOND);
    assert_eq!(got(&restored), [0, 1, 2, 3, 77, 77, 77, 77]);
}

/// Limits that pass at one time pass in the order in which they were set.
#[test]
fn equal_limits_keep_their_order() {
    let simulation = simulated_with::<Saved>(1);
    let (desk, shelf) = begin(&simulation);
    desk.ask(4, 10 * SECOND).send();
    simulation.run_for(SECOND);
    let image = take_now(&simulation).expect("all of it is saved");
    simulation.run_for(60 * SECOND);
    let expected = [LATE, LATE + 1, LATE + 2, LATE + 3];
    assert_eq!(got(&simulation), expected);
    drop((desk, shelf));
    let (restored, _actors) = restored_with::<Saved>(&image, 2);
    restored.run_for(60 * SECOND);
    assert_eq!(got(&restored), expected);
}

/// What is left of a time limit is the same in a third life of the system. Its second life has a
/// clock that did not begin at zero.
#[test]
#[cfg_attr(miri, ignore = "threads, and a clock")]
fn a_limit_outlives_a_restored_system() {
    let builder = || System::builder().saved::<Saved>();
    let simulation = simulated_with::<Saved>(1);
    let (desk, shelf) = begin(&simulation);
    simulation.run_for(10_000 * SECOND);
    desk.ask(1, 5_000 * SECOND).send();
    simulation.run_for(SECOND);
    let journal = MemoryStore::default().journal();
    let image = |system: &System| {
        let report = system.snapshot(&journal).expect("all is saved");
        journal.catalog().image(report.number).expect("it exists")
    };
    let first = image(simulation.system());
    drop((desk, shelf));
    let second = builder().restore(&first).expect("it is whole");
    let image = image(&second.system);
    let third = Simulation::restore(1, Faults::none(), builder(), &image);
    let (third, _actors, _) = third.expect("it is whole");
    third.run_for(SECOND);
    assert_eq!(got(&third), Vec::<u64>::new());
    third.run_for(5_000 * SECOND);
    assert_eq!(got(&third), [LATE]);
}
