//! T5: mailboxes with a bound: what a full one does with a message, and what becomes of that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivant::prelude::*;
use vivant::simulation::{Simulation, check, Faults, Seeds};
use vivant::{Cause, Mailbox, NotSent};

#[derive(Actor)]
#[actor(mailbox = reject(2))]
struct Picky {
    got: Vec<u64>,
}

#[behaviours]
impl Picky {
    fn take(&mut self, number: u64) -> u64 {
        self.got.push(number);
        number
    }
    fn got(&mut self) -> Vec<u64> {
        self.got.clone()
    }
}

fn causes(system: &System) -> Vec<(Cause, u64)> {
    let counts = system.dead_letters().counts();
    counts.iter().map(|line| (line.cause, line.count)).collect()
}

#[test]
fn what_is_rejected_comes_back_or_is_a_dead_letter() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let picky = system.spawn(Picky { got: Vec::new() });
    picky.take(1).send();
    assert!(picky.take(2).try_send().is_ok());
    let refused = picky.take(3).try_send().expect_err("two wait");
    assert_eq!(refused.why, NotSent::Full(Mailbox::Reject(2)));
    assert!(refused.to_string().ends_with("is full: reject(2)"), "{refused}");
    assert_eq!(refused.call.into_args(), (3,));
    assert_eq!(causes(system), []);
    picky.take(4).send();
    let asked = picky.take(5).ask();
    let Some(Err(AskError::Overloaded(it))) = Some(system.block_on(asked)) else {
        panic!("nobody was told");
    };
    assert_eq!(it.mailbox, Mailbox::Reject(2));
    assert!(it.behaviour.ends_with("Picky::take"));
    assert_eq!(it.place.file(), file!());
    assert_eq!(causes(system), [(Cause::Rejected, 1), (Cause::Rejected, 1)]);
    let facts = &system.inspect().actors[0];
    assert_eq!((facts.lost, facts.mailbox), (2, Mailbox::Reject(2)));
    assert_eq!(facts.depth, 2);
    simulation.run();
    assert_eq!(picky.got().ask_blocking().expect("it lives"), [1, 2]);
    drop(picky);
    assert_eq!(system.inspect().bytes, {
        simulation.run();
        system.inspect().bytes
    });
}
