//! Where an actor's state lives between its turns: [`Plain`] Rust values in the actor's cell, or a
//! [`Collected`] graph in a heap of its own.
//!
//! The type decides the space: `#[derive(Actor)]` gives a heap to a state with a lifetime, and to
//! no other. A plain actor pays nothing for the collector.

mod bell;
mod collected;
mod deaths;
mod distribution;
mod facts;
mod last_mark;
mod leaves;
mod marks;
mod orphan_table;
mod orphans;
mod patience;
mod pauses;
mod plain;
mod rest;
mod sighting;
#[cfg(all(test, feature = "macros"))]
mod sighting_tests;
mod tending;
#[cfg(all(test, feature = "macros", not(miri)))]
mod tending_tests;

pub use collected::Collected;
pub(crate) use distribution::Histograms;
pub use distribution::{Distribution, PauseDistributions};
pub(crate) use facts::HeapCounts;
pub use facts::HeapFacts;
pub(crate) use marks::{Helped, Marks};
pub(crate) use orphans::Orphans;
pub use pauses::{ByPauseKind, PauseClock, PauseKind, Pauses};
pub use plain::{Plain, PlainActor};

use crate::actor::Actor;
use crate::scheduler::Worker;
use crate::turn::Turn;
use crate::unreachable::{Acquaintances, Sight};
use std::fmt;
use vivant_heap::Sharer;

/// How the state of an actor `A` is kept: [`Plain`] or [`Collected`].
pub trait Space<A: Actor>: Keep<A> {}

impl<A: Actor, S: Keep<A>> Space<A> for S {}

/// What the cell knows of a space. Named by nobody outside: there are two, and both are here.
pub trait Keep<A: Actor>: Sized + 'static {
    /// What lies in the cell.
    type Kept: Send + 'static;
    /// What a turn has of it.
    type Part<'gc>;
    /// What the holder tells others of it, beside it in the cell.
    type Facts: Default + Send + Sync + 'static;

    /// The first turn: makes the state.
    fn begin(
        host: Host<'_>,
        facts: &Self::Facts,
        start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc>,
    ) -> Self::Kept;

    /// One turn. What a collected state needs between two turns is done at its end.
    fn turn<T>(
        kept: &mut Self::Kept,
        host: Host<'_>,
        facts: &Self::Facts,
        body: impl for<'gc> FnOnce(&mut A::State<'gc>, &Turn<'gc, A>) -> T,
    ) -> T;

    /// A look at the state, by a guard.
    fn look<T>(kept: &mut Self::Kept, body: impl for<'gc> FnOnce(&A::State<'gc>) -> T) -> T;

    /// Whether anything can lie below the state that shows addresses.
    const MAY_SHOW: bool;

    /// Shows the addresses that lie below the state, in objects of its heap (O10).
    fn acquaintances(kept: &Self::Kept, seen: &mut Acquaintances<'_>) -> Sight;

    /// What a behaviour in steps has left here will not be asked for.
    fn forget_locals(kept: &mut Self::Kept);

    /// The actor ends, or begins anew: the state is dropped.
    fn end(kept: Self::Kept, host: Host<'_>);

    /// Its heap, if there is one, as far as what it shares goes.
    fn sharer(kept: &mut Self::Kept) -> Option<&mut dyn Sharer>;

    /// The facts as those of a heap, if there is one.
    fn heap_facts(facts: &Self::Facts) -> Option<&HeapCounts>;
}

/// The worker that holds the actor.
#[derive(Clone, Copy)]
pub struct Host<'w>(pub(crate) &'w Worker);

impl fmt::Debug for Host<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Host").finish()
    }
}

/// What lies in the cell of an actor.
pub(crate) type Kept<A> = <<A as Actor>::Space as Keep<A>>::Kept;

/// What the holder tells others of it.
pub(crate) type FactsOf<A> = <<A as Actor>::Space as Keep<A>>::Facts;
