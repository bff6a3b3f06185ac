//! Parents of actors.

use super::actor::Actor;
use super::address::Address;
use super::birth::{birth, birth_when, birth_with};
use super::inline_state::InlineActor;
use super::promise::Promise;
use super::turn::Turn;
use crate::actor::Shared;
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
        let place = crate::interned::Place::caller();
        Address::to_actor(birth_with::<A, _>(self.system().0, start, place))
    }

    /// Makes an actor; its state is the value of the promise that `start` returns in the actor's
    /// own first turn. Messages wait until then. If the promise breaks, the actor ends with
    /// [`StopReason::NotStarted`](crate::StopReason::NotStarted).
    #[track_caller]
    fn spawn_when<A: InlineActor>(
        &self,
        start: impl FnOnce(&Turn<'_, A>) -> Promise<A> + Send + 'static,
    ) -> Address<A> {
        let place = crate::interned::Place::caller();
        Address::to_actor(birth_when::<A, _>(self.system().0, start, place))
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
