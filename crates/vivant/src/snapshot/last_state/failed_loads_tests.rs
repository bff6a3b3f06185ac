//! Loads that fail leave nothing.

use super::super::memory_store::MemoryStore;
use super::note_program::{BROKEN, Note, Program, builder, fails};
use crate::prelude::*;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::wait_for::WaitForGraph;
use crate::{OnPanic, Supervisor};
use std::io;
use std::time::Duration;
use vivant_journal::{Journal, NewFile, Settings, Store};

#[derive(Debug, Clone)]
struct PanickingStore(MemoryStore, Arc<AtomicBool>);

impl Store for PanickingStore {
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
        self.0.publish(name, bytes)
    }
    fn read(&self, name: &str, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if self.1.load(Ordering::Relaxed) {
            fails();
        }
        self.0.read(name, offset, buffer)
    }
    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }
    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

/// Its turns block: it runs on threads of its own, so its supervisor runs at once on a worker.
#[derive(Actor)]
#[actor(saved, id = "loads::Blocked", blocking)]
struct Blocked {
    lines: Vec<u64>,
}

#[behaviours(id = "loads::Blocked")]
impl Blocked {
    #[start]
    fn new() -> Blocked {
        Blocked { lines: Vec::new() }
    }

    fn write(&mut self, line: u64) -> Vec<u64> {
        self.lines.push(line);
        self.lines.clone()
    }

    fn give_up(&mut self, t: &Turn<Self>) {
        t.fail("as planned");
    }
}

/// The actor is as before, and nothing is sent (N2, N3).
#[test]
fn a_load_that_fails_sends_nothing() {
    let program = Program::new();
    let (note, other) = (
        program.note(OnPanic::RestoreLast),
        program.note(OnPanic::Restart),
    );
    note.ask(other.clone()).send();
    program.simulation.run();
    // Each image is tried.
    program.snapshot();
    program.snapshot();
    BROKEN.set(Some(0));
    program.write(&note, 0).expect_err("it panics");
    program.simulation.run();
    BROKEN.set(None);
    let lines = program.write(&note, 2).expect("it lives");
    assert_eq!(lines, [2], "it began anew, and had asked for nothing");
}

/// The newest image cannot be loaded, and the image before can.
#[test]
fn what_was_asked_for_fails_once() {
    let program = Program::new();
    let (note, other) = (
        program.note(OnPanic::RestoreLast),
        program.note(OnPanic::Restart),
    );
    note.ask(other.clone()).send();
    program.simulation.run();
    program.snapshot();
    BROKEN.set(Some(9));
    note.poison(9).send();
    program.simulation.run();
    program.snapshot();
    program.write(&note, 0).expect_err("it panics");
    BROKEN.set(None);
    let lines = program.write(&note, 2).expect("it lives");
    // Of the newest image nothing, of the older image that its request has failed.
    assert_eq!(lines, [404, 2]);
}

/// A store of the program that panics.
#[test]
fn an_actor_survives_a_store_that_panics() {
    let panics = Arc::new(AtomicBool::new(false));
    let system = builder().workers(2).build();
    let store = PanickingStore(MemoryStore::default(), panics.clone());
    let journal = Journal::open(store, Settings::default()).expect("memory");
    let tree = Supervisor::one_for_one()
        .budget(100, Duration::from_secs(1))
        .spawn(&system);
    let note = tree.add(Note::child().on_panic(OnPanic::RestoreLast));
    note.write(7).ask_blocking().expect("it lives");
    system.snapshot(&journal).expect("all is saved");
    panics.store(true, Ordering::Relaxed);
    note.write(0).send();
    let answer = crate::api::block_on(
        system.shared(),
        note.write(8).ask().within(Duration::from_secs(3)),
    );
    assert!(matches!(answer, Some(Ok(_))), "{answer:?}");
}

/// An image of a tree lacks most actors.
#[test]
fn snapshots_of_trees_hide_no_state() {
    let program = Program::new();
    let note = program.note(OnPanic::RestoreLast);
    program.write(&note, 1).expect("it lives");
    program.snapshot();
    let other_tree = Supervisor::one_for_one().spawn(program.simulation.system());
    let _other = other_tree.add(Note::child());
    program.simulation.run();
    let trees = MemoryStore::default().journal();
    for _ in 0..16 {
        program
            .simulation
            .system()
            .snapshot_of(&other_tree, &trees)
            .expect("all is saved");
    }
    program.write(&note, 0).expect_err("it panics");
    let lines = program.write(&note, 2).expect("it lives");
    assert_eq!(lines, [1, 2]);
}

/// The wait of an image that is not loaded whole.
#[test]
fn no_wait_stays_of_a_load_that_fails() {
    let program = Program::new();
    let (note, other) = (
        program.note(OnPanic::RestoreLast),
        program.note(OnPanic::Restart),
    );
    note.ask_both(other.clone()).send();
    program.simulation.run();
    program.snapshot();
    let system = program.simulation.system().shared().clone();
    let waits = || WaitForGraph::of(&system).count_open();
    assert_eq!(waits(), 1);
    BROKEN.set(Some(33));
    // It takes the message on which it fails when it has its answer.
    note.write(0).send();
    other.respond().send();
    program.simulation.run();
    BROKEN.set(None);
    program.write(&note, 2).expect("it lives");
    assert_eq!(waits(), 0);
}

/// An image with a step of the behaviour that has failed is passed over.
#[test]
fn a_step_that_fails_does_not_fail_again() {
    let program = Program::new();
    let note = program.note(OnPanic::RestoreLast);
    note.walk(200).send();
    for _ in 0..6 {
        program.simulation.step();
    }
    program.snapshot();
    program.simulation.run();
    program.write(&note, 2).expect("it lives");
    let panics = program.simulation.system().shared().reports.panics();
    assert_eq!(panics, 1);
}

/// A wait that stayed in the graph would keep the system.
#[test]
fn a_load_that_fails_keeps_no_system() {
    for fails_to_load in [false, true] {
        let program = Program::new();
        let (note, other) = (
            program.note(OnPanic::RestoreLast),
            program.note(OnPanic::Restart),
        );
        note.ask_both(other.clone()).send();
        program.simulation.run();
        program.snapshot();
        let system = Arc::downgrade(program.simulation.system().shared());
        note.write(0).send();
        other.respond().send();
        if fails_to_load {
            BROKEN.set(Some(33));
        }
        program.simulation.run();
        BROKEN.set(None);
        drop((note, other, program));
        assert!(system.upgrade().is_none(), "fails_to_load: {fails_to_load}");
    }
}

/// `t.fail` ends the incarnation within a run: the order to start may come in it.
#[test]
fn declared_failures_keep_the_state() {
    let system = System::builder().saved::<(Blocked,)>().workers(2).build();
    let journal = MemoryStore::default().journal();
    let tree = Supervisor::one_for_one()
        .budget(usize::MAX, Duration::from_secs(1))
        .spawn(&system);
    let notes: Vec<_> = (0..8)
        .map(|_| tree.add(Blocked::child().on_panic(OnPanic::RestoreLast)))
        .collect();
    for note in &notes {
        note.write(7).ask_blocking().expect("it lives");
    }
    system.snapshot(&journal).expect("all is saved");
    let (mut lost, mut rounds) = (0, 0);
    for _ in 0..if cfg!(miri) { 2 } else { 200 } {
        for note in &notes {
            note.give_up().send();
        }
        for note in &notes {
            rounds += 1;
            let lines = note.write(8).ask_blocking().expect("it lives");
            lost += u64::from(lines != [7, 8]);
        }
    }
    assert_eq!(lost, 0, "of {rounds} failures");
}
