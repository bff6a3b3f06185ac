//! Snapshots that leave to earlier ones what has not changed since.

use super::by_id::Actors;
use super::image::Image;
use super::memory_store::MemoryStore;
use super::saved_program::SavedProgram;
use super::taking::{assert_is, restored, seeds, take_now};
use super::{SnapshotError, SnapshotReport, file};
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::sync::Arc;
use vivant_codec::Saved;
use vivant_heap::{Gc, Mut, Object};
use vivant_journal::{Damage, Error, Journal, Retention, Settings};

#[derive(Object, Saved)]
struct Entry<'gc> {
    number: u64,
    text: Gc<'gc, str>,
    watcher: Option<Address<Store>>,
}

#[derive(Actor)]
#[actor(saved, id = "incremental::Store")]
struct StoreState<'gc> {
    entries: Vec<Gc<'gc, Mut<Entry<'gc>>>>,
}

#[behaviours(id = "incremental::Store")]
impl<'gc> StoreState<'gc> {
    #[start]
    fn new() -> Self {
        let entries = Vec::new();
        StoreState { entries }
    }

    fn add(&mut self, t: &Turn<'gc, Store>, count: u64) {
        for _ in 0..count {
            let number = self.entries.len() as u64;
            let text = t.alloc_str(&format!("the text of entry {number}"));
            let watcher = None;
            let entry = Entry {
                number,
                text,
                watcher,
            };
            self.entries.push(t.alloc(Mut::new(entry)));
        }
    }

    fn set(&mut self, t: &Turn<'gc, Store>, at: u64, number: u64) {
        self.entries[at as usize].borrow_mut(t).number = number;
    }

    fn watch(&mut self, t: &Turn<'gc, Store>, at: u64, watcher: Address<Store>) {
        self.entries[at as usize].borrow_mut(t).watcher = Some(watcher);
    }

    fn remove(&mut self, at: u64) {
        self.entries.swap_remove(at as usize);
    }

    fn len(&self) -> u64 {
        self.entries.len() as u64
    }
}

const MANY: u64 = 3_000;

/// A system with a store, and its snapshots.
struct Program {
    simulation: Simulation,
    kinds: Arc<SavedKinds>,
    store: Address<Store>,
    files: MemoryStore,
    journal: Arc<Journal>,
}

impl Program {
    fn new(seed: u64, settings: Settings) -> Program {
        let builder = System::builder().saved::<(Store,)>();
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let store = Store::spawn(simulation.system());
        store.add(MANY).send();
        simulation.run();
        let kinds = SavedProgram::of(simulation.system().shared()).expect("they are listed");
        let files = MemoryStore::default();
        let journal = Journal::open(files.clone(), settings).expect("memory does not fail");
        Program {
            simulation,
            kinds,
            store,
            files,
            journal: Arc::new(journal),
        }
    }

    fn run(&self) {
        self.simulation.run();
    }

    fn set(&self, at: u64, number: u64) {
        self.store.set(at, number).send();
        self.run();
    }

    fn snapshot(&self) -> Result<SnapshotReport, SnapshotError> {
        self.simulation.system().snapshot(&self.journal)
    }

    fn taken(&self) -> SnapshotReport {
        self.snapshot().expect("all is saved")
    }

    /// The image of a snapshot.
    fn image(&self, number: u64) -> Image {
        let image = self.journal.catalog().image(number);
        file::read(&image.expect("it exists"))
            .expect("it is read")
            .1
    }

    fn restored(&self, image: &Image) -> (Simulation, Arc<Actors>) {
        restored(image, 1, &self.kinds)
    }

    /// The last snapshot is restored as a snapshot is that has everything itself.
    fn check(&self, last: &SnapshotReport, why: &str) {
        let (from_store, _actors) = self.restored(&self.image(last.number));
        let (whole, _actors) = self.restored(&take_now(&self.simulation));
        assert_is(&take_now(&from_store), &take_now(&whole), why);
    }
}

#[test]
fn what_has_not_changed_is_left_to_the_snapshot_before() {
    let program = Program::new(1, Settings::default());
    let first = program.taken();
    assert!(first.needed.is_empty());
    let same = program.taken();
    assert_eq!(same.needed, [first.number]);
    program.set(7, 70);
    let third = program.taken();
    // The second one has no record that is needed.
    assert_eq!(third.needed, [first.number]);
    assert!(third.bytes < first.bytes / 4, "{third} after {first}");
    program.check(&third, "one object has changed");
    program.set(MANY - 1, 90);
    let fourth = program.taken();
    assert_eq!(fourth.needed, [first.number, third.number]);
    program.check(&fourth, "another object has changed");
    // The first one is older than the last two, and is kept.
    let images = program.journal.catalog().images().expect("they are listed");
    let numbers = images.intact.iter().map(|image| image.number);
    assert_eq!(numbers.collect::<Vec<_>>(), [4, 3, 1]);
}

#[test]
fn ten_snapshots_equal_a_whole_one() {
    let program = Program::new(1, Settings::default());
    program.taken();
    for number in 0..10 {
        program.set(number * 290, number);
        program.store.add(5).send();
        program.run();
        let last = program.taken();
        assert!(!last.needed.is_empty(), "snapshot {number} is whole");
        program.check(&last, &format!("snapshot {number}"));
    }
}

fn below(dice: &mut Dice, end: u64) -> u64 {
    dice.below(end as usize) as u64
}

/// Whatever a program does between its snapshots, each is restored as a whole one is.
#[test]
fn seeded_incremental_snapshots_are_whole() {
    for seed in 0..seeds(6) {
        let mut dice = Dice::new(seed);
        let settings = Settings::default().needed_max(1 + dice.below(4) as u32);
        let program = Program::new(seed, settings);
        let mut left = 0;
        for step in 0..12 {
            let count = program.store.len();
            let count = count.ask_blocking().expect("it lives");
            for _ in 0..dice.below(4) {
                let at = below(&mut dice, count - 20);
                match dice.below(8) {
                    0 => program.store.add(below(&mut dice, 200)).send(),
                    1 => program.store.remove(at).send(),
                    2 => program.store.watch(at, program.store.clone()).send(),
                    _ => program.store.set(at, below(&mut dice, 1_000)).send(),
                }
                if dice.below(2) == 0 {
                    program.simulation.step();
                }
            }
            if dice.below(3) == 0 {
                program.files.set_full(true);
                let failed = program.snapshot();
                assert!(matches!(failed, Err(SnapshotError::Store(_))), "{failed:?}");
                program.files.set_full(false);
            }
            // What was sent before is a part of the snapshot, or has run.
            program.run();
            let last = program.taken();
            left += last.needed.len();
            program.check(&last, &format!("seed {seed}, step {step}"));
        }
        assert!(left > 0, "seed {seed}: each snapshot is whole");
    }
}

fn a_failed_snapshot() {
    let program = Program::new(1, Settings::default());
    program.taken();
    program.set(7, 70);
    program.files.set_full(true);
    assert!(program.snapshot().is_err());
    program.files.set_full(false);
    let last = program.taken();
    program.check(&last, "after a failed snapshot");
}

#[test]
fn a_failed_snapshot_hides_no_change() {
    a_failed_snapshot();
}

#[test]
fn canary_a_failed_snapshot_that_counts_is_caught() {
    caught(InjectedFault::UnpublishedCounts, a_failed_snapshot);
}

#[test]
fn without_an_earlier_snapshot_there_is_a_typed_error() {
    let program = Program::new(1, Settings::default());
    let first = program.taken();
    let second = program.taken();
    program.files.remove_image(first.number);
    let error = program.journal.catalog().image(second.number).unwrap_err();
    let expected = Damage::NeededMissing {
        image: first.number,
    };
    assert!(
        matches!(&error, Error::Damaged { damage, .. } if *damage == expected),
        "{error}"
    );
    // The next one does not need it.
    let third = program.taken();
    assert!(third.needed.is_empty());
    program.check(&third, "after a lost snapshot");
}

#[test]
fn snapshots_are_whole_after_some() {
    let program = Program::new(
        1,
        Settings::default().needed_max(2).retention(Retention::All),
    );
    let needed: Vec<Vec<u64>> = (0..6)
        .map(|number| {
            program.set(number * 290, number);
            program.taken().needed
        })
        .collect();
    let expected: [&[u64]; 6] = [&[], &[1], &[1, 2], &[], &[4], &[4, 5]];
    assert_eq!(needed, expected);
    let never = Program::new(1, Settings::default().needed_max(0));
    never.taken();
    assert!(never.taken().needed.is_empty());
}

#[test]
fn a_snapshot_in_another_store_is_whole() {
    let program = Program::new(1, Settings::default());
    program.taken();
    let other = MemoryStore::default().journal();
    let report = program.simulation.system().snapshot(&other);
    assert!(report.expect("all is saved").needed.is_empty());
    // And so is the next one in the first store.
    assert!(program.taken().needed.is_empty());
}

/// An address in an object is found by each snapshot anew.
#[test]
fn objects_with_addresses_are_written_each_time() {
    let program = Program::new(1, Settings::default());
    let watched = Store::spawn(program.simulation.system());
    program.store.watch(5, watched.clone()).send();
    program.run();
    program.taken();
    drop(watched);
    program.run();
    let last = program.taken();
    assert!(!last.needed.is_empty());
    program.check(&last, "an address in an unchanged object");
}

/// The limit of needed snapshots is that of all heaps together.
#[test]
fn several_heaps_need_no_more_snapshots_than_one_may() {
    let program = Program::new(1, Settings::default().needed_max(3));
    let other = Store::spawn(program.simulation.system());
    other.add(MANY).send();
    program.run();
    let mut left = 0;
    for number in 0..12 {
        let changed = match number % 2 == 0 {
            true => &program.store,
            false => &other,
        };
        changed.set(number * 200, number).send();
        program.run();
        left += program.taken().needed.len();
    }
    assert!(left > 0, "each snapshot is whole");
}
