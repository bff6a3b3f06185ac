//! An edge snapshot is valid until the actor's next turn: an address that was sent elsewhere
//! meanwhile counts as outside.

use crate::injected_fault::{InjectedFault, must_catch};
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

    fn host(&mut self, t: &Turn<'gc, Host>, guest: Address<Host>) {
        self.guests.push(t, guest);
    }

    /// Sends the last guest to `to`. No address is copied for that.
    fn pass_on(&mut self, t: &Turn<'gc, Host>, to: Address<Host>) {
        if let Some(guest) = self.guests.pop(t) {
            t.send(to.host(guest));
        }
    }
}

/// Two refer to each other, through objects of their heaps. The first sends the address of the
/// second to a third one, which a thread holds; then the first is released.
fn moved_address(simulation: &Simulation) {
    let system = simulation.system();
    let [first, second, third] = [(); 3].map(|()| Host::spawn(system));
    first.host(second.clone()).send();
    second.host(first.clone()).send();
    drop(second);
    if simulation.seed().is_multiple_of(2) {
        // They become idle, and are traced.
        simulation.run();
    }
    first.pass_on(third.clone()).send();
    if !simulation.seed().is_multiple_of(3) {
        // The third is not examined when the first is released.
        simulation.run();
    }
    drop(first);
    simulation.run();
    // The third refers to the second, and the second to the first.
    assert_eq!(system.inspect().actors.len(), 3);
    drop(third);
    simulation.run();
    assert_eq!(system.inspect().actors.len(), 0);
}

#[test]
fn seeded_an_address_moved_since_the_snapshot_counts_as_outside() {
    let name = "seeded_an_address_moved_since_the_snapshot_counts_as_outside";
    let seeds = Seeds(if cfg!(miri) { 2 } else { 100 });
    check(name, seeds, &Faults::none(), moved_address);
}

#[test]
fn a_stale_edge_snapshot_is_caught() {
    must_catch(InjectedFault::StaleEdgeSnapshot, || {
        moved_address(&Simulation::new(2))
    });
}
