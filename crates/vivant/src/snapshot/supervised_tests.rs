//! Supervision trees go on after a restore: the same children are restarted, as often as without.

use super::supervised_program::{
    FOREMAN, MS, Notes, RESTARTED, STARTED, begin, begin_with, count, end, kinds, log_of, patient,
};
use super::taking::{
    FIRST_SYSTEM, assert_is, goes_on_at_every_step, restored, simulated, take_now,
};
use crate::injected_fault::{InjectedFault, caught};
use crate::simulation::Simulation;
use crate::{Supervision, Supervisor};

/// What the program does without a snapshot.
fn plainly(rules: Supervision) -> Notes {
    let simulation = simulated(&kinds(), 0);
    begin(&simulation, rules);
    end(&simulation)
}

fn goes_on(seeds: u64, rules: impl Fn() -> Supervision) {
    let images = goes_on_at_every_step(seeds, &kinds(), |it| begin(it, rules()), end);
    assert!(images > 50, "{images} images");
}

#[test]
fn one_for_one_goes_on() {
    let rules = || patient(Supervisor::one_for_one());
    let notes = plainly(rules());
    assert_eq!(count(&notes, STARTED), [3, 3, 2]);
    assert_eq!(count(&notes, RESTARTED), [0, 0, 0]);
    assert_eq!(notes[&FOREMAN], [1, 11]);
    goes_on(2, rules);
}

fn all_for_one() -> Supervision {
    patient(Supervisor::all_for_one())
}

#[test]
fn all_for_one_goes_on() {
    let notes = plainly(all_for_one());
    assert_eq!(count(&notes, STARTED), [6, 6, 6]);
    assert_eq!(count(&notes, RESTARTED), [3, 3, 4]);
    goes_on(2, all_for_one);
}

#[test]
fn rest_for_one_goes_on() {
    let rules = || patient(Supervisor::rest_for_one());
    let notes = plainly(rules());
    assert_eq!(count(&notes, STARTED), [3, 5, 6]);
    assert_eq!(count(&notes, RESTARTED), [0, 2, 4]);
    goes_on(2, rules);
}

/// A branch that gives up at its third failure, and is begun again by the supervisor above it.
fn begin_branch(simulation: &Simulation) {
    let root = patient(Supervisor::one_for_one()).spawn(simulation.system());
    let rules = Supervisor::rest_for_one().budget(2, 3_600_000 * MS);
    begin_with(simulation, root.add(rules));
    simulation.system().keep(&root);
}

fn branches_go_on() {
    let images = goes_on_at_every_step(2, &kinds(), begin_branch, end);
    assert!(images > 50, "{images} images");
}

#[test]
fn a_branch_gives_up_as_it_would_have() {
    let simulation = simulated(&kinds(), 0);
    begin_branch(&simulation);
    let notes = end(&simulation);
    // At the third failure, of the second hand, the first one goes down too.
    assert_eq!(count(&notes, STARTED), [4, 5, 6]);
    assert_eq!(count(&notes, RESTARTED), [1, 2, 4]);
    branches_go_on();
}

/// Children wait for their restart, and no time passes while the cut is taken: each starts when it
/// would have.
fn back_offs_go_on() {
    let rules = || patient(Supervisor::one_for_one()).back_off(7 * MS, 30 * MS);
    let program = |simulation: &Simulation| begin(simulation, rules());
    let timed = |simulation: &Simulation| {
        simulation.run_for(5_000 * MS);
        let mut notes = log_of(simulation);
        notes.sort_unstable();
        notes
    };
    let expected = {
        let simulation = simulated(&kinds(), 0);
        program(&simulation);
        timed(&simulation)
    };
    for seed in 0..if cfg!(miri) { 1 } else { 3 } {
        for steps in 0.. {
            let simulation = simulated(&kinds(), seed);
            program(&simulation);
            let is_over = (0..steps).any(|_| !simulation.step());
            let image = take_now(&simulation);
            let (restored, _actors) = restored(&image, seed + 1, &kinds());
            let why = format!("seed {seed}, {steps} steps");
            assert_is(&take_now(&restored), &image, &why);
            assert_eq!(timed(&restored), expected, "{why}");
            assert_eq!(timed(&simulation), expected, "{why}: {FIRST_SYSTEM}");
            if is_over {
                break;
            }
        }
    }
}

#[test]
fn a_child_that_waits_for_its_restart_starts_at_its_time() {
    back_offs_go_on();
}

/// Each is a defect that the tests above notice.
#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_forgotten_order_budget_or_back_off_is_noticed() {
    let orders = || goes_on(2, all_for_one);
    let said = [
        caught(InjectedFault::SignalUnrecorded, orders),
        caught(InjectedFault::NewerSignalRecorded, orders),
        caught(InjectedFault::BudgetForgotten, branches_go_on),
        caught(InjectedFault::BackOffForgotten, back_offs_go_on),
    ];
    for words in said {
        assert!(words.contains("seed"), "{words}");
    }
}
