//! Inline state: a state that is a plain Rust value.

use super::actor::Actor;
use super::storage::{Host, StateCodec, StoreState};
use super::turn::Turn;
use crate::actor::{
    EachWatch, HostCell, Loaded, LoadedState, OutgoingReferences, StateRef, StateSource,
    TraceCoverage,
};
use crate::saving::HeapSaver;
use crate::statistics::HeapCounts;
use vivant_codec::{Decoder, Encoder, LoadError, Saved};
use vivant_heap::{Pacing, Sharer};

/// The state is a Rust value in the actor's cell: no heap, no collector, no cost. [`Actor::State`]
/// is the actor's type itself.
#[derive(Debug)]
pub struct InlineState(());

/// An actor type that is its own state: its value is made first and spawned then. Derived for every
/// actor without a lifetime.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an actor that can be spawned as a value",
    label = "its state is made in its first turn, or it is not an actor",
    note = "an actor's type says `#[derive(Actor)]`",
    note = "a state with a lifetime is made in its actor's first turn, by the `#[start]` function: `Cache::spawn(&system)` in place of \
            `system.spawn(CacheState {{ … }})`"
)]
pub trait InlineActor: Actor<Storage = InlineState> + for<'gc> Actor<State<'gc> = Self> {}

impl<A: Actor<Storage = InlineState> + for<'gc> Actor<State<'gc> = A>> InlineActor for A {}

impl<A: Actor<Storage = InlineState> + for<'gc> Actor<State<'gc> = A>> StoreState<A>
    for InlineState
{
    type Stored = A;
    type Part<'gc> = ();
    type Published = ();

    #[inline]
    fn begin(
        Host(worker): Host<'_>,
        (): &(),
        start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A,
    ) -> A {
        start(&Turn::new(worker, ()))
    }

    #[inline(always)]
    fn turn<T>(
        kept: &mut A,
        Host(worker): Host<'_>,
        (): &(),
        body: impl for<'gc> FnOnce(&mut A, &Turn<'gc, A>) -> T,
    ) -> T {
        body(kept, &Turn::new(worker, ()))
    }

    #[inline]
    fn look<T>(kept: &mut A, body: impl for<'gc> FnOnce(&A) -> T) -> T {
        body(kept)
    }

    const HEAP_PACING: Option<fn(&HostCell) -> Pacing> = None;
    const MAY_SHOW: bool = false;

    /// There is no heap below it.
    fn outgoing_references(_: &A, _: &mut OutgoingReferences<'_>) -> TraceCoverage {
        TraceCoverage::All
    }

    fn save(kept: &mut A, codec: StateCodec<A>, out: &mut Encoder<'_>) {
        (codec.save)(kept, out);
    }

    fn watches(_: &mut A, _: EachWatch<'_>) {}

    fn begin_image(_: &mut Self::Stored, _: &HeapSaver) {}

    fn write_image(_: &mut Self::Stored) {}

    fn load(_: HostCell, source: StateSource<'_>) -> Result<LoadedState, LoadError> {
        let Some(codec) = (const { A::STATE_CODEC }) else {
            return Err(Decoder::new(&[]).error("a state that is not saved"));
        };
        let state: A = source.load(|input, (comparison, shape)| {
            input.stored_by(comparison, shape, codec.shape, codec.load)
        })?;
        let put = move |cell: &mut StateRef<'_>| cell.store::<A>(state);
        Ok(LoadedState(Loaded::Inline(Box::new(put))))
    }

    fn end(kept: A, _: Host<'_>) {
        drop(kept);
    }

    fn sharer(_: &mut A) -> Option<&mut dyn Sharer> {
        None
    }

    fn heap_counts((): &()) -> Option<&HeapCounts> {
        None
    }
}

impl<A: InlineActor + for<'gc> Saved<'gc>> StateCodec<A> {
    /// The codec of a plain state: that of its type.
    pub const OF_VALUE: Option<StateCodec<A>> = Some(StateCodec {
        shape: <A as Saved<'static>>::SHAPE,
        save: |state, out| state.save(out),
        load: |input| A::load(input),
    });
}
