//! Synchronizers on threads, while one cut is taken after the other: what happens together is in
//! each image as a whole.

use super::image::Image;
use super::synchronizers_program::{Clerk, Closed, Pair, Program, TILLS, Till, kinds, pairs};
use super::taking::{restored, take_beside_threads, take_now};
use crate::SynchronizerKind;
use crate::cut::Over;
use crate::oracle::Dice;
use crate::prelude::*;
use crate::sync::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use vivant_codec::from_bytes;

const CUTS: usize = if cfg!(miri) { 1 } else { 60 };
/// Number of messages from outside for each cut.
const ORDERS: usize = 30;

fn check(image: &Image) {
    let (simulation, actors) = restored(image, 1, &kinds());
    simulation.run();
    let end = take_now(&simulation);
    let mut tills = Vec::new();
    for address in actors.values() {
        let cell = address.cell();
        let Ok(mut idle) = cell.hold_idle() else {
            continue;
        };
        let _none = idle.state().look::<Till, _>(|till| {
            tills.push((till.gone.clone(), till.come.clone()));
        });
        idle.park();
    }
    assert_eq!(tills.len(), TILLS);
    let name = <Pair as vivant_codec::Saved<'static>>::SHAPE.name();
    let states = end.shared.tables.synchronizers.iter();
    let states = states.filter(|it| it.kind == name);
    let states = states.map(|it| from_bytes::<Pair>(&it.state.bytes).expect("it is one"));
    let states: Vec<_> = states.collect();
    assert_eq!(states.len(), pairs().count());
    for ((from, to), state) in pairs().zip(states) {
        let gone = tills[from].0.iter().filter(|(other, _)| *other == to);
        let come = tills[to].1.iter().filter(|(other, _)| *other == from);
        let moved = (gone.count() as u64, come.count() as u64);
        assert_eq!(moved, (state.moved, state.moved), "from {from} to {to}");
    }
}

fn synchronizers_on(workers: usize) {
    type All = (
        Till,
        Clerk,
        SynchronizerKind<Pair>,
        SynchronizerKind<Closed>,
    );
    let system = System::builder().workers(workers).saved::<All>().build();
    let mut program = Program::begin(&system);
    let (is_over, cuts) = (AtomicBool::new(false), AtomicUsize::new(0));
    let images = thread::scope(|scope| {
        let orders = || {
            let mut dice = Dice::new(workers as u64);
            for number in 0.. {
                while number >= ORDERS * (1 + cuts.load(Ordering::Relaxed)) {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    thread::yield_now();
                }
                program.order(&mut dice);
            }
        };
        let _orders = scope.spawn(orders);
        let _over = Over(&is_over);
        let images = (0..CUTS).filter_map(|_| {
            cuts.fetch_add(1, Ordering::Relaxed);
            take_beside_threads(&system)
        });
        images.inspect(check).count()
    });
    let _report = system.shutdown();
    assert!(images > 0, "all cuts were void");
}

#[test]
fn synchronizers_on_two_threads_are_those_of_the_line() {
    synchronizers_on(2);
}

#[test]
fn synchronizers_on_four_threads_are_those_of_the_line() {
    synchronizers_on(4);
}
