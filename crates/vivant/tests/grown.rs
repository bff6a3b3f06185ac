//! A heap has grown in its actor's last turn: the mark that is due by then begins, whatever it has waited for, though no other turn comes (A5). Nobody has another reason to mark it.

use std::panic::resume_unwind;
use std::time::Duration;
use vivant::heap::Leaf;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{OnPanic, Pacing, Supervisor};

/// Nothing in it dies; each of its pages is to be swept after each mark.
#[derive(Actor)]
struct LoftState<'gc> {
    small: Vec<Gc<'gc, Leaf<[u64; 5]>>>,
    large: Vec<Gc<'gc, [u64]>>,
}

const SMALL: usize = 400_000;
const MANY: usize = SMALL * 48 / 4096 / 2;

#[behaviours]
impl<'gc> LoftState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Loft>) -> Self {
        LoftState {
            small: (0..SMALL).map(|_| t.alloc(Leaf([1; 5]))).collect(),
            large: Vec::new(),
        }
    }

    /// If many pages are to be swept it grows by so many words, and says how often it was marked; else it grows by little.
    fn grow_unswept(&mut self, t: &Turn<'gc, Loft>, words: usize) -> Option<u64> {
        let is_unswept = t.stats().unswept >= MANY;
        let words = if is_unswept { words } else { 8 << 10 };
        self.large.push(t.alloc_slice(vec![0; words]));
        is_unswept.then_some(t.stats().major)
    }

    fn grow_and_panic(&mut self, t: &Turn<'gc, Loft>, words: usize) {
        self.large.push(t.alloc_slice(vec![0; words]));
        resume_unwind(Box::new("as planned"));
    }

    fn marks(&self, t: &Turn<'gc, Loft>) -> u64 {
        t.stats().major + self.small.len() as u64 - SMALL as u64
    }
}

/// It is to grow by so little that turns do not sweep all of it.
fn pacing() -> Pacing {
    Pacing::new().growth(1.05)
}

fn rests(simulation: &Simulation) {
    simulation.run_for(Duration::from_secs(10_000));
}

/// A heap that is due when it has grown by so many words, and waits for the sweep.
fn is_marked_after(words: usize) {
    for seed in 0..10 {
        let builder = System::builder().pacing(pacing());
        let simulation = Simulation::with(seed, Faults::none(), builder);
        let loft = Loft::spawn(simulation.system());
        let grow = || loft.grow_unswept(words).ask_blocking().unwrap();
        let before = (0..2_000).find_map(|_| grow()).unwrap();
        rests(&simulation);
        assert!(loft.marks().ask_blocking().unwrap() > before, "{seed}");
    }
}

#[test]
fn what_is_left_to_sweep_is_swept_and_then_the_mark_begins() {
    is_marked_after(256 << 10);
}

#[test]
fn the_last_turn_has_swept_all_and_the_mark_begins() {
    is_marked_after(16 << 20);
}

/// All of it is young until the only turn is over.
#[test]
fn the_first_turn_is_the_last_and_the_mark_begins() {
    let builder = System::builder().pacing(pacing());
    let simulation = Simulation::with(1, Faults::none(), builder);
    let loft = Loft::spawn(simulation.system());
    rests(&simulation);
    assert_eq!(loft.marks().ask_blocking(), Ok(1));
}

#[test]
fn the_last_turn_has_panicked_and_the_mark_begins() {
    let builder = System::builder().pacing(pacing());
    let simulation = Simulation::with(1, Faults::none(), builder);
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let loft = tree.add(Loft::child().on_panic(OnPanic::Resume));
    loft.marks().send();
    rests(&simulation);
    let before = loft.marks().ask_blocking().unwrap();
    loft.grow_and_panic(16 << 20).send();
    rests(&simulation);
    assert!(loft.marks().ask_blocking().unwrap() > before);
}

/// A mark is due when the last one has ended, but nothing has come since: nobody would ever sleep.
#[test]
fn who_may_not_grow_is_not_marked_for_ever() {
    let builder = System::builder().pacing(Pacing::new().first(0).growth(1.0));
    let simulation = Simulation::with(1, Faults::none(), builder);
    let loft = Loft::spawn(simulation.system());
    for _ in 0..3 {
        loft.marks().send();
        rests(&simulation);
    }
    assert!(loft.marks().ask_blocking().unwrap() < 10);
}
