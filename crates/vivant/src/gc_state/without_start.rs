//! An error for `Cache::spawn` of an actor with a graph that has no `#[start]` function.

use super::GcState;
use crate::api::{Actor, Address, Spawner};
use std::convert::Infallible;

/// Makes `Cache::spawn` a name that the compiler finds, so that it can say what is missing. The
/// function that `#[start]` writes takes precedence.
pub trait WithoutStart: Actor {
    /// Cannot be called: no actor is `Started`.
    fn spawn(_: &impl Spawner) -> Address<Self>
    where
        Self: Started,
    {
        match <Self as Started>::NEVER {}
    }
}

impl<A: Actor<Storage = GcState>> WithoutStart for A {}

/// An actor with a `#[start]` function. No type implements it.
#[diagnostic::on_unimplemented(
    message = "the actor `{Self}` has no `#[start]` function",
    label = "no function makes its state",
    note = "the state is a graph, which is made in the actor's own heap, in its first turn: write `#[start] fn new() -> Self {{ … }}` in an \
            impl block with `#[behaviours]`. Its arguments are those of `{Self}::spawn`"
)]
pub trait Started {
    /// No value.
    const NEVER: Infallible;
}
