//! A system that is restored from an image does what the first one would have done.

use super::by_id::Actors;
use super::file::{read, shapes_of_file};
use super::image::Image;
use super::memory_store::MemoryStore;
use super::recorder::ImageRecorder;
use super::restore::restore;
use super::saved_program::SavedProgram;
use super::taking::FIRST_SYSTEM;
use super::unsaved::Unsaved;
use super::{SavedAs, SnapshotError};
use crate::api::{SavedActors, SavedKinds};
use crate::cut::{Coordinator, Step};
use crate::injected_fault::{InjectedFault, caught, must_catch};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::run::Idle;
use crate::simulation::{Faults, Simulation};
use crate::sync::Arc;

/// An account that pays others.
#[derive(Actor)]
#[actor(saved)]
struct Account {
    balance: u64,
    known: Vec<Address<Account>>,
    next: usize,
    received: u64,
}

#[behaviours]
impl Account {
    #[start]
    fn new(balance: u64) -> Account {
        Account {
            balance,
            known: Vec::new(),
            next: 0,
            received: 0,
        }
    }

    fn knows(&mut self, other: Address<Account>) {
        self.known.push(other);
    }

    fn pay(&mut self, t: &Turn<Self>, amount: u64) {
        let amount = amount.min(self.balance);
        if amount == 0 || self.known.is_empty() {
            return;
        }
        self.next += 1;
        let to = &self.known[self.next % self.known.len()];
        self.balance -= amount;
        match self.next % 3 {
            0 => t.send(to.receive_when_known(amount)),
            _ => t.send(to.receive(amount)),
        }
        t.send(to.pay(amount / 2));
    }

    fn receive(&mut self, amount: u64) {
        self.received += 1;
        self.balance += amount;
    }

    #[when(!self.known.is_empty())]
    fn receive_when_known(&mut self, amount: u64) {
        self.receive(amount);
    }

    fn split(&mut self, t: &Turn<Self>) {
        let part = self.balance / 3;
        self.balance -= part;
        let child = Account::spawn(t, part);
        t.send(child.knows(t.me()));
        self.known.push(child);
    }
}

/// Answers each message at once, in the order in which the messages come: so the order counts.
#[derive(Actor)]
#[actor(saved)]
struct Log {
    lines: Vec<u64>,
}

#[behaviours]
impl Log {
    #[start]
    fn new() -> Log {
        Log { lines: Vec::new() }
    }

    fn add(&mut self, line: u64) {
        self.lines.push(line);
    }

    #[when(self.lines.len() > 5)]
    fn add_late(&mut self, line: u64) {
        self.lines.push(line);
    }
}

type Saved = (Account, Log);

fn simulated(seed: u64) -> Simulation {
    simulated_with::<Saved>(seed)
}

/// A simulation of which snapshots can be taken.
pub(super) fn simulated_with<A: SavedActors>(seed: u64) -> Simulation {
    let builder = System::builder().saved::<A>();
    Simulation::with(seed, Faults::none(), builder)
}

pub(super) fn kinds_of(simulation: &Simulation) -> Arc<SavedKinds> {
    SavedProgram::of(simulation.system().shared()).expect("the builder was told")
}

/// Takes an image into a store, and reads it. The seed chooses which turns run meanwhile.
pub(super) fn take(simulation: &Simulation) -> Result<Image, SnapshotError> {
    let journal = MemoryStore::default().journal();
    let report = simulation.system().snapshot(&journal)?;
    let image = journal.catalog().image(report.number);
    let (header, image) = read(&image.expect("it is published")).expect("it is intact");
    assert_eq!(header.messages, image.waiting.len() as u64);
    assert_eq!(header.saved, report.actors(SavedAs::State));
    Ok(image)
}

/// Takes an image without a step of the program: also actors in queues are captured. The image has
/// the table of its file.
pub(super) fn take_now(simulation: &Simulation) -> Result<Image, Unsaved> {
    let system = simulation.system().shared();
    let recorder = Arc::new(ImageRecorder::new(kinds_of(simulation))?);
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder.clone());
    loop {
        match coordinator.step(system) {
            Step::Complete(_) => {
                let mut image = recorder.take(system)?;
                image.shapes = shapes_of_file(image.shapes);
                return Ok(image);
            }
            Step::More => {}
            Step::Waits => system.scheduler.each_queued(&mut |actor| {
                let mut idle = Idle::between_runs(actor);
                idle.enter_pass();
                idle.into_runnable()
            }),
        }
    }
}

fn restored(image: &Image, seed: u64) -> (Simulation, Arc<Actors>) {
    restored_with::<Saved>(image, seed)
}

pub(super) fn restored_with<A: SavedActors>(image: &Image, seed: u64) -> (Simulation, Arc<Actors>) {
    let simulation = simulated_with::<A>(seed);
    let actors = restore(simulation.system().shared(), image, &kinds_of(&simulation));
    (simulation, actors.expect("the image is whole"))
}

const ACCOUNTS: u64 = 3;

/// What the program has done in the end: the balances of all accounts, and the lines of the log.
#[derive(Debug, PartialEq, Eq)]
struct End {
    paths: Vec<String>,
    total: u64,
    lines: Vec<u64>,
}

fn begin(simulation: &Simulation) -> (Vec<Address<Account>>, Address<Log>) {
    let system = simulation.system();
    let accounts: Vec<_> = (0..ACCOUNTS).map(|_| Account::spawn(system, 100)).collect();
    let log = Log::spawn(system);
    for one in &accounts {
        for other in &accounts {
            one.knows(other.clone()).send();
        }
        one.pay(30).send();
    }
    accounts[0].split().send();
    accounts[1].pay(70).send();
    for line in 0..12 {
        match line % 3 {
            0 => log.add_late(line).send(),
            _ => log.add(line).send(),
        }
    }
    (accounts, log)
}

fn end(simulation: &Simulation) -> End {
    simulation.run();
    let shared = simulation.system().shared();
    let mut end = End {
        paths: Vec::new(),
        total: 0,
        lines: Vec::new(),
    };
    for cell in shared.actors() {
        end.paths.push(cell.path());
        let mut idle = cell.hold_idle().expect("all is done");
        let account = idle.state().look::<Account, _>(|account| account.balance);
        end.total += account.unwrap_or_default();
        let lines = idle.state().look::<Log, _>(|log| log.lines.clone());
        end.lines.extend(lines.unwrap_or_default());
        idle.park();
    }
    end
}

/// The order of the log's lines does not depend on the schedule.
fn expected() -> End {
    let simulation = simulated(0);
    let _program = begin(&simulation);
    end(&simulation)
}

/// For every turn: what runs until then, is saved, restored and run to its end, ends as what runs
/// without a pause; and so does the first system.
#[test]
fn a_restored_program_goes_on_at_every_turn() {
    goes_on_at_every_turn();
}

/// A fault of the cut that loses a message.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_lost_message_is_noticed() {
    must_catch(InjectedFault::TakenUnrecorded, goes_on_at_every_turn);
}

/// A fault of the cut that an image does not show.
#[test]
fn a_cut_that_changes_its_system_is_noticed() {
    let said = caught(InjectedFault::MailboxReordered, goes_on_at_every_turn);
    assert!(said.contains(FIRST_SYSTEM), "{said}");
}

/// A fault of the coordinator that ends a cut too early.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_cut_that_ends_too_early_is_noticed() {
    must_catch(InjectedFault::CaptureNotAwaited, goes_on_at_every_turn);
}

/// A fault of the image that reverses the order of messages.
#[test]
fn a_forgotten_order_is_noticed() {
    must_catch(InjectedFault::OrderForgotten, goes_on_at_every_turn);
}

fn goes_on_at_every_turn() {
    let expected = expected();
    for seed in 0..if cfg!(miri) { 1 } else { 8 } {
        let mut turns = 0;
        loop {
            let simulation = simulated(seed);
            let program = begin(&simulation);
            let is_over = (0..turns).any(|_| !simulation.step());
            let image = take(&simulation).expect("all of it is saved");
            let why = format!("seed {seed}, after {turns} steps");
            let (restored, _actors) = restored(&image, seed + 1);
            assert_eq!(end(&restored), expected, "{why}");
            assert_eq!(end(&simulation), expected, "{why}: {FIRST_SYSTEM}");
            drop(program);
            if is_over {
                break;
            }
            turns += 1;
        }
        assert!(turns > 5, "{turns} steps are too few");
    }
}

/// An image of a restored system is the image that it was restored from.
#[test]
fn an_image_of_a_restored_system_is_the_same() {
    for seed in 0..if cfg!(miri) { 1 } else { 20 } {
        let mut dice = Dice::new(seed);
        let simulation = simulated(seed);
        let _program = begin(&simulation);
        for _ in 0..dice.below(20) {
            simulation.step();
        }
        let image = take(&simulation).expect("all of it is saved");
        let (restored, _actors) = restored(&image, seed);
        let again = take_now(&restored).expect("all of it is saved");
        assert_eq!(again, image, "seed {seed}");
    }
}
