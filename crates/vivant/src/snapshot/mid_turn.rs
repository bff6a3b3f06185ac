//! Images of a simulated program that are taken one after the other, with steps of the coordinator
//! between runs and in the middle of turns. For tests.

use super::image::Image;
use super::recorder::ImageRecorder;
use super::taking::recorder;
use crate::cut::{Coordinator, Outcome, Step};
use crate::oracle::Dice;
use crate::run::Idle;
use crate::simulation::Simulation;
use crate::sync::Arc;
use crate::system::System;
use std::cell::RefCell;

struct Taking {
    system: System,
    coordinator: Coordinator,
    recorder: Arc<ImageRecorder>,
    dice: Dice,
    images: Vec<Image>,
}

thread_local! {
    static TAKING: RefCell<Option<Taking>> = const { RefCell::new(None) };
}

/// Begins to take images of this system on this thread.
pub(super) fn begin(simulation: &Simulation, seed: u64) {
    let system = simulation.system();
    TAKING.set(Some(Taking {
        system: system.clone(),
        coordinator: Coordinator::new(system.shared()),
        recorder: recorder(system),
        dice: Dice::new(seed),
        images: Vec::new(),
    }));
}

/// A step of the coordinator, between two steps of the program.
pub(super) fn step() {
    TAKING.with_borrow_mut(|taking| taking.iter_mut().for_each(Taking::step));
}

/// The coordinator may take a step in the middle of a turn, but not find that the turn is over.
pub(super) fn mid_turn() {
    TAKING.with_borrow_mut(|taking| {
        if let Some(taking) = taking
            && taking.dice.below(4) == 0
            && !taking.coordinator.waits_for_threads()
        {
            taking.step();
        }
    });
}

/// All steps of one cut, if images are taken. No actor runs.
pub(super) fn whole_cut() {
    TAKING.with_borrow_mut(|taking| {
        let Some(taking) = taking else { return };
        let system = taking.system.shared().clone();
        taking.recorder = recorder(&taking.system);
        taking.coordinator.begin(&system, taking.recorder.clone());
        while !taking.coordinator.is_over() {
            taking.step();
            system.scheduler.each_queued(&mut |actor| {
                let mut idle = Idle::between_runs(actor);
                idle.enter_pass();
                idle.into_runnable()
            });
        }
    });
}

/// Returns the images of consistent cuts that were taken since `begin`.
pub(super) fn end() -> Vec<Image> {
    TAKING.take().map_or(Vec::new(), |taking| taking.images)
}

impl Taking {
    fn step(&mut self) {
        let system = self.system.shared();
        if self.coordinator.is_over() {
            if self.dice.below(4) == 0 {
                self.recorder = recorder(&self.system);
                self.coordinator.begin(system, self.recorder.clone());
            }
        } else if let Step::Complete(outcome) = self.coordinator.step(system) {
            let image = self.recorder.take(system).expect("it is saved");
            if outcome == Outcome::Consistent {
                self.images.push(image);
            }
        }
    }
}
