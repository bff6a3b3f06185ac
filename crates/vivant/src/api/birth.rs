//! Making an actor: its number, its parent, its cell, its first message.

use super::actor::Actor;
use super::cell::new_cell;
use super::class::class_of;
use super::inline_state::InlineActor;
use super::storage::Stored;
use crate::actor::SupervisedBy;
use crate::actor::{
    AddressRef, Birth, ColdFields, Envelope, Header, Observation, Shared, Signals, Source, Table,
    To, Worker, observed, post,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::observe;
use crate::oracle::split_mix;
use crate::phase::Pass;
use crate::sync::{Arc, Ordering};

/// Makes a cell, with or without its state; a child of the actor of the current turn, if there
/// is one of this system.
pub(crate) fn birth<A: Actor>(system: &Arc<Shared>, state: Option<Stored<A>>) -> AddressRef {
    birth_of::<A>(system, state, None, ends_with_system)
}

/// Makes a cell for its supervisor to start.
pub(crate) fn birth_of_child<A: Actor>(system: &Arc<Shared>, child: SupervisedBy) -> AddressRef {
    let cold = Some(ColdFields::of_child(child));
    birth_of::<A>(system, None, cold, ends_with_system)
}

/// Makes a cell of an actor that the shutdown waits for: it lives also while the system closes.
/// `outlives` records its id, before any other thread sees it, and returns whether the shutdown
/// still waits; it is called again when the registry has the actor.
pub(crate) fn birth_of_stop_hook<A: InlineActor>(
    system: &Arc<Shared>,
    state: A,
    outlives: impl Fn(u64) -> bool,
) -> AddressRef {
    birth_of::<A>(system, Some(state), None, |_, id| match outlives(id) {
        true => WhileClosing::Lives,
        false => WhileClosing::Ends,
    })
}

/// What becomes of an actor that is made while the system closes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhileClosing {
    Ends,
    Lives,
}

fn ends_with_system(_: &Shared, _: u64) -> WhileClosing {
    WhileClosing::Ends
}

fn birth_of<A: Actor>(
    system: &Arc<Shared>,
    state: Option<Stored<A>>,
    cold: Option<Box<ColdFields>>,
    while_closing: impl Fn(&Shared, u64) -> WhileClosing,
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
    let id = observed(
        Observation::Birth,
        Source::Table(Table::Actors),
        system.new_id(),
    );
    let seed = split_mix(system.oracle.seed() ^ split_mix(id).1).1;
    let ends = || while_closing(system, id) == WhileClosing::Ends;
    let ends_at_once = ends();
    // Made during shutdown, it ends before its first message: without a state, because it never
    // lived to have a stop hook.
    let state = state.filter(|_| !ends_at_once || !system.is_closing());
    let address = register(system, |pass| {
        let birth = Birth {
            pass,
            system: system.clone(),
            id,
            parent,
            number,
            seed,
            cold,
        };
        new_cell::<A>(class_of::<A>(), birth, state)
    });
    if system.is_closing() && ends() {
        // Registered first, so that shutdown cannot miss it.
        address.cell().signal(Signals::SHUTDOWN);
        if !Worker::has_entered(system) {
            // No thread may ever drive a simulation again.
            let _steps = system.scheduler.run_ready(system);
        }
    }
    address
}

/// Makes a cell, in the pass of the code that runs (L7).
#[inline(always)]
pub(crate) fn register(system: &Arc<Shared>, make: impl FnOnce(Pass) -> AddressRef) -> AddressRef {
    let (pass, sending) = Worker::pass_of_birth_in(system);
    #[cfg(test)]
    let pass = match is_planted(InjectedFault::ChildOfSystem) {
        true => system.passes.now(),
        false => pass,
    };
    let address = make(pass);
    let cell = address.cell();
    system.registry.insert(cell, pass.parity(), |cell, place| {
        cell.place.store(place, Ordering::Relaxed)
    });
    drop(sending);
    observe::spawned(&address.seen(), &system.meters);
    address
}

/// Makes a cell with this first message.
pub(super) fn birth_by<A: Actor>(system: &Arc<Shared>, start: Envelope) -> AddressRef {
    let address = birth::<A>(system, None);
    // Made during shutdown, it may have ended already: then there is nothing to start.
    drop(post(To::Lent(&address), start));
    address
}
