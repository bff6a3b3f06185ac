//! Images with open promises: each kind of what is done with a value, at every turn.

use super::recorder::ImageRecorder;
use super::taking::FIRST_SYSTEM;
use super::tests::{kinds_of, restored_with, simulated_with, take, take_now};
use crate::cut::{Coordinator, Outcome, Step};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;
use std::time::Duration;

/// Answers late: a request waits for a bell.
#[derive(Actor, Default)]
#[actor(saved)]
struct Shelf {
    waiting: Vec<(u64, Resolver<u64>)>,
    titles: Vec<Resolver<String>>,
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

    /// No answer comes.
    fn title(&mut self, t: &Turn<Self>) -> Promise<String> {
        let (promise, resolver) = t.promise();
        self.titles.push(resolver);
        promise
    }

    fn look(&self, book: u64) -> u64 {
        book
    }

    /// Gives what waits.
    fn gives(&mut self) {
        for (book, resolver) in self.waiting.drain(..) {
            resolver.resolve(book);
        }
    }

    /// Gives until all books are given.
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

    fn asks_for_delegated(&mut self, t: &Turn<Self>, book: u64) {
        t.ask(t.me().delegates(book)).then_send(t.me().took(book));
    }

    fn delegates(&mut self, t: &Turn<Self>, book: u64) -> Promise<u64> {
        let limit = Duration::from_secs(10);
        t.delegate(self.shelf.take(book)).within(limit)
    }

    fn asks_for_delegated_twice(&mut self, t: &Turn<Self>, book: u64) {
        let asked = t.ask(t.me().delegates_on(book));
        asked.then_send(t.me().took(book));
    }

    /// The inner limit is the shorter one.
    fn delegates_on(&mut self, t: &Turn<Self>, book: u64) -> Promise<u64> {
        let limit = Duration::from_secs(30);
        t.delegate(t.me().delegates(book)).within(limit)
    }

    /// No continuation and no reply has the type of the join.
    fn drops_titles(&mut self, t: &Turn<Self>) {
        drop(t.all([t.ask(self.shelf.title()), t.ask(self.shelf.title())]));
    }

    fn ask_for_a_closure(&mut self, t: &Turn<Self>, book: u64) {
        t.ask(self.shelf.take(book))
            .then_local(t, |desk: &mut Desk, _, book| {
                desk.got.push(book.unwrap_or_default());
            });
    }

    fn waits_for(&mut self, t: &Turn<Self>, other: Address<Desk>) {
        let asked = t.ask(other.lines()).exclusive();
        asked.then_send(t.me().took(0));
    }

    fn lines(&self) -> u64 {
        self.got.len() as u64
    }

    fn drops(&mut self, t: &Turn<Self>, book: u64) {
        drop(t.ask(self.shelf.take(book)));
    }

    fn note(&mut self, line: u64) {
        self.got.push(line);
    }
}

type Saved = (Desk, Shelf);

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
    let mut end = noted(simulation);
    end.0.sort_unstable();
    end
}

/// What the only desk has noted.
fn noted(simulation: &Simulation) -> (Vec<u64>, Vec<String>) {
    let mut noted = (Vec::new(), Vec::new());
    each_desk(simulation, |desk| {
        noted = (desk.got.clone(), desk.errors.clone());
    });
    noted
}

fn each_desk(simulation: &Simulation, mut each: impl FnMut(&Desk)) {
    for cell in simulation.system().shared().actors() {
        let mut idle = cell.hold_idle().expect("it is idle");
        idle.state().look::<Desk, _>(|desk| each(desk));
        idle.park();
    }
}

/// For every turn: what runs until then, is saved, restored and run to its end, ends as what runs
/// without a pause; and so does the first system.
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
    let simulation = simulated_with::<Saved>(0);
    let _program = begin(&simulation);
    let expected = end(&simulation);
    assert_eq!(expected.0.len(), 10, "{expected:?}");
    assert_eq!(expected.1, Vec::<String>::new());
    let (mut open, mut arriving) = (0, 0);
    for seed in 0..if cfg!(miri) { 1 } else { 8 } {
        let mut turns = 0;
        loop {
            let simulation = simulated_with::<Saved>(seed);
            let program = begin(&simulation);
            let is_over = (0..turns).any(|_| !simulation.step());
            let image = take(&simulation).expect("all of it is saved");
            open += image.promises();
            arriving += image.arrivals();
            let why = format!("seed {seed}, after {turns} steps");
            let (restored, _actors) = restored_with::<Saved>(&image, seed + 1);
            assert_eq!(end(&restored), expected, "{why}");
            assert_eq!(end(&simulation), expected, "{why}: {FIRST_SYSTEM}");
            drop(program);
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
    for seed in if cfg!(miri) { 12..13 } else { 0..30 } {
        let simulation = simulated_with::<Saved>(seed);
        let _program = begin(&simulation);
        for _ in 0..seed {
            simulation.step();
        }
        let image = take_now(&simulation).expect("all of it is saved");
        let (restored, _actors) = restored_with::<Saved>(&image, seed);
        let again = take_now(&restored).expect("all of it is saved");
        assert_eq!(again, image, "seed {seed}");
        open += image.promises();
    }
    assert!(open > 0, "no promise was open");
}

/// A desk that waits for a book which does not come, after `ask`.
fn waiting_desk(ask: impl FnOnce(&Address<Desk>)) -> (Simulation, Address<Desk>) {
    let simulation = simulated_with::<Saved>(1);
    let shelf = Shelf::spawn(simulation.system());
    let desk = Desk::spawn(simulation.system(), shelf);
    ask(&desk);
    simulation.run_for(Duration::from_secs(4));
    (simulation, desk)
}

fn taken(simulation: &Simulation) -> super::image::Image {
    take_now(simulation).expect("all of it is saved")
}

/// Of a time limit of ten seconds, six are left.
#[test]
fn what_is_left_of_a_time_limit_is_restored() {
    let (simulation, desk) = waiting_desk(|desk| desk.ask_in_time(3).send());
    let image = taken(&simulation);
    drop(desk);
    let (restored, _actors) = restored_with::<Saved>(&image, 2);
    restored.run_for(Duration::from_secs(5));
    assert_eq!(noted(&restored).1, Vec::<String>::new());
    restored.run_for(Duration::from_secs(2));
    let errors = noted(&restored).1;
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("10s"), "{errors:?}");
}

/// A message that was delegated with a time limit carries the limit with it.
#[test]
fn what_is_left_of_a_delegated_time_limit_is_restored() {
    let (simulation, desk) = waiting_desk(|desk| desk.asks_for_delegated(3).send());
    let image = taken(&simulation);
    drop(desk);
    let (restored, _actors) = restored_with::<Saved>(&image, 2);
    restored.run_for(Duration::from_secs(5));
    assert_eq!(noted(&restored).1, Vec::<String>::new());
    restored.run_for(Duration::from_secs(2));
    assert_eq!(noted(&restored).1.len(), 1);
}

/// A decided limit behind another one names no promise: its number may be that of another request.
#[test]
fn a_limit_within_a_limit_that_has_passed_is_forgotten() {
    let simulation = simulated_with::<Saved>(1);
    let shelf = Shelf::spawn(simulation.system());
    let desk = Desk::spawn(simulation.system(), shelf.clone());
    desk.asks_for_delegated_twice(3).send();
    simulation.run_for(Duration::from_secs(11));
    assert_eq!(noted(&simulation).1.len(), 1);
    // An image, so that the phase of the alarm is an earlier one.
    taken(&simulation);
    desk.ask(7).send();
    simulation.run_for(Duration::from_secs(1));
    shelf.gives().send();
    let image = taken(&simulation);
    drop((desk, shelf));
    let (restored, _actors) = restored_with::<Saved>(&image, 2);
    restored.run();
    let (got, errors) = noted(&restored);
    assert_eq!((got, errors.len()), (vec![7 * 1000 + 7], 1));
}

#[test]
fn a_limit_within_a_limit_is_restored() {
    let (simulation, desk) = waiting_desk(|desk| desk.asks_for_delegated_twice(3).send());
    let image = taken(&simulation);
    drop(desk);
    let (restored, _actors) = restored_with::<Saved>(&image, 2);
    assert_eq!(taken(&restored), image);
    restored.run_for(Duration::from_secs(7));
    assert_eq!(noted(&restored).1, ["no answer came within 10s"]);
}

/// The promise of the join is in no image, and those that it joins are.
#[test]
fn a_join_that_nobody_wants_is_saved_again_after_a_restore() {
    let (simulation, desk) = waiting_desk(|desk| desk.drops_titles().send());
    let image = taken(&simulation);
    // Those of the shelf, too.
    assert_eq!(image.promises(), 4);
    drop(desk);
    let (restored, _actors) = restored_with::<Saved>(&image, 2);
    taken(&restored);
}

#[test]
fn an_inspection_of_a_restored_system_lists_its_open_requests() {
    let (simulation, desk) = waiting_desk(|desk| desk.ask(3).send());
    let image = taken(&simulation);
    drop(desk);
    let (restored, _actors) = restored_with::<Saved>(&image, 2);
    let requests = restored.system().inspect().requests;
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert!(
        requests[0].behaviour.ends_with("Shelf::take"),
        "{requests:?}"
    );
}

/// A closure has no name in a file.
#[test]
fn a_promise_for_a_closure_is_an_error() {
    let (simulation, _desk) = waiting_desk(|desk| desk.ask_for_a_closure(3).send());
    let error = take_now(&simulation).expect_err("a closure is not saved");
    let said = error.to_string();
    assert!(
        said.contains("Desk/1 has what") && said.contains("`then_local`"),
        "{said}"
    );
}

/// Two desks wait for each other. With one of them restored in its wait, the cycle is found: each
/// request ends.
#[test]
fn a_restored_wait_closes_a_cycle() {
    let mut closed = 0;
    for (seed, turns) in (0..20).flat_map(|seed| (0..12).map(move |turns| (seed, turns))) {
        let simulation = simulated_with::<Saved>(seed);
        let shelf = Shelf::spawn(simulation.system());
        let desks = [0, 1].map(|_| Desk::spawn(simulation.system(), shelf.clone()));
        desks[0].waits_for(desks[1].clone()).send();
        desks[1].waits_for(desks[0].clone()).send();
        for _ in 0..turns {
            simulation.step();
        }
        let image = taken(&simulation);
        drop((shelf, desks));
        let (restored, _actors) = restored_with::<Saved>(&image, seed);
        restored.run();
        let (mut got, mut errors) = (0, 0);
        each_desk(&restored, |desk| {
            got += desk.got.len();
            errors += desk.errors.len();
        });
        assert_eq!(got + errors, 2, "seed {seed}, after {turns} steps");
        let waited = image.actors.iter().flat_map(|actor| &actor.promises);
        if errors > 0 && { waited }.any(|promise| promise.sink == "wait") {
            closed += 1;
        }
    }
    assert!(closed > 0, "no cycle was closed behind a restore");
}

/// An alarm decides a race before the actor is captured, behind the line or before it: the restored
/// actor gets the error once.
fn a_limit_passes_before_the_capture() {
    for (before, behind) in [(4, 10), (11, 1)] {
        let simulation = simulated_with::<Saved>(1);
        let shelf = Shelf::spawn(simulation.system());
        let desk = Desk::spawn(simulation.system(), shelf);
        desk.ask_in_time(3).send();
        simulation.run_for(Duration::from_secs(before));
        let system = simulation.system().shared();
        let mut coordinator = Coordinator::new(system);
        let recorder = Arc::new(ImageRecorder::new(kinds_of(&simulation)).expect("few shapes"));
        coordinator.begin(system, recorder.clone());
        simulation.run_for(Duration::from_secs(behind));
        let outcome = loop {
            if let Step::Complete(outcome) = coordinator.step(system) {
                break outcome;
            }
        };
        assert_eq!(outcome, Outcome::Consistent, "{before} s before the line");
        let image = recorder.take(system).expect("all is saved");
        drop(desk);
        let (restored, _actors) = restored_with::<Saved>(&image, 2);
        restored.run_for(Duration::from_secs(60));
        each_desk(&restored, |desk| {
            assert_eq!(desk.got.len(), 0, "{before} s before the line");
            assert_eq!(desk.errors, ["no answer came within 10s"]);
        });
    }
}

#[test]
fn a_limit_that_passes_behind_the_line_passes_again() {
    a_limit_passes_before_the_capture();
}

#[test]
fn an_expired_limit_that_is_not_recorded_is_noticed() {
    let test = a_limit_passes_before_the_capture;
    must_catch(InjectedFault::ExpiredUnrecorded, test);
}
