//! T4: a tree that ends because its supervisor has ended says so, to its actors and to their
//! askers.

use crate::log::Log;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{AskError, StopReason, Supervisor};

#[derive(Actor)]
struct Part {
    log: Log,
    is_open: bool,
}

#[behaviours]
impl Part {
    #[start]
    fn new(log: Log) -> Self {
        Part {
            log,
            is_open: false,
        }
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    #[when(self.is_open)]
    fn pass(&mut self) {}

    #[stop]
    fn ends(&mut self, reason: &StopReason) {
        self.log.note(format!("{reason}"));
    }
}

/// Why the actor of a failed ask has ended.
fn why(answer: Result<(), AskError>) -> StopReason {
    match answer {
        Err(AskError::Stopped(it)) => it.reason.clone(),
        other => panic!("expected the end of the actor, got {other:?}"),
    }
}

fn expect_supervisor_ended(reason: StopReason, supervisor: &str) -> StopReason {
    match reason {
        StopReason::SupervisorEnded(it) => {
            assert_eq!(it.supervisor, supervisor);
            it.reason.clone()
        }
        other => panic!("expected the end of {supervisor}, got {other:?}"),
    }
}

#[test]
fn a_tree_without_an_address_says_that_no_address_was_left() {
    let simulation = Simulation::new(7);
    let system = simulation.system();
    let log = Log::default();
    let tree = Supervisor::one_for_one().spawn(system);
    let path = Address::path(&tree);
    let branch = tree.add(Supervisor::one_for_one());
    let leaf = tree.add(Part::child(log.clone()));
    let below = branch.add(Part::child(log.clone()));
    assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
    let waiting = [leaf.pass().ask(), below.pass().ask()];
    drop(tree);
    for answer in waiting {
        let reason = expect_supervisor_ended(why(system.block_on(answer)), &path);
        assert_eq!(reason, StopReason::Unreferenced);
    }
    simulation.run();
    let text = format!("its supervisor {path} ended: nothing referred to it any more");
    assert_eq!(log.take(), [text.clone(), text]);
}

#[test]
fn a_tree_whose_supervisor_gave_up_says_so() {
    let simulation = Simulation::new(7);
    let system = simulation.system();
    let rules = Supervisor::one_for_one().budget(0, Duration::from_secs(10));
    let tree = rules.spawn(system);
    let path = Address::path(&tree);
    let failing = tree.add(Part::child(Log::default()));
    let other = tree.add(Part::child(Log::default()));
    assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
    let waiting = other.pass().ask();
    failing.fail().send();
    let reason = expect_supervisor_ended(why(system.block_on(waiting)), &path);
    match reason {
        StopReason::GaveUp(it) => assert_eq!(it.failures, 1),
        reason => panic!("expected that {path} gave up, got {reason:?}"),
    }
}

#[test]
fn a_child_that_is_stopped_itself_was_stopped() {
    let simulation = Simulation::new(7);
    let system = simulation.system();
    let tree = Supervisor::one_for_one().spawn(system);
    let part = tree.add(Part::child(Log::default()));
    let waiting = part.pass().ask();
    Address::stop(&part);
    assert_eq!(why(system.block_on(waiting)), StopReason::Stopped);
    let part = tree.add(Part::child(Log::default()));
    let waiting = part.pass().ask();
    tree.shut_down().send();
    assert_eq!(why(system.block_on(waiting)), StopReason::Stopped);
}
