//! Random programs of actors that fail, and images that are taken meanwhile: each new incarnation
//! has the newest state that an image had when the one before failed.

use super::super::memory_store::MemoryStore;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::run::Idle;
use crate::simulation::{Faults, Simulation};
use crate::{OnPanic, Report, Supervisor, SystemBuilder};
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;
use vivant_heap::{Gc, Mut, Pacing, Stress, When};
use vivant_journal::{Image, Journal, Settings};

const DIARIES: usize = 3;
const ALL_OPERATIONS: u64 = if cfg!(miri) { 20 } else { 150 };

/// Keeps lines in its heap.
#[derive(Actor)]
#[actor(saved, id = "lasts::Diary", pacing = Pacing::new().stressed(Stress::new(When::All, 7)))]
struct DiaryState<'gc> {
    lines: Vec<Gc<'gc, Mut<u64>>>,
}

#[behaviours(id = "lasts::Diary")]
impl<'gc> DiaryState<'gc> {
    #[start]
    fn new() -> Self {
        DiaryState { lines: Vec::new() }
    }

    fn write(&mut self, t: &Turn<'gc, Diary>, line: u64) {
        self.lines.push(t.alloc(Mut::new(line)));
        if line.is_multiple_of(5) {
            std::panic::resume_unwind(Box::new("as planned"));
        }
    }

    fn lines(&self) -> Vec<u64> {
        self.lines.iter().map(|line| line.get()).collect()
    }
}

fn builder() -> SystemBuilder {
    System::builder().saved::<(Diary,)>()
}

fn supervisor(system: &System) -> Address<Supervisor> {
    Supervisor::one_for_one()
        .budget(usize::MAX, Duration::from_secs(1))
        .spawn(system)
}

fn spawn(tree: &Address<Supervisor>) -> Vec<Address<Diary>> {
    let diary = |_| tree.add(Diary::child().on_panic(OnPanic::RestoreLast));
    (0..DIARIES).map(diary).collect()
}

/// The lines that each diary has in an image. `None`: it has no state there.
fn lines_in(image: &Image, paths: &[String]) -> Vec<Option<Vec<u64>>> {
    let restored = Simulation::restore(0, Faults::none(), builder(), image);
    let (simulation, actors, _) = restored.expect("the image is whole");
    let mut lines: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut look = |idle: &mut Idle| {
        let found = idle.state().look::<Diary, _>(|diary| diary.lines());
        lines.extend(found.map(|found| (idle.path(), found)));
    };
    // None has run.
    let system = simulation.system().shared();
    system.scheduler.each_queued(&mut |queued| {
        let mut idle = Idle::between_runs(queued);
        look(&mut idle);
        idle.into_runnable()
    });
    for actor in system.actors() {
        if let Ok(mut idle) = actor.hold_idle() {
            look(&mut idle);
            idle.park();
        }
    }
    drop(actors);
    paths.iter().map(|path| lines.remove(path)).collect()
}

/// What an incarnation has, and the lines that it gets.
#[derive(Default)]
struct Model {
    /// What the present incarnation had at its beginning.
    begins_with: Vec<u64>,
    failures: usize,
    sent: Vec<u64>,
}

impl Model {
    /// The lines when all is done: those behind the last line that failed are the last ones.
    fn lines(&self) -> Vec<u64> {
        let failed = |line: &u64| line.is_multiple_of(5);
        let behind = self.sent.iter().rposition(failed).map_or(0, |at| at + 1);
        [&self.begins_with[..], &self.sent[behind..]].concat()
    }
}

fn program(seed: u64) -> usize {
    let mut dice = Dice::new(seed);
    let simulation = Simulation::with(seed, Faults::none(), builder());
    let system = simulation.system();
    let journal = Journal::open(MemoryStore::default(), Settings::default());
    let journal = journal.expect("memory does not fail");
    let tree = supervisor(system);
    let diaries = spawn(&tree);
    simulation.run();
    let paths: Vec<String> = diaries.iter().map(Address::path).collect();
    let mut models: Vec<Model> = diaries.iter().map(|_| Model::default()).collect();
    let mut states = vec![Vec::new(); DIARIES];
    let (mut reported, mut restored) = (0, 0);
    let mut look = |models: &mut [Model], states: &[Vec<u64>]| {
        let reports = system.shared().reports.latest();
        for report in &reports[reported..] {
            let Report::Panicked(panic) = report else {
                continue;
            };
            let at = paths.iter().position(|path| path == panic.actor());
            let at = at.expect("a diary has failed");
            models[at].begins_with = states[at].clone();
            models[at].failures += 1;
            restored += 1;
        }
        let mut late = reports.iter();
        let unexpected = late.find(|report| matches!(report, Report::Overdue { .. }));
        assert!(unexpected.is_none(), "seed {seed}: {unexpected:?}");
        reported = reports.len();
        // The last reports are kept, and no more.
        assert!(reported < 64, "seed {seed}: {reported} reports");
    };
    for number in 1..ALL_OPERATIONS {
        match dice.below(8) {
            0 => {
                let report = system.snapshot(&journal).expect("all is saved");
                let image = journal.catalog().image(report.number);
                // Actors have run, and failed, before the image was there.
                look(&mut models, &states);
                let lines = lines_in(&image.expect("it exists"), &paths);
                for (state, lines) in states.iter_mut().zip(lines) {
                    // A state that is being loaded is awaited, and so are all but the first.
                    assert!(lines.is_some() || state.is_empty(), "seed {seed}");
                    *state = lines.unwrap_or_default();
                }
            }
            1..4 => {
                let at = dice.below(DIARIES);
                models[at].sent.push(number);
                diaries[at].write(number).send();
            }
            _ => {
                simulation.step();
                look(&mut models, &states);
            }
        }
    }
    while simulation.step() {
        look(&mut models, &states);
    }
    for (diary, model) in diaries.iter().zip(&models) {
        let lines = diary.lines().ask_blocking().expect("it lives");
        let reports = system.shared().reports.latest();
        let anew = reports
            .iter()
            .filter(|it| matches!(it, Report::StateNotRestored { .. }));
        let anew: Vec<String> = anew.map(Report::to_string).collect();
        assert_eq!(lines, model.lines(), "seed {seed}: {anew:?}");
        let failed = model.sent.iter().filter(|line| line.is_multiple_of(5));
        assert_eq!(failed.count(), model.failures, "seed {seed}");
    }
    restored
}

fn programs() {
    let restored: usize = (0..if cfg!(miri) { 1 } else { 20 }).map(program).sum();
    assert!(cfg!(miri) || restored > 50, "{restored} were restored");
}

#[test]
fn seeded_failed_actors_have_the_newest_state() {
    programs();
}

#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn seeded_canary_an_older_state_is_caught() {
    must_catch(InjectedFault::OldestState, programs);
}

/// Actors fail on threads while one image is taken after the other.
#[test]
fn failed_actors_are_restored_on_threads() {
    const ROUNDS: u64 = if cfg!(miri) { 2 } else { 40 };
    let system = builder().workers(2).build();
    let journal = Journal::open(MemoryStore::default(), Settings::default());
    let journal = journal.expect("memory does not fail");
    let tree = supervisor(&system);
    let diaries = spawn(&tree);
    thread::scope(|scope| {
        let taking = scope.spawn(|| {
            for _ in 0..ROUNDS {
                system.snapshot(&journal).expect("all is saved");
            }
        });
        let mut line = 0;
        while !taking.is_finished() {
            line += 1;
            diaries.iter().for_each(|diary| diary.write(line).send());
            // Not more than the actors can do.
            if line.is_multiple_of(20) {
                for diary in &diaries {
                    diary.lines().ask_blocking().expect("it lives");
                }
            }
        }
    });
    for diary in &diaries {
        let lines = diary.lines().ask_blocking().expect("it lives");
        assert!(lines.is_sorted(), "{lines:?}");
        assert!(
            lines.iter().all(|line| !line.is_multiple_of(5)),
            "{lines:?}"
        );
    }
    // Nothing runs any more: the state of this image is the last one.
    system.snapshot(&journal).expect("all is saved");
    for diary in &diaries {
        let before = diary.lines().ask_blocking().expect("it lives");
        diary.write(0).send();
        let after = diary.lines().ask_blocking().expect("it lives");
        assert_eq!(after, before);
    }
    let reports = system.shared().reports.latest();
    let overdue = reports
        .iter()
        .find(|report| matches!(report, Report::Overdue { .. }));
    assert!(overdue.is_none(), "{overdue:?}");
}
