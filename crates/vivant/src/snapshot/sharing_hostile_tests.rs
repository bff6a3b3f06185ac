//! Cuts that are given up, starts that fail, other systems: beside heaps that share.

use super::sharing_tests::{Reader, Writer, begin, kinds, ring};
use super::taking::{recorder, restored, simulated, try_take_now};
use crate::actor::{OpenHeap, Recorder as _};
use crate::cut::{Coordinator, Step};
use crate::prelude::*;
use crate::simulation::Simulation;
use std::time::Duration;

fn detached(simulation: &Simulation) -> usize {
    simulation.system().inspect().detached_heaps
}

/// Its start sends a page to an actor that has ended, and fails.
#[derive(Actor)]
struct FailingState<'gc> {
    last: Option<Val<'gc, str>>,
}

#[behaviours]
impl<'gc> FailingState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Failing>, to: Address<Taker>) -> Self {
        to.take(t.val_str("page")).send();
        std::panic::resume_unwind(Box::new("as planned"))
    }

    fn nothing(&mut self) {
        let _none = self.last;
    }
}

#[derive(Actor)]
struct TakerState<'gc> {
    last: Option<Val<'gc, str>>,
}

#[behaviours]
impl<'gc> TakerState<'gc> {
    #[start]
    fn new() -> Self {
        TakerState { last: None }
    }

    fn take(&mut self, page: Val<'gc, str>) {
        self.last = Some(page);
    }
}

#[test]
fn heaps_of_starts_that_fail_are_freed_after_a_cut() {
    let simulation = simulated(&kinds(), 1);
    let taker = Taker::spawn(simulation.system());
    simulation.run();
    Address::stop(&taker);
    try_take_now(&simulation).expect("all of it is saved");
    for _ in 0..5 {
        let failing = Failing::spawn(simulation.system(), taker.clone());
        failing.nothing().send();
        simulation.run();
    }
    simulation.run_for(Duration::from_secs(3_600));
    assert_eq!(detached(&simulation), 0);
}

/// A cut that is given up while a heap keeps what was released.
#[test]
fn a_cut_that_is_given_up_keeps_no_releases() {
    let simulation = simulated(&kinds(), 1);
    let readers = ring(&simulation);
    let writer = Writer::spawn(simulation.system(), readers[0].clone());
    writer.write(1).send();
    simulation.run();
    Address::stop(&writer);
    simulation.run();
    assert_eq!(detached(&simulation), 1);
    let system = simulation.system().shared();
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder(simulation.system()));
    // The line is there, and the readers are behind it.
    for _ in 0..3 {
        let _step = coordinator.step(system);
    }
    readers.iter().for_each(|reader| reader.forget(0).send());
    simulation.run_for(Duration::from_secs(60));
    assert_eq!(detached(&simulation), 1, "it waits for the cut");
    coordinator.give_up(system);
    simulation.run_for(Duration::from_secs(60));
    assert_eq!(detached(&simulation), 0);
}

/// A cut that is given up while the image of a detached heap is written.
#[test]
#[cfg_attr(miri, ignore = "a heap that is not written at once is large")]
fn an_image_of_a_detached_heap_that_is_given_up_is_over() {
    let simulation = simulated(&kinds(), 1);
    let readers = ring(&simulation);
    let writer = Writer::spawn(simulation.system(), readers[0].clone());
    (0..6_000).for_each(|number| writer.write(number).send());
    simulation.run();
    Address::stop(&writer);
    simulation.run_for(Duration::from_secs(60));
    let system = simulation.system().shared();
    let recorder = recorder(simulation.system());
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder.clone());
    while !coordinator.awaits_heaps() {
        if let Step::Waits = coordinator.step(system) {
            simulation.step();
        }
    }
    let open = recorder.open_heaps();
    let is_detached = |heap: &OpenHeap| matches!(heap, OpenHeap::Detached(_));
    assert!(open.iter().any(is_detached), "{open:?}");
    coordinator.give_up(system);
    readers.iter().for_each(|reader| reader.forget(0).send());
    let mut steps = 0;
    let until = simulation.now() + Duration::from_secs(600);
    while simulation.now() < until && simulation.step() {
        steps += 1;
        assert!(steps < 100_000, "the program never comes to rest");
    }
    assert_eq!(detached(&simulation), 0);
}

#[test]
fn a_page_of_another_system_is_refused() {
    let (here, there) = (simulated(&kinds(), 1), simulated(&kinds(), 2));
    let reader = Reader::spawn(here.system());
    here.run();
    let other = Writer::spawn(there.system(), reader.clone());
    other.write(6).send();
    for _ in 0..5 {
        there.run();
        here.run();
    }
    assert_eq!(reader.all().ask_blocking().expect("it lives"), [6]);
    let error = try_take_now(&here).expect_err("its page is elsewhere");
    assert!(error.to_string().contains("of another system"), "{error}");
}

#[test]
fn numbers_of_heaps_are_given_once() {
    let simulation = simulated(&kinds(), 1);
    let _readers = begin(&simulation);
    simulation.run();
    let mut image = try_take_now(&simulation).expect("all of it is saved");
    drop(restored(&image, 2, &kinds()));
    for next in [0, u64::MAX] {
        image.system.next_heap = next;
        let restored = simulated(&kinds(), 2);
        let actors = super::restore::restore(restored.system().shared(), &image, &kinds());
        let error = actors.err().expect("a number is given twice").to_string();
        assert!(error.contains("no heap of the image can have"), "{error}");
    }
}
