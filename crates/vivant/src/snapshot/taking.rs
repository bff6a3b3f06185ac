//! Images of simulated systems, for tests.

use super::by_id::Actors;
use super::file::{ImageFile, read, shapes_of_file};
use super::image::Image;
use super::memory_store::MemoryStore;
use super::recorder::ImageRecorder;
use super::restore::restore;
use super::saved_program::SavedProgram;
use super::take::Written;
use super::unsaved::Unsaved;
use crate::actor::Recorder as _;
use crate::api::SavedKinds;
use crate::cut::{self, Coordinator, Outcome, Step};
use crate::oracle::Dice;
use crate::run::Idle;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::system::System;

/// A simulation of a program with these kinds.
pub(super) fn simulated(kinds: &Arc<SavedKinds>, seed: u64) -> Simulation {
    let simulation = Simulation::new(seed);
    SavedProgram::set(simulation.system().shared(), kinds.clone());
    simulation
}

pub(super) fn recorder(system: &System) -> Arc<ImageRecorder> {
    let kinds = SavedProgram::of(system.shared()).expect("they are set");
    Arc::new(ImageRecorder::new(kinds).expect("the shapes are few"))
}

/// Takes an image while the program runs. `None`: the cut is void.
pub(super) fn take(simulation: &Simulation, dice: &mut Dice) -> Result<Option<Image>, Unsaved> {
    let system = simulation.system().shared();
    let recorder = recorder(simulation.system());
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder.clone());
    loop {
        match coordinator.step(system) {
            Step::Complete(Outcome::Consistent) => {
                return recorder.take(system).map(Some);
            }
            Step::Complete(Outcome::Void) => return Ok(None),
            Step::More => {}
            // An actor is in a queue: it enters when it runs.
            Step::Waits => {
                simulation.step();
            }
        }
        if dice.below(3) == 0 {
            simulation.step();
        }
    }
}

/// Takes an image while the threads of the system run. `None`: the cut is void.
pub(super) fn take_beside_threads(system: &System) -> Option<Image> {
    let recorder = recorder(system);
    let outcome = cut::take_beside_threads(system.shared(), recorder.clone());
    let image = recorder.take(system.shared());
    let image = image.expect("it is saved");
    (outcome == Outcome::Consistent).then_some(image)
}

/// Takes an image without a step of the program: also actors in queues are captured.
pub(super) fn take_now(simulation: &Simulation) -> Image {
    try_take_now(simulation).expect("all of it is saved")
}

/// As `take_now`, of what may not be saved.
pub(super) fn try_take_now(simulation: &Simulation) -> Result<Image, Unsaved> {
    let recorder = recorder(simulation.system());
    cut_now(simulation, &recorder);
    recorder.take(simulation.system().shared())
}

/// As `take_now`, into a store, as a snapshot is written.
fn store_now(simulation: &Simulation) -> MemoryStore {
    let system = simulation.system().shared();
    let store = MemoryStore::default();
    let mut file = ImageFile::begin(&store.journal()).expect("memory does not fail");
    let recorder = recorder(simulation.system());
    let phase = cut_now(simulation, &recorder);
    let completed = recorder.complete(system);
    let mut completed = completed.expect("all of it is saved");
    let records = std::mem::take(&mut completed.records);
    file.append(records).expect("memory does not fail");
    let written = Written {
        file,
        completed,
        phase,
    };
    written.publish(system).expect("memory does not fail");
    store
}

/// The only image of a store.
fn image_of(store: &MemoryStore) -> Image {
    let image = store.journal().catalog().image(1);
    let image = read(&image.expect("it is published"));
    image.expect("it is intact").1
}

/// Takes a cut without a step of the program. Returns its phase.
fn cut_now(simulation: &Simulation, recorder: &Arc<ImageRecorder>) -> u64 {
    let system = simulation.system().shared();
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder.clone());
    loop {
        match coordinator.step(system) {
            Step::Complete(_) => return coordinator.phase(),
            Step::More => {}
            // All is captured: the image is the same, whatever runs now.
            Step::Waits if recorder.has_open_heaps() => {
                simulation.step();
            }
            Step::Waits => system.scheduler.each_queued(&mut |actor| {
                let mut idle = Idle::between_runs(actor);
                idle.enter_pass();
                idle.into_runnable()
            }),
        }
    }
}

/// A new system with what `image` contains.
pub(super) fn restored(
    image: &Image,
    seed: u64,
    kinds: &Arc<SavedKinds>,
) -> (Simulation, Arc<Actors>) {
    let simulation = simulated(kinds, seed);
    let actors = restore(simulation.system().shared(), image, kinds);
    (simulation, actors.expect("the image is whole"))
}

/// Two images are the same. What differs is said by parts: a table of shapes is long.
pub(super) fn assert_is(one: &Image, other: &Image, why: &str) {
    assert_eq!(one.system, other.system, "{why}");
    assert_eq!(one.actors, other.actors, "{why}");
    assert_eq!(one.kinds, other.kinds, "{why}");
    assert_eq!(one.waiting, other.waiting, "{why}");
    assert_eq!(one.supervised, other.supervised, "{why}");
    assert_eq!(one.shared, other.shared, "{why}");
    assert_eq!(one.heaps, other.heaps, "{why}");
    assert!(one == other, "{why}: other steps or shapes");
}

/// For one seed in so many, files are compared: it takes as long as all else.
const SEEDS_FOR_ONE_TO_THE_BYTE: u64 = 10;

/// So many seeds, or as many as `VIVANT_SEEDS` says.
pub(super) fn seeds(unless_requested: u64) -> u64 {
    match std::env::var("VIVANT_SEEDS") {
        _ if cfg!(miri) => 1,
        Ok(requested) => requested.parse().expect("it is a number of seeds"),
        Err(_) => unless_requested,
    }
}

/// The image of a system is the image that it was restored from, and the image of a system that is
/// restored from that has the same files (decision 0071).
fn assert_is_to_the_byte(
    simulation: &Simulation,
    mut image: Image,
    kinds: &Arc<SavedKinds>,
    why: &str,
) {
    let store = store_now(simulation);
    let stored = image_of(&store);
    image.shapes = shapes_of_file(image.shapes);
    assert_is(&stored, &image, why);
    let (again, _actors) = restored(&stored, simulation.seed(), kinds);
    let is_same = store_now(&again).files() == store.files();
    assert!(is_same, "{why}: {OTHER_BYTES}");
}

/// For every number of steps: what runs until then, is saved, restored, and goes on as what runs
/// without a pause; and so does the first system, of which the image was taken. `end` runs a system
/// and returns what its program has done. Also, an image of the restored system is the image that
/// it was restored from. Returns the number of images.
pub(super) fn goes_on_at_every_step<P, E: PartialEq + std::fmt::Debug>(
    seeds: u64,
    kinds: &Arc<SavedKinds>,
    begin: impl Fn(&Simulation) -> P,
    end: impl Fn(&Simulation) -> E,
) -> u64 {
    let expected = {
        let simulation = simulated(kinds, 0);
        let _program = begin(&simulation);
        end(&simulation)
    };
    let mut images = 0;
    for seed in 0..self::seeds(seeds) {
        let mut dice = Dice::new(seed);
        for steps in 0.. {
            let why = format!("seed {seed}, after {steps} steps");
            let simulation = simulated(kinds, seed);
            let program = begin(&simulation);
            let is_over = (0..steps).any(|_| !simulation.step());
            let image = take(&simulation, &mut dice).expect("all of it is saved");
            assert_eq!(end(&simulation), expected, "{why}: {FIRST_SYSTEM}");
            drop(program);
            if let Some(image) = image {
                images += 1;
                let (simulation, _actors) = restored(&image, seed + 1, kinds);
                match seed % SEEDS_FOR_ONE_TO_THE_BYTE == 0 {
                    true => assert_is_to_the_byte(&simulation, image, kinds, &why),
                    false => assert_is(&take_now(&simulation), &image, &why),
                }
                assert_eq!(end(&simulation), expected, "{why}");
            }
            if is_over {
                break;
            }
        }
    }
    images
}

/// What a test says of the system of which an image was taken.
pub(super) const FIRST_SYSTEM: &str = "the first system goes on otherwise";

/// What a test says of two images that differ as files alone.
pub(super) const OTHER_BYTES: &str = "other bytes";
