//! Objects that outlive their system.

use super::*;
use crate::waits::wait_while;
use vivant::heap::{Heap, PageSource, Root};

#[test]
fn a_parcel_outlives_its_system() {
    let token = Token::default();
    let parcels = {
        let simulation = Simulation::new(9);
        let writer = Writer::spawn(simulation.system(), vec![]);
        let write = || writer.write(7, token.clone()).ask_blocking().unwrap();
        [write(), write()]
    };
    for (left, parcel) in [7, 0].into_iter().zip(parcels) {
        assert_eq!(parcel.look(|page| count(page)), 7);
        drop(parcel);
        assert_eq!(pages(&token), left);
    }
}

#[test]
fn a_parcel_outlives_its_system_on_threads() {
    let token = Token::default();
    let system = System::builder().workers(2).build();
    let writer = Writer::spawn(&system, vec![]);
    let parcel = writer.write(7, token.clone()).ask_blocking().unwrap();
    assert!(system.shutdown().is_complete());
    drop((writer, system));
    let reads = std::thread::spawn(move || parcel.look(|page| count(page)));
    assert_eq!(reads.join().unwrap(), 7);
    assert_eq!(pages(&token), 0);
}

/// The state of a heap without an actor.
struct Desk;

impl Root for Desk {
    type Of<'gc> = Option<Val<'gc, Page<'gc>>>;
}

#[test]
fn the_last_reference_is_dropped_in_a_collection_of_another_heap() {
    let token = Token::default();
    let source = Arc::new(PageSource::new());
    let stress = Stress::new(When::All, 0);
    let mut desk = Heap::<Desk>::new(&source, Pacing::new().stressed(stress), |_| None);
    {
        let simulation = Simulation::new(10);
        let writer = Writer::spawn(simulation.system(), vec![]);
        let sheet = writer.write(7, token.clone()).ask_blocking().unwrap();
        // Once while the actor is alive, once when its heap is detached, and once after the
        // system's end.
        desk.turn(|m, state| *state = Some(m.unpack(sheet)));
        writer.forget().send();
        simulation.run();
        desk.turn(|_, state| *state = None);
        desk.collect();
        simulation.run();
        assert_eq!(pages(&token), 0);
        let sheets = [2, 3].map(|pages| writer.write(pages, token.clone()).ask_blocking());
        Address::stop(&writer);
        simulation.run();
        for (pages, sheet) in [2, 3].into_iter().zip(sheets) {
            desk.turn(|m, state| *state = Some(m.unpack(sheet.unwrap())));
            desk.collect();
            simulation.run();
            desk.turn(|_, state| assert_eq!(count(&state.unwrap()), pages));
        }
        assert_eq!(
            (simulation.system().inspect().detached_heaps, pages(&token)),
            (1, 3)
        );
    }
    desk.turn(|_, state| assert_eq!(count(&state.take().unwrap()), 3));
    desk.collect();
    assert_eq!(pages(&token), 0);
}

#[test]
fn the_last_reference_is_dropped_by_an_actor_of_another_system() {
    let token = Token::default();
    let there = Simulation::new(11);
    let reader = Reader::spawn(there.system());
    {
        let here = Simulation::new(12);
        let writer = Writer::spawn(here.system(), vec![]);
        let sheet = writer.write(7, token.clone()).ask_blocking().unwrap();
        reader.take(sheet).send();
        there.run();
    }
    assert_eq!(reader.read().ask_blocking(), Ok(7));
    reader.forget().send();
    there.run();
    // By a thread, because it must not happen in the reader's collection.
    wait_while(|| pages(&token) > 0);
}
