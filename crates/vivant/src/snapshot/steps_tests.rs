//! Behaviours between two steps are restored: they go on before any other message.

use super::taking::{FIRST_SYSTEM, OTHER_BYTES, goes_on_at_every_step};
use crate::api::SavedKinds;
use crate::injected_fault::{InjectedFault, caught, must_catch};
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::Arc;

/// Writes down what it does. The order of its messages is that in which they are sent.
#[derive(Actor)]
#[actor(saved)]
struct Writer {
    lines: Vec<u64>,
}

#[behaviours]
impl Writer {
    #[start]
    fn new() -> Writer {
        Writer { lines: Vec::new() }
    }

    fn write(&mut self, line: u64) {
        self.lines.push(line);
    }

    /// Writes `left` lines, one a step.
    fn write_all(
        &mut self,
        first: u64,
        left: u64,
        #[locals] written: u64,
    ) -> Step<(u64, u64, u64), ()> {
        if left == 0 {
            return Step::Done(());
        }
        self.lines.push(first + written);
        Step::Again((first, left - 1, written + 1))
    }
}

fn begin(simulation: &Simulation) -> Vec<Address<Writer>> {
    let writers: Vec<_> = (0..3).map(|_| Writer::spawn(simulation.system())).collect();
    for (number, writer) in (1..).zip(&writers) {
        writer.write(100 * number).send();
        writer.write_all(100 * number + 10, 5).send();
        writer.write(100 * number + 20).send();
        writer.write_all(100 * number + 30, 4).send();
    }
    writers
}

fn end(simulation: &Simulation) -> Vec<Vec<u64>> {
    simulation.run();
    let actors = simulation.system().shared().actors();
    let lines = actors.iter().filter_map(|cell| {
        let mut idle = cell.hold_idle().expect("all is done");
        let lines = idle
            .state()
            .look::<Writer, _>(|writer| writer.lines.clone());
        idle.park();
        lines
    });
    lines.collect()
}

fn steps_go_on() {
    let kinds = Arc::new(SavedKinds::of::<(Writer,)>().expect("no two names are equal"));
    let images = goes_on_at_every_step(4, &kinds, begin, end);
    assert!(images > 5, "{images} images");
}

#[test]
fn a_behaviour_goes_on_at_its_next_step() {
    steps_go_on();
}

#[test]
#[cfg_attr(miri, ignore = "the seeds of an interpreter are too few")]
fn a_lost_step_is_noticed() {
    must_catch(InjectedFault::StepUnrecorded, steps_go_on);
}

#[test]
fn a_cut_that_changes_its_system_is_noticed() {
    let said = caught(InjectedFault::MailboxReordered, steps_go_on);
    assert!(said.contains(FIRST_SYSTEM), "{said}");
}

/// The images are the same, as far as a reader knows.
#[test]
fn bytes_that_no_reader_knows_are_noticed() {
    let said = caught(InjectedFault::SpareKind, steps_go_on);
    assert!(said.contains(OTHER_BYTES), "{said}");
}
