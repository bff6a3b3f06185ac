//! No acknowledged commit is lost, by other writers, by failures or by a loss of power.

use crate::memory_disk::MemoryDisk;
use crate::writer::{Fate, Words, check, write};
use documents::journal::Journal;
use documents::planted::Planted;
use documents::store::Store;
use documents::tree::Tree;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{self, Faults, Seeds, Simulation};

/// Both actors are late and slow, and panic now and then.
fn faults() -> Faults {
    let late = Duration::from_millis(30);
    Faults::none()
        .delays(200_000, late)
        .slow_turns(200_000, late)
        .panics(10_000)
        .only::<Store>()
        .only::<Journal>()
}

/// Three writers; then the power is lost, and another machine reads the disk.
fn run(simulation: &Simulation, planted: Planted) -> Result<Words, String> {
    let system = simulation.system();
    let disk = Arc::new(MemoryDisk::new(simulation.seed()));
    let tree = Tree::with(system, disk.clone(), planted);
    let writers = (0..3).map(|writer| {
        let seed = 3 * simulation.seed() + writer;
        write(system.clone(), tree.store.clone(), seed, 6)
    });
    let words: Words = system
        .block_on(join_all(writers))
        .into_iter()
        .flatten()
        .collect();
    simulation.calm();
    check_head(&tree, &words).map_err(|fault| format!("before the power is lost: {fault}"))?;
    // Another system: nothing is left in memory.
    let after = Simulation::new(simulation.seed());
    let tree = Tree::open(after.system(), Arc::new(disk.after_power_loss()));
    check_head(&tree, &words).map_err(|fault| format!("after the power was lost: {fault}"))?;
    Ok(words)
}

fn check_head(tree: &Tree, words: &Words) -> Result<(), String> {
    let head = tree
        .store
        .head()
        .ask_blocking()
        .map_err(|error| error.to_string())?;
    head.look(|head| check(head, words))
}

#[vivant::test(seeds = 200, faults = faults())]
fn no_acknowledged_commit_is_lost(simulation: &Simulation) {
    run(simulation, Planted::Nothing).expect("all words are there");
}

/// Self-test: the runs are hard enough.
#[test]
fn commits_are_written_refused_and_unknown() {
    let words = |seed| {
        let simulation = Simulation::with(seed, faults(), System::builder());
        run(&simulation, Planted::Nothing).expect("all words are there")
    };
    let fates: Vec<Fate> = (0..20).flat_map(words).map(|(_, (_, fate))| fate).collect();
    let count = |fate| fates.iter().filter(|it| **it == fate).count();
    let counts = [Fate::Written, Fate::Refused, Fate::Unknown].map(count);
    assert!(counts.iter().all(|count| *count >= 10), "{counts:?}");
}

/// Self-test: some seed finds the planted bug, as an acknowledged word that is not there.
fn finds(planted: Planted) {
    let lost = "Written, is there [0, 0] times";
    simulation::check_fails(Seeds(200), &faults(), lost, |simulation| {
        run(simulation, planted).expect("all words are there");
    });
}

#[test]
fn canary_a_wait_that_is_not_exclusive_loses_an_update() {
    finds(Planted::NotExclusive);
}

#[test]
fn canary_an_early_answer_loses_a_commit() {
    finds(Planted::EarlyAnswer);
}
