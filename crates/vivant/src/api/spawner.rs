//! Parents of actors.

use super::actor::Actor;
use super::address::Address;
use super::birth::{birth, birth_by};
use super::inline_state::InlineActor;
use super::promise::Promise;
use super::start::{ByClosure, ByClosureWhen, StartCall, StartFunction};
use super::turn::Turn;
use crate::actor::Shared;
use crate::interned::Place;
use crate::sync::Arc;
use std::fmt;

/// Parents of actors: a [`System`](crate::System), or the [`Turn`] of the actor that becomes their
/// parent. The `spawn` functions that `#[start]` generates take either.
pub trait Spawner {
    #[doc(hidden)]
    fn system(&self) -> SystemRef<'_>;

    /// Makes an actor of `state`.
    fn spawn_state<A: InlineActor>(&self, state: A) -> Address<A> {
        Address::to_actor(birth::<A>(self.system().0, Some(state)))
    }

    /// Makes an actor; `start` makes its state in the actor's own first turn.
    #[track_caller]
    fn spawn_with<A: Actor>(
        &self,
        start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc> + Send + 'static,
    ) -> Address<A> {
        self.spawn_start::<ByClosure<A, _>>((start,))
    }

    /// Makes an actor that `S` starts with `args`, in the actor's own first turn. `#[start]` calls
    /// this.
    #[track_caller]
    fn spawn_start<S: StartFunction>(&self, args: S::Args) -> Address<S::Actor> {
        let start = StartCall::<S>::new(args).envelope(Place::caller());
        Address::to_actor(birth_by::<S::Actor>(self.system().0, start))
    }

    /// Makes an actor; its state is the value of the promise that `start` returns in the actor's
    /// own first turn. Messages wait until then. If the promise breaks, the actor ends with
    /// [`StopReason::NotStarted`](crate::StopReason::NotStarted).
    #[track_caller]
    fn spawn_when<A: InlineActor>(
        &self,
        start: impl FnOnce(&Turn<'_, A>) -> Promise<A> + Send + 'static,
    ) -> Address<A> {
        self.spawn_start::<ByClosureWhen<A, _>>((start, Place::caller()))
    }
}

#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct SystemRef<'s>(pub(crate) &'s Arc<Shared>);

impl fmt::Debug for SystemRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SystemRef({})", self.0.config.name)
    }
}

impl<A: Actor> Spawner for Turn<'_, A> {
    fn system(&self) -> SystemRef<'_> {
        SystemRef(&self.worker().system)
    }
}
