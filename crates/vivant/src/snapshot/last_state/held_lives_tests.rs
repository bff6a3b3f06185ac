//! Restores of actors that others hold alive, that begin or end just now, or that fail again.

use super::super::memory_store::MemoryStore;
use super::note_program::fails;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::sync::{Arc, Mutex, lock};
use crate::{OnPanic, Supervisor, SystemBuilder};
use std::fmt;
use std::io;
use std::time::Duration;
use vivant_journal::{Image, Journal, NewFile, Settings, Store};

/// Waits for the gate at its start and at its stop.
#[derive(Actor)]
#[actor(saved, id = "lives::Guest")]
struct Guest {
    value: u64,
    below: Vec<Address<Guest>>,
    gate: Option<Address<Gate>>,
}

#[behaviours(id = "lives::Guest")]
impl Guest {
    #[start]
    fn new(t: &Turn<Self>, gate: Option<Address<Gate>>) -> Promise<Self> {
        let guest = |gate| Guest {
            value: 5,
            below: Vec::new(),
            gate,
        };
        match &gate {
            None => Promise::ready(guest(None)),
            Some(at) => t.ask(at.pass()).map(move |()| guest(gate)),
        }
    }

    #[stop]
    fn stopping(&mut self, t: &Turn<Self>) -> Promise<()> {
        match &self.gate {
            None => Promise::ready(()),
            Some(gate) => t.ask(gate.pass()),
        }
    }

    fn grow(&mut self, t: &Turn<Self>) {
        self.below.push(Guest::spawn(t, None));
    }

    fn knows(&mut self, other: Address<Guest>) {
        self.below.push(other);
    }

    fn set(&mut self, value: u64) {
        self.value = value;
    }

    fn get(&self) -> u64 {
        self.value
    }

    fn first(&self) -> Address<Guest> {
        self.below[0].clone()
    }

    fn fail(&self) {
        fails();
    }

    fn asks(&mut self, t: &Turn<Self>, gate: Address<Gate>) {
        t.ask(gate.pass()).then(t.me().passed());
    }

    /// Expects that it may pass.
    #[then]
    fn passed(&mut self, answer: Result<(), AskError>) {
        if answer.is_err() {
            fails();
        }
    }
}

/// Lets guests pass when it is opened.
#[derive(Actor)]
#[actor(saved, id = "lives::Gate")]
struct Gate {
    waiting: Vec<Resolver<()>>,
}

#[behaviours(id = "lives::Gate")]
impl Gate {
    #[start]
    fn new() -> Gate {
        let waiting = Vec::new();
        Gate { waiting }
    }

    fn pass(&mut self, t: &Turn<Self>) -> Promise<()> {
        let (promise, resolver) = t.promise();
        self.waiting.push(resolver);
        promise
    }

    fn open(&mut self) {
        let waiting = self.waiting.drain(..);
        waiting.for_each(|waits| waits.resolve(()));
    }
}

fn builder() -> SystemBuilder {
    System::builder().saved::<(Guest, Gate)>()
}

struct Program {
    simulation: Simulation,
    journal: Journal,
    tree: Address<Supervisor>,
    gate: Address<Gate>,
}

impl Program {
    fn new(seed: u64) -> Program {
        let simulation = Simulation::with(seed, Faults::none(), builder());
        let tree = Supervisor::one_for_one().spawn(simulation.system());
        let gate = Gate::spawn(simulation.system());
        Program {
            simulation,
            journal: MemoryStore::default().journal(),
            tree,
            gate,
        }
    }

    fn system(&self) -> &System {
        self.simulation.system()
    }

    fn run(&self) {
        self.simulation.run_for(Duration::from_millis(20));
    }

    fn opens(&self) {
        self.gate.open().send();
        self.run();
    }

    fn image(&self) -> Image {
        let report = self.system().snapshot(&self.journal);
        let number = report.expect("all is saved").number;
        self.journal.catalog().image(number).expect("it exists")
    }

    fn value(&self, guest: &Address<Guest>) -> u64 {
        guest.get().ask_blocking().expect("it lives")
    }
}

const SEEDS: u64 = if cfg!(miri) { 1 } else { 10 };

#[test]
fn what_only_a_tree_knows_lives() {
    for seed in 0..SEEDS {
        let program = Program::new(seed);
        let root = Guest::spawn(program.system(), None);
        root.grow().send();
        // Not of the tree.
        let other = Guest::spawn(program.system(), None);
        root.knows(other).send();
        program.run();
        let image = program.image();
        let report = program.system().restore_tree(&root, &image);
        assert_eq!(report.expect("it has it").restored, 2);
        program.run();
        let below = root.first().ask_blocking().expect("it lives");
        assert_eq!(program.value(&below), 5, "seed {seed}");
    }
}

/// It stops as if nothing had come.
#[test]
fn an_actor_that_stops_is_not_restored() {
    let program = Program::new(1);
    let guest = Guest::spawn(program.system(), Some(program.gate.clone()));
    program.run();
    program.opens();
    let image = program.image();
    Address::stop(&guest);
    program.run();
    let report = program.system().restore_tree(&guest, &image);
    let report = report.expect("the image has it");
    assert_eq!((report.restored, report.ended), (0, 1), "{report:?}");
    program.opens();
    let error = guest.get().ask_blocking().expect_err("it has stopped");
    assert!(matches!(error, AskError::Stopped(_)), "{error:?}");
}

/// Its stop hook waits, and then its start: each ends as if nothing had come.
#[test]
fn an_actor_that_begins_again_is_not_restored() {
    let program = Program::new(1);
    let child = program.tree.add(Guest::child(Some(program.gate.clone())));
    program.run();
    program.opens();
    child.set(6).send();
    program.run();
    let image = program.image();
    child.fail().send();
    program.run();
    for _ in ["its stop hook waits", "its start waits"] {
        let report = program.system().restore_tree(&child, &image);
        let report = report.expect("the image has it");
        assert_eq!(report.unchanged, [Address::path(&child)]);
        program.opens();
    }
    assert_eq!(program.value(&child), 5);
    let settled = program.tree.settled().ask_blocking();
    settled.expect("it lives").expect("its child is up");
}

/// The image was taken while its stop hook waited.
#[test]
fn the_image_of_a_stopping_actor_changes_nothing() {
    let program = Program::new(1);
    let child = program.tree.add(Guest::child(Some(program.gate.clone())));
    program.run();
    program.opens();
    child.fail().send();
    program.run();
    let image = program.image();
    program.opens();
    program.opens();
    child.set(9).send();
    let report = program.system().restore_tree(&child, &image);
    let report = report.expect("the image has it");
    assert_eq!(report.unchanged, [Address::path(&child)]);
    assert_eq!(program.value(&child), 9);
}

#[test]
fn a_broken_promise_does_not_fail_again_and_again() {
    let program = Program::new(1);
    let guest = Guest::child(None).on_panic(OnPanic::RestoreLast);
    let child = program.tree.add(guest);
    child.set(7).send();
    program.run();
    program.image();
    child.asks(program.gate.clone()).send();
    program.run();
    program.image();
    child.fail().send();
    program.run();
    // With the newest image it fails once more; with the one before it does not.
    assert_eq!(program.value(&child), 7);
    let panics = program.system().shared().reports.panics();
    assert!(panics <= 2, "{panics} panics");
}

/// Calls a hook when an image is published.
#[derive(Clone)]
struct Hooked(MemoryStore, Arc<Mutex<Option<Hook>>>);

type Hook = Box<dyn FnOnce() + Send>;

impl fmt::Debug for Hooked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hooked")
    }
}

impl Store for Hooked {
    fn lock(&self) -> io::Result<()> {
        self.0.lock()
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        self.0.list()
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn NewFile>> {
        self.0.create(name)
    }

    fn publish(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let hook = lock(&self.1).take();
        hook.into_iter().for_each(|hook| hook());
        self.0.publish(name, bytes)
    }

    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.0.read(name, offset, buffer)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

/// Of two snapshots the older cut is published last.
#[test]
fn the_newest_state_is_that_of_the_newest_cut() {
    let system = builder().workers(2).build();
    let hook = Arc::default();
    let slow = Hooked(MemoryStore::default(), Arc::clone(&hook));
    let slow = Journal::open(slow, Settings::default()).expect("memory");
    let fast = MemoryStore::default().journal();
    let tree = Supervisor::one_for_one().spawn(&system);
    let child = tree.add(Guest::child(None).on_panic(OnPanic::RestoreLast));
    let value = {
        let child = child.clone();
        move || child.get().ask_blocking().expect("it lives")
    };
    child.set(1).send();
    assert_eq!(value(), 1);
    let (system_of_hook, child_of_hook, value_of_hook) =
        (system.clone(), child.clone(), value.clone());
    *lock(&hook) = Some(Box::new(move || {
        child_of_hook.set(2).send();
        assert_eq!(value_of_hook(), 2);
        system_of_hook.snapshot(&fast).expect("all is saved");
        // Its store is to stay open.
        std::mem::forget(fast);
    }));
    system.snapshot(&slow).expect("all is saved");
    drop(child.fail().ask_blocking());
    assert_eq!(value(), 2);
}
