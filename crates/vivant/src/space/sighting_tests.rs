//! What a mark has seen is trusted for as long as the actor has not run since: an address that has
//! gone elsewhere meanwhile is outside.

use crate::planted::{Planted, must_catch};
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check};

#[derive(Actor)]
struct HostState<'gc> {
    guests: gc::Vec<'gc, Address<Host>>,
}

#[behaviours]
impl<'gc> HostState<'gc> {
    #[start]
    fn new(_: &Turn<'gc, Host>) -> Self {
        HostState {
            guests: gc::Vec::new(),
        }
    }

    fn lodges(&mut self, t: &Turn<'gc, Host>, guest: Address<Host>) {
        self.guests.push(t, guest);
    }

    /// The last guest goes there. Nobody gets another address for that.
    fn sends_on(&mut self, t: &Turn<'gc, Host>, to: Address<Host>) {
        if let Some(guest) = self.guests.pop(t) {
            t.send(to.lodges(guest));
        }
    }
}

/// Two know each other, by objects of their heaps. The first gives the second away, to somebody
/// whom a thread holds; then it is given up.
fn given_away(simulation: &Simulation) {
    let system = simulation.system();
    let [first, second, third] = [(); 3].map(|()| Host::spawn(system));
    first.lodges(second.clone()).send();
    second.lodges(first.clone()).send();
    drop(second);
    if simulation.seed().is_multiple_of(2) {
        // They rest, and are seen.
        simulation.run();
    }
    first.sends_on(third.clone()).send();
    if !simulation.seed().is_multiple_of(3) {
        // Nobody has reason to look at the third one when the first is given up.
        simulation.run();
    }
    drop(first);
    simulation.run();
    // The third holds the second, and that the first.
    assert_eq!(system.inspect().actors.len(), 3);
    drop(third);
    simulation.run();
    assert_eq!(system.inspect().actors.len(), 0);
}

#[test]
fn seeded_who_was_given_away_is_not_seen_there() {
    let name = "seeded_who_was_given_away_is_not_seen_there";
    let seeds = Seeds(if cfg!(miri) { 2 } else { 100 });
    check(name, seeds, &Faults::none(), given_away);
}

#[test]
fn a_sighting_that_is_out_of_date_is_caught() {
    must_catch(Planted::StaleSighting, || given_away(&Simulation::new(2)));
}
