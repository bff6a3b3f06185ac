//! The first turn of an actor, which makes its state, at once or by a promise.

use super::actor::Actor;
use super::inline_state::InlineActor;
use super::promise::Promise;
use super::turn::Turn;
use crate::actor::{StateRef, WaitPurpose, Worker};
use crate::interned::Place;
use std::fmt;
use std::marker::PhantomData;

/// The first turn of an incarnation, which makes its state; see
/// [`StartFunction`](crate::StartFunction).
pub struct FirstTurn<'f, 'h, A> {
    state: &'f mut StateRef<'h>,
    worker: &'f Worker,
    actor: PhantomData<fn(A)>,
}

/// An incarnation has a state, or the promise of one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Begun;

impl<'f, 'h, A: Actor> FirstTurn<'f, 'h, A> {
    pub(crate) fn new(state: &'f mut StateRef<'h>, worker: &'f Worker) -> FirstTurn<'f, 'h, A> {
        FirstTurn {
            state,
            worker,
            actor: PhantomData,
        }
    }

    /// Makes the state.
    pub fn begin(self, start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc>) -> Begun {
        self.state.begin::<A>(self.worker, start);
        Begun
    }

    /// The value of the promise becomes the state. Messages wait until then. If the promise breaks,
    /// the actor ends with [`StopReason::NotStarted`](crate::StopReason::NotStarted).
    #[track_caller]
    pub fn begin_when(self, start: impl FnOnce(&Turn<'_, A>) -> Promise<A>) -> Begun
    where
        A: InlineActor,
    {
        self.begin_when_at(start, Place::caller())
    }

    /// As `begin_when`: the actor waits at this place.
    pub(super) fn begin_when_at(
        self,
        start: impl FnOnce(&Turn<'_, A>) -> Promise<A>,
        place: Place,
    ) -> Begun
    where
        A: InlineActor,
    {
        let turn = Turn::new(self.worker, ());
        start(&turn).wait_for_state(&turn.owner(), place);
        Begun
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
