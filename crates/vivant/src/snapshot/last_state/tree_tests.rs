//! Trees of actors that get earlier states while their system runs.

use super::super::memory_store::MemoryStore;
use super::super::restored::RestoreError;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::{Supervisor, SystemBuilder};
use std::cell::Cell;
use std::thread;
use std::time::Duration;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_heap::{Gc, Mut, Pacing, Stress, When};
use vivant_journal::{Image, Journal};

thread_local! {
    static CANNOT_LOAD: Cell<bool> = const { Cell::new(false) };
}

/// Cannot be loaded if a test says so.
struct Brittle;

impl<'gc> Saved<'gc> for Brittle {
    const SHAPE: &'static Shape = <() as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        ().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Brittle, LoadError> {
        <()>::load(input)?;
        match CANNOT_LOAD.get() {
            true => Err(input.error("it is brittle")),
            false => Ok(Brittle),
        }
    }
}

vivant_heap::leaf!([] Brittle);

/// A branch with leaves in its heap.
#[derive(Actor)]
#[actor(saved, id = "rewound::Branch", pacing = Pacing::new().stressed(Stress::new(When::All, 3)))]
struct BranchState<'gc> {
    leaves: Vec<Gc<'gc, Mut<u64>>>,
    below: Vec<Address<Branch>>,
    asked: Vec<Resolver<u64>>,
    _brittle: Brittle,
}

#[behaviours(id = "rewound::Branch")]
impl<'gc> BranchState<'gc> {
    #[start]
    fn new() -> Self {
        BranchState {
            leaves: Vec::new(),
            below: Vec::new(),
            asked: Vec::new(),
            _brittle: Brittle,
        }
    }

    fn grow(&mut self, t: &Turn<'gc, Branch>) -> Address<Branch> {
        let below = Branch::spawn(t);
        self.below.push(below.clone());
        below
    }

    fn prune(&mut self) {
        self.below.clear();
    }

    fn leaf(&mut self, t: &Turn<'gc, Branch>, number: u64) -> Vec<u64> {
        self.leaves.push(t.alloc(Mut::new(number)));
        self.leaves()
    }

    fn leaves(&self) -> Vec<u64> {
        self.leaves.iter().map(|leaf| leaf.get()).collect()
    }

    fn question(&mut self, t: &Turn<'gc, Branch>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.asked.push(resolver);
        promise
    }

    fn ask_alone(&mut self, t: &Turn<'gc, Branch>, other: Address<Branch>) {
        t.ask(other.question()).exclusive().then(t.me().answered());
    }

    #[then]
    fn answered(&mut self, t: &Turn<'gc, Branch>, leaf: Result<u64, AskError>) {
        self.leaves.push(t.alloc(Mut::new(leaf.unwrap_or(404))));
    }
}

fn builder() -> SystemBuilder {
    System::builder().saved::<(Branch,)>()
}

struct Program {
    simulation: Simulation,
    journal: Journal,
}

impl Program {
    fn new() -> Program {
        Program {
            simulation: Simulation::with(1, Faults::none(), builder()),
            journal: MemoryStore::default().journal(),
        }
    }

    fn system(&self) -> &System {
        self.simulation.system()
    }

    fn image(&self) -> Image {
        let report = self.system().snapshot(&self.journal).expect("all is saved");
        let image = self.journal.catalog().image(report.number);
        image.expect("it exists")
    }
}

fn grow(branch: &Address<Branch>) -> Address<Branch> {
    branch.grow().ask_blocking().expect("it lives")
}

fn leaf(branch: &Address<Branch>, number: u64) -> Vec<u64> {
    branch.leaf(number).ask_blocking().expect("it lives")
}

#[test]
fn a_tree_has_its_states_again() {
    let program = Program::new();
    let [root, other] = [0, 1].map(|_| Branch::spawn(program.system()));
    let (kept, gone) = (grow(&root), grow(&root));
    let far = grow(&kept);
    for branch in [&root, &other, &kept, &gone, &far] {
        leaf(branch, 1);
    }
    let image = program.image();
    for branch in [&root, &other, &kept, &gone, &far] {
        leaf(branch, 2);
    }
    let young = grow(&kept);
    leaf(&young, 3);
    drop(gone);
    root.prune().send();
    program.simulation.run();

    let restored = program.system().restore_tree(&root, &image);
    let restored = restored.expect("the image has the tree");
    assert_eq!((restored.restored, restored.ended), (3, 1));
    assert_eq!(restored.unchanged, [Address::path(&young)]);
    assert!(restored.failed.is_empty());
    for branch in [&root, &kept, &far] {
        assert_eq!(leaf(branch, 5), [1, 5]);
    }
    assert_eq!(leaf(&other, 5), [1, 2, 5]);
    assert_eq!(leaf(&young, 5), [3, 5]);
    // Snapshots go on: with a new heap, and with the numbers of now.
    let image = program.image();
    let restored = Simulation::restore(2, Faults::none(), builder(), &image);
    let (_simulation, actors, _) = restored.expect("the image is whole");
    let again = |path: &str| actors.actor::<Branch>(path).expect("it is saved");
    assert_eq!(leaf(&again(&Address::path(&root)), 6), [1, 5, 6]);
    assert_eq!(leaf(&again(&Address::path(&young)), 6), [3, 5, 6]);
}

/// Each actor comes to it in the order of its messages.
#[test]
fn messages_are_before_or_after() {
    let program = Program::new();
    let root = Branch::spawn(program.system());
    leaf(&root, 1);
    let image = program.image();
    let before = root.leaf(2).ask();
    let restored = program.system().restore_tree(&root, &image);
    assert_eq!(restored.expect("the image has it").restored, 1);
    assert_eq!(before.wait(), Ok(vec![1, 2]));
    assert_eq!(leaf(&root, 3), [1, 3]);
}

/// An actor that waits for a reply alone is restored, and what it asked for at the snapshot fails.
#[test]
fn a_wait_does_not_hold_a_restore_up() {
    let program = Program::new();
    let [root, other] = [0, 1].map(|_| Branch::spawn(program.system()));
    root.ask_alone(other.clone()).send();
    program.simulation.run();
    let image = program.image();
    let restored = program.system().restore_tree(&root, &image);
    assert_eq!(restored.expect("the image has it").restored, 1);
    // The continuation of the wait from before the restore is still to come.
    assert_eq!(leaf(&root, 1), [404, 1]);
}

#[test]
fn an_actor_that_cannot_be_loaded_goes_on() {
    let program = Program::new();
    let tree = Supervisor::one_for_one().spawn(program.system());
    let child = tree.add(Branch::child());
    let other = Branch::spawn(program.system());
    for branch in [&child, &other] {
        leaf(branch, 1);
    }
    let image = program.image();
    CANNOT_LOAD.set(true);
    for branch in [&child, &other] {
        let restored = program.system().restore_tree(branch, &image);
        let restored = restored.expect("the image has it");
        assert_eq!(restored.restored, 0);
        assert_eq!(restored.failed[0].actor, Address::path(branch));
        let why = &restored.failed[0].why;
        assert!(why.contains("it is brittle"), "{why}");
    }
    CANNOT_LOAD.set(false);
    for branch in [&child, &other] {
        assert_eq!(leaf(branch, 2), [1, 2]);
    }
}

#[test]
fn other_systems_and_images_are_errors() {
    let program = Program::new();
    let root = Branch::spawn(program.system());
    let image = program.image();
    let young = Branch::spawn(program.system());
    let error = program.system().restore_tree(&young, &image);
    let error = error.expect_err("it is younger");
    assert!(matches!(error, RestoreError::NotInImage { .. }), "{error}");
    let error = Program::new().system().restore_tree(&root, &image);
    let error = error.expect_err("it is elsewhere");
    assert!(matches!(error, RestoreError::OtherSystem { .. }), "{error}");
    // The number is that of another actor.
    let other = Program::new();
    let _first = Supervisor::one_for_one().spawn(other.system());
    let root = Branch::spawn(other.system());
    let error = other.system().restore_tree(&root, &image);
    let error = error.expect_err("the image has another actor");
    assert!(matches!(error, RestoreError::NotInImage { .. }), "{error}");
}

/// On threads, while messages come and snapshots are taken.
#[test]
fn trees_are_restored_on_threads() {
    const ROUNDS: u64 = if cfg!(miri) { 2 } else { 60 };
    let system = builder().workers(2).build();
    let journal = MemoryStore::default().journal();
    let root = Branch::spawn(&system);
    let branches: Vec<_> = (0..4).map(|_| grow(&root)).collect();
    // An actor that has not begun has no state in an image.
    branches.iter().for_each(|branch| drop(leaf(branch, 0)));
    thread::scope(|scope| {
        let restoring = scope.spawn(|| {
            for _ in 0..ROUNDS {
                let report = system.snapshot(&journal).expect("all is saved");
                let image = journal.catalog().image(report.number);
                let restored = system.restore_tree(&root, &image.expect("it exists"));
                let restored = restored.expect("the image has the tree");
                assert_eq!(
                    (restored.restored, restored.failed.len()),
                    (5, 0),
                    "{restored:?}"
                );
            }
        });
        let mut number = 0;
        while !restoring.is_finished() {
            number += 1;
            for branch in &branches {
                branch.leaf(number).send();
            }
            if number.is_multiple_of(20) {
                branches
                    .iter()
                    .for_each(|branch| drop(leaf(branch, number)));
            }
        }
    });
    for branch in &branches {
        let leaves = branch.leaves().ask_blocking().expect("it lives");
        assert!(leaves.is_sorted(), "{leaves:?}");
    }
    let report = system.snapshot(&journal).expect("all is saved");
    let image = journal.catalog().image(report.number).expect("it exists");
    let restored = Simulation::restore(1, Faults::none(), builder(), &image);
    let (simulation, actors, _) = restored.expect("the image is whole");
    for branch in &branches {
        let again = actors.actor::<Branch>(&Address::path(branch));
        let again = again.expect("it is saved").leaves().ask_blocking();
        let leaves = branch.leaves().ask_blocking();
        assert_eq!(again, leaves);
    }
    simulation.run_for(Duration::from_secs(1));
}
