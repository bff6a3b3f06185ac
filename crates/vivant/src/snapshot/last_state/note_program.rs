//! The program of tests of loads: an actor with all that a restore can do wrong.

use super::super::memory_store::MemoryStore;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::{Lagged, OnPanic, Pattern, Subscription, Supervisor, SystemBuilder, Topic};
use crate::{SavedSynchronizer, Synchronizer, SynchronizerBuilder, SynchronizerKind};
use std::cell::Cell;
use std::time::Duration;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_journal::Journal;

pub(super) fn fails() -> ! {
    std::panic::resume_unwind(Box::new("as planned"))
}

thread_local! {
    /// The value that cannot be loaded.
    pub(super) static BROKEN: Cell<Option<u64>> = const { Cell::new(None) };
}

/// A value that may fail to load.
#[derive(Debug, Default)]
pub(super) struct Fragile(u64);

impl<'gc> Saved<'gc> for Fragile {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        self.0.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Self, LoadError> {
        let value = u64::load(input)?;
        match BROKEN.get() == Some(value) {
            true => Err(input.error("as planned")),
            false => Ok(Fragile(value)),
        }
    }
}

#[derive(Actor)]
#[actor(saved, id = "loads::Note")]
pub(super) struct Note {
    lines: Vec<u64>,
    asked: Vec<Resolver<u64>>,
    heard: Option<Subscription>,
    topic: Option<Topic<u64>>,
    sync: Option<Synchronizer>,
    fragile: Fragile,
}

#[derive(crate::Saved)]
pub(super) struct Together;

impl SavedSynchronizer for Together {
    type Args = (Address<Note>, Address<Note>);

    fn constrain(
        (a, b): &Self::Args,
        it: SynchronizerBuilder<Together>,
    ) -> SynchronizerBuilder<Together> {
        let seven = |at| Pattern::<note_messages::Write<Note>>::at(at).when(|args| args.0 == 7);
        it.atomic((seven(a), seven(b)))
    }
}

#[behaviours(id = "loads::Note")]
impl Note {
    #[start]
    pub(super) fn new() -> Note {
        Note {
            lines: Vec::new(),
            asked: Vec::new(),
            heard: None,
            topic: None,
            sync: None,
            fragile: Fragile(0),
        }
    }

    pub(super) fn write(&mut self, line: u64) -> Vec<u64> {
        if line == 0 {
            fails();
        }
        self.lines.push(line);
        self.lines.clone()
    }

    pub(super) fn poison(&mut self, number: u64) {
        self.fragile = Fragile(number);
    }

    pub(super) fn respond(&mut self) {
        for asked in self.asked.drain(..) {
            asked.resolve(5);
        }
    }

    pub(super) fn question(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.asked.push(resolver);
        promise
    }

    pub(super) fn ask(&mut self, t: &Turn<Self>, other: Address<Note>) {
        t.ask(other.question()).then(t.me().answered());
    }

    pub(super) fn ask_within(&mut self, t: &Turn<Self>, other: Address<Note>) {
        t.ask(other.question())
            .within(Duration::from_secs(10))
            .then(t.me().answered());
    }

    #[then]
    fn answered(&mut self, line: Result<u64, AskError>) {
        self.lines.push(line.unwrap_or(404));
    }

    pub(super) fn ask_both(&mut self, t: &Turn<Self>, other: Address<Note>) {
        t.ask(other.question()).then(t.me().hears(Fragile(33)));
        t.ask(other.question()).exclusive().then(t.me().answered());
    }

    #[then]
    fn hears(&mut self, line: Result<u64, AskError>, about: Fragile) {
        self.lines.push(line.unwrap_or(404) + about.0);
    }

    /// Fails at its last step.
    pub(super) fn walk(&mut self, left: u64) -> Step<u64, ()> {
        match left {
            0 => fails(),
            _ => {
                self.lines.push(left);
                Step::Again(left - 1)
            }
        }
    }

    pub(super) fn give(&mut self, t: &Turn<Self>, other: Address<Note>) {
        if let Some(heard) = self.heard.take() {
            t.send(other.keep(heard));
        }
    }

    pub(super) fn keep(&mut self, heard: Subscription) {
        self.heard = Some(heard);
    }

    pub(super) fn listen(&mut self, t: &Turn<Self>, topic: Topic<u64>) {
        self.heard = Some(topic.subscribe(t.me().heard()));
        self.topic = Some(topic);
    }

    #[then]
    fn heard(&mut self, line: Result<u64, Lagged>) {
        self.lines.push(line.unwrap_or(500));
    }

    pub(super) fn declare(&mut self, t: &Turn<Self>, other: Address<Note>) {
        self.sync = Synchronizer::saved(Together, (t.me(), other)).ok();
    }

    pub(super) fn constrains_forever(&mut self) {
        if let Some(sync) = self.sync.take() {
            sync.forever();
        }
    }

    pub(super) fn listens_forever(&mut self) {
        if let Some(heard) = self.heard.take() {
            heard.forever();
        }
    }
}

pub(super) fn builder() -> SystemBuilder {
    System::builder().saved::<(Note, SynchronizerKind<Together>)>()
}

pub(super) struct Program {
    pub(super) simulation: Simulation,
    pub(super) journal: Journal,
    pub(super) tree: Address<Supervisor>,
}

impl Program {
    pub(super) fn new() -> Program {
        let simulation = Simulation::with(1, Faults::none(), builder());
        let tree = Supervisor::one_for_one()
            .budget(100, Duration::from_secs(1))
            .spawn(simulation.system());
        let journal = MemoryStore::default().journal();
        Program {
            simulation,
            journal,
            tree,
        }
    }
    pub(super) fn note(&self, on: OnPanic) -> Address<Note> {
        let note = self.tree.add(Note::child().on_panic(on));
        self.simulation.run();
        note
    }
    pub(super) fn snapshot(&self) -> u64 {
        self.simulation
            .system()
            .snapshot(&self.journal)
            .expect("all is saved")
            .number
    }
    pub(super) fn write(&self, note: &Address<Note>, line: u64) -> Result<Vec<u64>, AskError> {
        let lines = note.write(line).ask_blocking();
        self.simulation.run();
        lines
    }
}
