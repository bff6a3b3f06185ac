//! Making an actor: its number, its parent, its cell, its first message.

use super::actor::Actor;
use super::cell;
use super::class::start_envelope;
use super::storage::Stored;
use super::turn::Turn;
use crate::actor::SupervisedBy;
use crate::actor::{AddressRef, Birth, ColdFields, Header, Shared, Signals, To, Worker, post};
use crate::observe;
use crate::oracle::split_mix;
use crate::sync::{Arc, Ordering};
use std::panic::Location;

/// Makes a cell, with or without its state; a child of the actor of the current turn, if there
/// is one of this system.
pub(crate) fn birth<A: Actor>(system: &Arc<Shared>, state: Option<Stored<A>>) -> AddressRef {
    birth_of::<A>(system, state, None)
}

/// Makes a cell for its supervisor to start.
pub(crate) fn birth_of_child<A: Actor>(system: &Arc<Shared>, child: SupervisedBy) -> AddressRef {
    birth_of::<A>(system, None, Some(ColdFields::of_child(child)))
}

fn birth_of<A: Actor>(
    system: &Arc<Shared>,
    state: Option<Stored<A>>,
    cold: Option<Box<ColdFields>>,
) -> AddressRef {
    let within = |worker: &Worker| {
        worker
            .inside_turn()
            .then(|| worker.with_me(Header::next_child))
    };
    let (parent, number) = match Worker::of(system, within).flatten() {
        Some((parent, number)) => (Some(parent), number),
        None => (None, system.next_root.fetch_add(1, Ordering::Relaxed)),
    };
    let id = system.next_id.fetch_add(1, Ordering::Relaxed);
    let seed = split_mix(system.oracle.seed() ^ split_mix(id).1).1;
    // Made during shutdown, it ends before its first message: without a state, because it never
    // lived to have a stop hook.
    let state = state.filter(|_| !system.is_closing());
    let address = cell::birth::<A>(
        Birth {
            system: system.clone(),
            id,
            parent,
            number,
            seed,
            cold,
        },
        state,
    );
    system.registry.insert(address.cell());
    observe::spawned(&address.seen(), &system.meters);
    if system.is_closing() {
        // Registered first, so that shutdown cannot miss it.
        address.cell().signal(Signals::SHUTDOWN);
        if Worker::of(system, |_| ()).is_none() {
            // No thread may ever drive a simulation again.
            let _steps = system.scheduler.run_ready(system);
        }
    }
    address
}

/// Makes a cell with a first message that makes its state.
pub(crate) fn birth_with<A, F>(
    system: &Arc<Shared>,
    start: F,
    place: &'static Location<'static>,
) -> AddressRef
where
    A: Actor,
    F: for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc> + Send + 'static,
{
    let address = birth::<A>(system, None);
    // Made during shutdown, it may have ended already: then there is nothing to start.
    drop(post(
        To::Lent(&address),
        start_envelope::<A, F>(start, place),
    ));
    address
}
