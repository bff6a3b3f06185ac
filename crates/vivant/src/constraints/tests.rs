//! What the table of constraints has when nothing is left to do.

use super::Constraints;
use crate::api::Pattern;
use crate::patterns::Synchronizer;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::lock;

#[derive(Actor)]
#[actor(mailbox = drop_oldest(2))]
struct Newest;

#[behaviours]
impl Newest {
    fn put(&mut self, number: u64) -> u64 {
        number
    }
}
use newest_messages::Put;

fn offers(at: &Address<Newest>) -> usize {
    let cell = Address::link(at).to.cell();
    lock(&Constraints::of(&cell.system).0).table.offers.len()
}

#[test]
fn the_offer_of_a_message_that_was_displaced_is_gone() {
    let simulation = Simulation::new(1);
    let (left, right) = (
        simulation.system().spawn(Newest),
        simulation.system().spawn(Newest),
    );
    let set = (
        Pattern::<Put<Newest>>::at(&left),
        Pattern::<Put<Newest>>::at(&right),
    );
    let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    for number in 1..=10 {
        left.put(number).send();
        simulation.run();
    }
    assert_eq!(offers(&left), 2);
    right.put(1).send();
    simulation.run();
    assert_eq!(offers(&left), 1);
    right.put(2).send();
    simulation.run();
    assert_eq!(offers(&left), 0);
}
