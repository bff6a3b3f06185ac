//! The first turn of an actor, which makes its state, at once or by a promise.

use super::actor::Actor;
use super::inline_state::InlineActor;
use super::promise::Promise;
use super::turn::Turn;
use crate::actor::{
    Envelope, KindTable, MessageKind, Next, Processed, Refusal, StateRef, WaitPurpose, Worker,
    drop_foreign,
};
use crate::interned::Place;
use crate::message::MessageRole;
use std::fmt;
use std::marker::PhantomData;

/// The first turn of an incarnation.
pub struct FirstTurn<'f, 'h, A> {
    state: &'f mut StateRef<'h>,
    worker: &'f Worker,
    actor: PhantomData<fn(A)>,
}

impl<'f, 'h, A: Actor> FirstTurn<'f, 'h, A> {
    pub(crate) fn new(state: &'f mut StateRef<'h>, worker: &'f Worker) -> FirstTurn<'f, 'h, A> {
        FirstTurn {
            state,
            worker,
            actor: PhantomData,
        }
    }

    /// Makes the state.
    pub(crate) fn begin(self, start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc>) {
        self.state.begin::<A>(self.worker, start);
    }

    /// The value of the promise becomes the state.
    pub(crate) fn begin_when(self, start: impl FnOnce(&Turn<'_, A>) -> Promise<A>, place: Place)
    where
        A: InlineActor,
    {
        let turn = Turn::new(self.worker, ());
        start(&turn).wait_for_state(&turn.owner(), place);
    }
}

impl<A> fmt::Debug for FirstTurn<'_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FirstTurn({})", self.worker.path())
    }
}

impl<A: Actor> Turn<'_, A> {
    /// The actor has started when `ready` has settled. Written by `#[start]`.
    #[doc(hidden)]
    #[track_caller]
    pub fn __starts_when(&self, ready: Promise<()>) {
        ready.wait_for(&self.owner(), WaitPurpose::Start, Place::caller());
    }

    /// The actor ends when `done` has settled. Written by `#[stop]`.
    #[doc(hidden)]
    #[track_caller]
    pub fn __ends_when(&self, done: Promise<()>) {
        done.wait_for(&self.owner(), WaitPurpose::Stop, Place::caller());
    }
}

/// Returns the first message of an actor of type `A` with a state that a promise brings.
pub(super) fn start_when_envelope<A, F>(start: F, place: Place) -> Envelope
where
    A: InlineActor,
    F: FnOnce(&Turn<'_, A>) -> Promise<A> + Send + 'static,
{
    Envelope::new::<StartWhen<A, F>>((start, place), place)
}

struct StartWhen<A, F>(PhantomData<(A, F)>);

impl<A, F> MessageKind for StartWhen<A, F>
where
    A: InlineActor,
    F: FnOnce(&Turn<'_, A>) -> Promise<A> + Send + 'static,
{
    type Content = (F, Place);
    const KIND: KindTable = KindTable::new::<Self>("start", MessageRole::Start);

    fn run((start, place): Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        FirstTurn::<A>::new(state, worker).begin_when(start, place);
        Processed::Done
    }

    fn refuse((start, _): Self::Content, _: &Refusal, _: Place) -> Next {
        drop_foreign("the drop of a refused start", start);
        Next::Nothing
    }
}
