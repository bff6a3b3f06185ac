//! Images of one tree of actors, with supervisors in it and outside of it.

use super::memory_store::MemoryStore;
use super::{SavedAs, SnapshotError, Unsaved};
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::{RestoredActors, Supervisor, SystemBuilder};
use std::time::Duration;
use vivant_journal::{Image, Journal};

const MS: Duration = Duration::from_millis(1);

/// Counts until it gets a zero.
#[derive(Actor)]
#[actor(saved, id = "clinic::Nurse")]
struct Nurse {
    count: u64,
}

#[behaviours(id = "clinic::Nurse")]
impl Nurse {
    #[start]
    fn new() -> Nurse {
        Nurse { count: 100 }
    }

    fn add(&mut self, count: u64) {
        if count == 0 {
            std::panic::resume_unwind(Box::new("as planned"));
        }
        self.count += count;
    }

    fn count(&self) -> u64 {
        self.count
    }
}

/// Begins anew after a restore.
#[derive(Actor)]
#[actor(saved(restart), id = "clinic::Porter")]
struct Porter {
    carried: u64,
}

#[behaviours(id = "clinic::Porter")]
impl Porter {
    #[start]
    fn new(carried: u64) -> Porter {
        Porter { carried }
    }

    fn carries(&mut self) -> u64 {
        self.carried += 1;
        self.carried
    }
}

/// Has nurses.
#[derive(Actor)]
#[actor(saved, id = "clinic::Ward")]
struct Ward {
    tree: Address<Supervisor>,
}

#[behaviours(id = "clinic::Ward")]
impl Ward {
    #[start]
    fn new(t: &Turn<Self>) -> Ward {
        Ward {
            tree: Supervisor::one_for_one().spawn(t),
        }
    }

    fn opens(&mut self) -> Address<Nurse> {
        self.tree.add(Nurse::child())
    }
}

fn builder() -> SystemBuilder {
    System::builder().saved::<(Nurse, Porter, Ward)>()
}

fn restored(journal: &Journal) -> (Simulation, RestoredActors) {
    let image: Image = journal.catalog().image(1).expect("it is published");
    let restored = Simulation::restore(2, Faults::none(), builder(), &image);
    let (simulation, actors, _) = restored.expect("the image is whole");
    (simulation, actors)
}

fn the_nurse(actors: &RestoredActors) -> Address<Nurse> {
    actors.actors().next().expect("it is in the image")
}

#[test]
fn a_root_is_restored_without_its_supervisor() {
    let simulation = Simulation::with(1, Faults::none(), builder());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let nurse = tree.add(Nurse::child());
    simulation.run_for(5 * MS);
    nurse.add(7).send();
    let journal = MemoryStore::default().journal();
    let report = simulation.system().snapshot_of(&nurse, &journal);
    assert_eq!(report.expect("all is saved").messages, 1);
    drop((nurse, tree));

    let (simulation, actors) = restored(&journal);
    let nurse = the_nurse(&actors);
    assert_eq!(nurse.count().ask_blocking().expect("it lives"), 107);
    // It has no supervisor that starts it again.
    nurse.add(0).send();
    simulation.run_for(1_000 * MS);
    assert!(nurse.count().ask_blocking().is_err());
}

/// The supervisor and its child are made in turns of the ward.
#[test]
fn a_supervisor_in_the_tree_restarts_its_children() {
    let simulation = Simulation::with(1, Faults::none(), builder());
    let ward = Ward::spawn(simulation.system());
    let opened = ward.opens().ask_blocking();
    let nurse = opened.expect("it lives");
    simulation.run_for(5 * MS);
    nurse.add(7).send();
    let journal = MemoryStore::default().journal();
    let report = simulation.system().snapshot_of(&ward, &journal);
    assert_eq!(report.expect("all is saved").actors(SavedAs::State), 3);
    drop((nurse, ward));

    let (simulation, actors) = restored(&journal);
    let nurse = the_nurse(&actors);
    assert_eq!(nurse.count().ask_blocking().expect("it lives"), 107);
    nurse.add(0).send();
    simulation.run_for(1_000 * MS);
    assert_eq!(nurse.count().ask_blocking().expect("it lives again"), 100);
}

/// A child that was made outside of the tree is not in it.
#[test]
fn a_child_from_outside_is_gone() {
    let simulation = Simulation::with(1, Faults::none(), builder());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let nurse = tree.add(Nurse::child());
    simulation.run_for(5 * MS);
    let journal = MemoryStore::default().journal();
    let report = simulation.system().snapshot_of(&tree, &journal);
    assert_eq!(report.expect("all is saved").actors(SavedAs::State), 1);
    drop((nurse, tree));

    let (simulation, actors) = restored(&journal);
    assert!(actors.actors::<Nurse>().next().is_none());
    let tree: Address<Supervisor> = actors.actors().next().expect("it is in the image");
    simulation.run_for(1_000 * MS);
    let settled = tree.settled().ask_blocking().expect("it lives");
    settled.expect("no child is missed");
    assert!(tree.children().ask_blocking().expect("it lives").is_empty());
}

/// A supervisor that was made outside of the tree of its own one is not in it.
#[test]
fn a_branch_from_outside_is_gone() {
    let simulation = Simulation::with(1, Faults::none(), builder());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let branch = tree.add(Supervisor::one_for_one());
    let _nurse = branch.add(Nurse::child());
    simulation.run_for(5 * MS);
    let journal = MemoryStore::default().journal();
    let report = simulation.system().snapshot_of(&tree, &journal);
    assert_eq!(report.expect("all is saved").actors(SavedAs::State), 1);
    drop((branch, tree));

    let (simulation, actors) = restored(&journal);
    let tree: Address<Supervisor> = actors.actors().next().expect("it is in the image");
    simulation.run_for(1_000 * MS);
    assert!(tree.children().ask_blocking().expect("it lives").is_empty());
    let settled = tree.settled().ask_blocking().expect("it lives");
    settled.expect("no child is missed");
}

#[test]
fn a_root_that_starts_again_has_the_start_of_its_supervisor() {
    let simulation = Simulation::with(1, Faults::none(), builder());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let porter = tree.add(Porter::child(40));
    simulation.run_for(5 * MS);
    porter.carries().send();
    simulation.run_for(5 * MS);
    porter.carries().send();
    let journal = MemoryStore::default().journal();
    let report = simulation.system().snapshot_of(&porter, &journal);
    assert_eq!(report.expect("all is saved").actors(SavedAs::Start), 1);
    drop((porter, tree));

    let (_simulation, actors) = restored(&journal);
    let porter: Address<Porter> = actors.actors().next().expect("it is in the image");
    assert_eq!(porter.carries().ask_blocking().expect("it lives"), 42);
}

/// A supervisor that gives up ends the root of the tree, and is outside. A restore takes each
/// image, whatever of the order waits.
#[test]
fn a_root_whose_supervisor_gives_up_ends() {
    for (seed, steps) in (0..4).flat_map(|seed| (1..8).map(move |steps| (seed, steps))) {
        let simulation = Simulation::with(seed, Faults::none(), builder());
        let rules = Supervisor::one_for_one().budget(0, 1_000 * MS);
        let tree = rules.spawn(simulation.system());
        let [failing, nurse] = [(); 2].map(|()| tree.add(Nurse::child()));
        simulation.run_for(5 * MS);
        failing.add(0).send();
        for _ in 0..steps {
            simulation.step();
        }
        let journal = MemoryStore::default().journal();
        let report = simulation.system().snapshot_of(&nurse, &journal);
        match report {
            Ok(_) => {
                let (restored, _actors) = restored(&journal);
                restored.run();
            }
            // It may be halted before it is ended.
            Err(error) => assert!(error.to_string().contains("outside of the tree"), "{error}"),
        }
    }
}

#[test]
fn a_root_that_waits_for_its_restart_is_an_error() {
    let simulation = Simulation::with(1, Faults::none(), builder());
    let rules = Supervisor::one_for_one().back_off(500 * MS, 500 * MS);
    let tree = rules.spawn(simulation.system());
    let nurse = tree.add(Nurse::child());
    simulation.run_for(5 * MS);
    nurse.add(0).send();
    simulation.run_for(5 * MS);
    let journal = MemoryStore::default().journal();
    let refused = simulation.system().snapshot_of(&nurse, &journal);
    let refused = refused.expect_err("its supervisor has to start it");
    assert!(
        matches!(&refused, SnapshotError::Unsaved(Unsaved::Lacking { .. })),
        "{refused}"
    );
    assert!(
        refused.to_string().contains("outside of the tree"),
        "{refused}"
    );
    simulation.run_for(1_000 * MS);
    let report = simulation.system().snapshot_of(&nurse, &journal);
    report.expect("it was started");
}

/// Waits when it stops.
#[derive(Actor)]
#[actor(saved, id = "clinic::Guard")]
struct Guard {
    waiting: Vec<Resolver<()>>,
    other: Option<Address<Guard>>,
}

#[behaviours(id = "clinic::Guard")]
impl Guard {
    #[start]
    fn new(other: Option<Address<Guard>>) -> Guard {
        Guard {
            waiting: Vec::new(),
            other,
        }
    }

    fn relieves(&mut self, t: &Turn<Self>) -> Promise<()> {
        let (promise, resolver) = t.promise();
        self.waiting.push(resolver);
        promise
    }

    fn has_come(&mut self) {
        self.waiting.clear();
    }

    fn fails(&mut self, t: &Turn<Self>) {
        t.fail("it sleeps");
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>) -> Promise<()> {
        match &self.other {
            Some(other) => t.ask(other.relieves()).then(t.me().is_relieved()),
            None => t.promise().0,
        }
    }

    #[then]
    fn is_relieved(&mut self, _by: Result<(), AskError>) {}
}

#[test]
fn a_root_that_goes_down_after_its_stop_hook_is_an_error() {
    let builder = System::builder().saved::<(Guard,)>();
    let simulation = Simulation::with(1, Faults::none(), builder);
    let other = Guard::spawn(simulation.system(), None);
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let guard = tree.add(Guard::child(Some(other.clone())));
    simulation.run_for(5 * MS);
    guard.fails().send();
    simulation.run_for(5 * MS);
    let journal = MemoryStore::default().journal();
    let refused = simulation.system().snapshot_of(&guard, &journal);
    let refused = refused.expect_err("its supervisor has to start it");
    assert!(
        refused.to_string().contains("outside of the tree"),
        "{refused}"
    );
    other.has_come().send();
    simulation.run_for(1_000 * MS);
    let report = simulation.system().snapshot_of(&guard, &journal);
    report.expect("it was started");
}
