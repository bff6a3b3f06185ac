//! Garbage of an actor's last turns is collected though no other turn comes, and a mark that
//! was delayed by other work that was due runs then. Nothing else triggers these collections.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;
use vivant::heap::{Leaf, Marking, Stress, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{HeapFacts, OnPanic, Pacing, Supervisor};

/// No object in it dies; each of its pages has to be swept after each mark.
#[derive(Actor)]
struct LoftState<'gc> {
    small: Vec<Gc<'gc, Leaf<[u64; 5]>>>,
    large: Vec<Gc<'gc, [u64]>>,
}

/// More than is marked at once, and enough that turns do not sweep all of it.
const SMALL: usize = 20_000;
const LARGE: usize = 400_000;
const SPANS: usize = LARGE * 48 / 4096 / 2;

#[behaviours]
impl<'gc> LoftState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Loft>, small: usize) -> Self {
        LoftState {
            small: (0..small).map(|_| t.alloc(Leaf([1; 5]))).collect(),
            large: Vec::new(),
        }
    }

    /// If at least `SPANS` spans are unswept it grows by this many words, and returns the number of
    /// marks; else it grows by little.
    fn grow_unswept(&mut self, t: &Turn<'gc, Loft>, words: usize) -> Option<u64> {
        let is_unswept = t.stats().unswept >= SPANS;
        let words = if is_unswept { words } else { 8 << 10 };
        self.large.push(t.alloc_slice(vec![0; words]));
        is_unswept.then_some(t.stats().major)
    }

    fn grow_and_panic(&mut self, t: &Turn<'gc, Loft>, words: usize) {
        self.large.push(t.alloc_slice(vec![0; words]));
        resume_unwind(Box::new("as planned"));
    }

    fn forget(&mut self) {
        self.small.clear();
        self.large.clear();
    }

    fn drops(&mut self, t: &Turn<'gc, Loft>, token: Arc<()>) {
        let _dead = t.alloc(Leaf(token));
    }

    fn marks(&mut self, t: &Turn<'gc, Loft>) -> u64 {
        t.stats().major
    }
}

/// Its growth is too small for turns to sweep all of it.
fn pacing() -> Pacing {
    Pacing::new().growth(1.05)
}

fn simulation(pacing: Pacing) -> Simulation {
    Simulation::with(1, Faults::none(), System::builder().pacing(pacing))
}

fn loft(pacing: Pacing, small: usize) -> (Simulation, Address<Loft>) {
    let simulation = simulation(pacing);
    let loft = Loft::spawn(simulation.system(), small);
    (simulation, loft)
}

fn stays_idle(simulation: &Simulation) {
    simulation.run_for(Duration::from_secs(10_000));
}

fn heap(simulation: &Simulation) -> HeapFacts {
    let actors = simulation.system().inspect().actors;
    actors.iter().find_map(|actor| actor.heap).unwrap()
}

#[test]
fn garbage_of_an_idle_heap_is_freed_in_time() {
    let (simulation, loft) = loft(Pacing::new(), SMALL);
    // It is marked by then, because it has grown; and it has not grown since.
    loft.marks().send();
    stays_idle(&simulation);
    assert!(heap(&simulation).live > SMALL as u64 * 40);
    loft.forget().send();
    simulation.run_for(Duration::from_secs(3));
    assert!(heap(&simulation).live < 100_000, "{:?}", heap(&simulation));
}

/// Where a mark would pause the actor's next turn, no idle actor is marked for memory alone.
#[test]
fn a_heap_marked_stop_the_world_is_not_marked_because_it_is_idle() {
    let pacing = Pacing::new().marking(Marking::AtOnce).first(8 << 20);
    for (first, marks) in [(2 * SMALL, 0), (LARGE, 1)] {
        let (simulation, loft) = loft(pacing, first);
        stays_idle(&simulation);
        loft.forget().send();
        stays_idle(&simulation);
        assert_eq!(loft.marks().ask_blocking(), Ok(marks));
    }
}

/// An idle actor is not marked a second time.
#[test]
fn an_idle_heap_is_marked_once() {
    let (simulation, loft) = loft(Pacing::new(), SMALL);
    stays_idle(&simulation);
    stays_idle(&simulation);
    assert_eq!(loft.marks().ask_blocking(), Ok(1));
}

/// A turn now and then, which makes no garbage.
#[test]
fn marks_of_a_heap_without_garbage_back_off() {
    let (simulation, loft) = loft(Pacing::new(), SMALL);
    for _ in 0..1_000 {
        loft.marks().send();
        simulation.run_for(Duration::from_secs(10));
    }
    let marks = loft.marks().ask_blocking().unwrap();
    assert!((100..200).contains(&marks), "{marks}");
}

/// A waiting destructor is not delayed by the back-off: an idle check far in the future does not
/// stand for the check that a turn before it brings.
#[test]
fn an_awaited_destructor_runs_in_time_after_unproductive_marks() {
    let (simulation, loft) = loft(Pacing::new(), SMALL);
    for _ in 0..10 {
        loft.marks().send();
        simulation.run_for(Duration::from_secs(100));
    }
    for _ in 0..2 {
        loft.marks().send();
        simulation.run_for(Duration::from_millis(2_500));
    }
    let token = Arc::new(());
    loft.drops(token.clone()).send();
    simulation.run_for(Duration::from_millis(2_500));
    assert_eq!(Arc::strong_count(&token), 1);
}

/// A heap with a mark due at growth by this many words, and a mark that waits for the sweep.
fn is_marked_after(words: usize) {
    for seed in 0..10 {
        let builder = System::builder().pacing(pacing());
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let loft = Loft::spawn(simulation.system(), LARGE);
        let grow = || loft.grow_unswept(words).ask_blocking().unwrap();
        let before = (0..2_000).find_map(|_| grow()).unwrap();
        stays_idle(&simulation);
        assert!(loft.marks().ask_blocking().unwrap() > before, "{seed}");
    }
}

#[test]
fn an_idle_heap_is_swept_and_then_its_mark_begins() {
    is_marked_after(256 << 10);
}

#[test]
fn a_mark_begins_after_the_last_turn_swept_everything() {
    is_marked_after(16 << 20);
}

/// All of it is young until the only turn has ended.
#[test]
fn a_mark_begins_after_an_only_turn() {
    let (simulation, loft) = loft(pacing(), LARGE);
    stays_idle(&simulation);
    assert_eq!(loft.marks().ask_blocking(), Ok(1));
}

#[test]
fn a_mark_begins_after_a_last_turn_that_panicked() {
    let simulation = simulation(pacing());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let loft = tree.add(Loft::child(LARGE).on_panic(OnPanic::Resume));
    loft.marks().send();
    stays_idle(&simulation);
    let before = loft.marks().ask_blocking().unwrap();
    loft.grow_and_panic(16 << 20).send();
    stays_idle(&simulation);
    assert!(loft.marks().ask_blocking().unwrap() > before);
}

/// Promotions while the actor is idle trigger a mark too.
#[test]
fn a_mark_begins_after_an_idle_promotion() {
    let (simulation, loft) = loft(Pacing::new().nursery(64 << 20), LARGE);
    stays_idle(&simulation);
    assert_eq!(loft.marks().ask_blocking(), Ok(1));
}

/// A mark is due when the last one has ended, but no turn has come since: without a limit the
/// system would never sleep.
#[test]
fn a_heap_that_may_not_grow_is_not_marked_for_ever() {
    let (simulation, loft) = loft(Pacing::new().first(0).growth(1.0), SMALL);
    for _ in 0..3 {
        loft.marks().send();
        stays_idle(&simulation);
    }
    assert!(loft.marks().ask_blocking().unwrap() < 10);
}

#[derive(Object)]
struct Plate {
    to: Address<Loft>,
}

/// Makes another actor's address traceable.
#[derive(Actor)]
struct DoorState<'gc> {
    small: Vec<Gc<'gc, Leaf<[u64; 5]>>>,
    plate: Gc<'gc, Plate>,
}

#[behaviours]
impl<'gc> DoorState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Door>, to: Address<Loft>) -> Self {
        DoorState {
            small: Vec::new(),
            plate: t.alloc(Plate { to }),
        }
    }

    fn grow(&mut self, t: &Turn<'gc, Door>, small: usize) {
        self.small = (0..small).map(|_| t.alloc(Leaf([1; 5]))).collect();
    }

    fn marks(&mut self, t: &Turn<'gc, Door>) -> u64 {
        self.plate.to.marks().send();
        t.stats().major
    }
}

fn door(pacing: Pacing) -> (Simulation, Address<Door>) {
    let (simulation, loft) = loft(pacing, 0);
    let door = Door::spawn(simulation.system(), loft);
    (simulation, door)
}

/// The idle check is in flight when the last turn comes: the mark that growth triggers then also
/// collects the addresses.
#[test]
fn one_mark_serves_growth_and_the_edge_snapshot() {
    let (simulation, door) = door(Pacing::new());
    simulation.run_for(Duration::from_millis(500));
    door.grow(SMALL).send();
    stays_idle(&simulation);
    assert_eq!(door.marks().ask_blocking(), Ok(1));
}

/// Stress that only empties nurseries does not keep a mark from ending.
#[test]
fn a_mark_ends_under_any_stress() {
    for when in [
        When::Paced,
        When::Young,
        When::All,
        When::Chance,
        When::Concurrent,
    ] {
        let (simulation, door) = door(Pacing::new().stressed(Stress::new(when, 1)));
        door.grow(SMALL).send();
        stays_idle(&simulation);
        assert!(door.marks().ask_blocking().unwrap() > 0, "{when:?}");
    }
}
