//! Synchronizers are in an image with the states that they had at the line, and what they let
//! happen together is in it as a whole or not at all.

use super::image::Image;
use super::mid_turn;
use super::synchronizers_program::{Clerk, Closed, Pair, Program, TILLS, Till, kinds, pairs};
use super::taking::{assert_is, restored, simulated, take_now};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::Simulation;
use vivant_codec::{Saved, from_bytes};

/// Calls `body` with each actor of this type, in the order of their numbers.
fn each_state<A: Actor>(simulation: &Simulation, mut body: impl FnMut(&<A as Actor>::State<'_>)) {
    let mut cells = simulation.system().shared().actors();
    cells.sort_by_key(|cell| cell.id);
    for cell in cells {
        let Ok(mut idle) = cell.hold_idle() else {
            continue;
        };
        let _none = idle.state().look::<A, _>(|state| body(state));
        idle.park();
    }
}

fn images(seed: u64) -> Vec<Image> {
    let simulation = simulated(&kinds(), seed);
    let mut program = Program::begin(simulation.system());
    mid_turn::begin(&simulation, seed);
    let mut dice = Dice::new(!seed);
    for _ in 0..300 {
        match dice.below(6) {
            0 => program.order(&mut dice),
            1..3 => mid_turn::step(),
            _ => {
                simulation.step();
            }
        }
    }
    mid_turn::end()
}

/// The states of the synchronizers of this kind in an image.
fn states<S: for<'gc> Saved<'gc>>(image: &Image) -> Vec<S> {
    let name = <S as Saved<'static>>::SHAPE.name();
    let all = image.shared.tables.synchronizers.iter();
    let all = all.filter(|it| it.kind == name);
    all.map(|it| from_bytes(&it.state.bytes).expect("it is one"))
        .collect()
}

/// Each coin that has left a till before the line has come to the other one, or will do so as its
/// next message; and the synchronizer has counted it.
fn check(image: &Image, seed: u64) {
    let (simulation, actors) = restored(image, seed, &kinds());
    assert_is(&take_now(&simulation), image, &format!("seed {seed}"));
    simulation.run();
    let end = take_now(&simulation);
    let mut tills = Vec::new();
    each_state::<Till>(&simulation, |till| {
        tills.push((till.gone.clone(), till.come.clone()));
    });
    assert_eq!(tills.len(), TILLS, "seed {seed}");
    let states: Vec<Pair> = states(&end);
    assert_eq!(states.len(), pairs().count(), "seed {seed}");
    for ((from, to), state) in pairs().zip(states) {
        let gone = tills[from].0.iter().filter(|(other, _)| *other == to);
        let come = tills[to].1.iter().filter(|(other, _)| *other == from);
        let (gone, come) = (gone.count() as u64, come.count() as u64);
        assert_eq!(gone, come, "seed {seed}: from {from} to {to}");
        assert_eq!(gone, state.moved, "seed {seed}: moved {from} to {to}");
        assert!(state.moved <= state.limit, "seed {seed}: over the limit");
    }
    let mut coins: Vec<_> = tills
        .iter()
        .flat_map(|it| it.0.iter().chain(&it.1))
        .collect();
    let all = coins.len();
    coins.sort_by_key(|(_, coin)| *coin);
    coins.dedup_by_key(|(_, coin)| *coin);
    assert_eq!(coins.len(), all, "seed {seed}: a coin moved twice");
    // The clerk has the handles, or will have them.
    let closed = states_of_closed(&end);
    each_state::<Clerk>(&simulation, |clerk| {
        assert_eq!(clerk.closed.len(), closed, "seed {seed}: closed tills");
    });
    drop(actors);
}

fn states_of_closed(image: &Image) -> usize {
    states::<Closed>(image).len()
}

const SEEDS: u64 = if cfg!(miri) { 2 } else { 60 };

fn what_happens_together_is_in_an_image_as_a_whole() {
    let (mut commits, mut offers) = (0, 0);
    for seed in 0..SEEDS {
        for image in images(seed) {
            check(&image, seed);
            let waiting = image.waiting.iter().map(|it| it.message.waits_as);
            for waits_as in waiting {
                match waits_as {
                    crate::actor::WaitsAs::Committed => commits += 1,
                    crate::actor::WaitsAs::Offered(_) => offers += 1,
                    _ => {}
                }
            }
        }
    }
    assert!(commits > SEEDS / 10, "{commits} messages of commits");
    assert!(offers > SEEDS, "{offers} offers");
}

#[test]
fn together_or_not_at_all_in_an_image() {
    what_happens_together_is_in_an_image_as_a_whole();
}

#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_commit_across_the_line_that_is_forgotten_is_noticed() {
    for fault in [
        InjectedFault::CommitForgotten,
        InjectedFault::CommitOfOffer,
        InjectedFault::StateRecordedLate,
        InjectedFault::EntryTakenUnrecorded,
        InjectedFault::NewerEntryRecorded,
    ] {
        must_catch(fault, what_happens_together_is_in_an_image_as_a_whole);
        // The system of the seed that failed.
        let _images = mid_turn::end();
    }
}
