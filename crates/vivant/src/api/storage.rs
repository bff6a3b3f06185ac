//! Storage of an actor's state between its turns: Rust values inline in the actor's cell
//! ([`InlineState`](crate::InlineState)), or a graph in a heap of its own
//! ([`GcState`](crate::GcState)).
//!
//! The type decides the storage: `#[derive(Actor)]` gives a heap to a state with a lifetime, and to
//! no other. A plain actor pays nothing for the collector.

use super::actor::Actor;
use super::turn::Turn;
use crate::actor::{
    EachWatch, HostCell, LoadedState, OutgoingReferences, StateSource, TraceCoverage, Worker,
};
use crate::saving::HeapSaver;
use crate::statistics::HeapCounts;
use std::fmt;
use vivant_codec::{Decoder, Encoder, LoadError, Shape};
use vivant_heap::{Pacing, Sharer};

/// State storage of an actor `A`: [`InlineState`](crate::InlineState) or
/// [`GcState`](crate::GcState).
pub trait StateStorage<A: Actor>: StoreState<A> {}

impl<A: Actor, S: StoreState<A>> StateStorage<A> for S {}

/// The storage's interface to the cell. Not named outside the crate: both implementations are here.
pub trait StoreState<A: Actor>: Sized + 'static {
    /// What is stored in the cell.
    type Stored: Send + 'static;
    /// The storage's part of a [`Turn`].
    type Part<'gc>;
    /// Statistics that the run guard publishes beside it in the cell.
    type Published: Default + Send + Sync + 'static;

    /// The first turn: makes the state.
    fn begin(
        host: Host<'_>,
        facts: &Self::Published,
        start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc>,
    ) -> Self::Stored;

    /// One turn. At its end a collected state does its work between turns.
    fn turn<T>(
        kept: &mut Self::Stored,
        host: Host<'_>,
        facts: &Self::Published,
        body: impl for<'gc> FnOnce(&mut A::State<'gc>, &Turn<'gc, A>) -> T,
    ) -> T;

    /// Gives a guard read access to the state.
    fn look<T>(kept: &mut Self::Stored, body: impl for<'gc> FnOnce(&A::State<'gc>) -> T) -> T;

    /// The pacing of the heap, if the state is in one.
    const HEAP_PACING: Option<fn(&HostCell) -> Pacing>;

    /// Whether any object reachable from the state can trace addresses.
    const MAY_SHOW: bool;

    /// Traces the addresses below the state, in objects of its heap (O10).
    fn outgoing_references(kept: &Self::Stored, seen: &mut OutgoingReferences<'_>)
    -> TraceCoverage;

    /// Encodes a state. Of its heap, if it has one, an image begins, for the encoder's context for
    /// that.
    fn save(kept: &mut Self::Stored, codec: StateCodec<A>, out: &mut Encoder<'_>);

    /// Passes the death watches of the heap to `each`, with what they send: for the image that has
    /// just begun.
    fn watches(kept: &mut Self::Stored, each: EachWatch<'_>);

    /// Begins an image of the objects of the heap, if there is one, without the state.
    fn begin_image(kept: &mut Self::Stored, saver: &HeapSaver);

    /// Writes a piece of the image of the heap, if one is being written.
    fn write_image(kept: &mut Self::Stored);

    /// Loads the state of an actor, for its cell.
    ///
    /// # Errors
    ///
    /// The bytes are no such state.
    fn load(cell: HostCell, source: StateSource<'_>) -> Result<LoadedState, LoadError>;

    /// The actor ends, or restarts: drops the state.
    fn end(kept: Self::Stored, host: Host<'_>);

    /// The heap's interface for sharing, if there is a heap.
    fn sharer(kept: &mut Self::Stored) -> Option<&mut dyn Sharer>;

    /// The published statistics of the heap, if there is one.
    fn heap_counts(facts: &Self::Published) -> Option<&HeapCounts>;
}

/// The worker that runs the actor.
#[derive(Clone, Copy)]
pub struct Host<'w>(pub(crate) &'w Worker);

impl fmt::Debug for Host<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Host").finish()
    }
}

/// What is stored in the cell of an actor.
pub(crate) type Stored<A> = <<A as Actor>::Storage as StoreState<A>>::Stored;

/// The statistics published beside it.
pub(crate) type FactsOf<A> = <<A as Actor>::Storage as StoreState<A>>::Published;

/// How the state of a saved actor is written and read. `#[actor(saved)]` gives one to the actor.
pub struct StateCodec<A: Actor> {
    pub(crate) shape: &'static Shape,
    pub(crate) save: for<'gc> fn(&A::State<'gc>, &mut Encoder<'_>),
    pub(crate) load: for<'gc> fn(&mut Decoder<'gc, '_>) -> Result<A::State<'gc>, LoadError>,
}

impl<A: Actor> Clone for StateCodec<A> {
    fn clone(&self) -> StateCodec<A> {
        *self
    }
}

impl<A: Actor> Copy for StateCodec<A> {}

impl<A: Actor> fmt::Debug for StateCodec<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateCodec({})", self.shape.name())
    }
}
