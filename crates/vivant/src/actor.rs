//! What an actor is: a Rust value with a name.

use crate::address::Target;
use crate::stop::StopReason;
use crate::turn::Turn;

/// A type whose values can be actors. Derive it: `#[derive(Actor)]`.
///
/// The value is the actor's state. Only its own turns touch it, one at a time (T1).
///
/// By hand it is four lines; the handle is described at [`Target`].
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Handle, Link};
///
/// struct Counter { count: u64 }
///
/// impl Actor for Counter { const NAME: &'static str = "docs::Counter"; }
/// impl vivant::Target for Counter { type Handle = CounterHandle; type Table = (); }
///
/// struct CounterHandle(Link<Counter>);
/// impl Handle for CounterHandle {
///     type Target = Counter;
///     fn from_link(link: Link<Counter>) -> Self { CounterHandle(link) }
///     fn link(&self) -> &Link<Counter> { &self.0 }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an actor",
    label = "not an actor",
    note = "an actor's type says `#[derive(Actor)]`"
)]
pub trait Actor: Sized + Send + 'static + Target<Table = ()> {
    /// The type's stable name: part of every path, error and report.
    const NAME: &'static str;

    /// Which threads run this actor's turns.
    const POOL: Pool = Pool::Workers;

    /// Whether [`stopping`](Actor::stopping) calls the method marked `#[stop]`; the macros check each other by it.
    #[doc(hidden)]
    const HAS_STOP_HOOK: bool = false;

    /// Runs once, in a turn of its own, before the state is dropped; with `#[behaviours]`, the method marked `#[stop]`.
    ///
    /// Waiting messages are refused after it. A panic in it is reported and otherwise ignored.
    fn stopping(&mut self, turn: &Turn<'_, Self>, reason: &StopReason) {
        let _ = (turn, reason);
    }
}

/// Which threads run an actor's turns (T6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// The system's workers: for turns of microseconds.
    Workers,
    /// A pool of their own that grows with demand: for actors that are declared to block, `#[actor(blocking)]`.
    Blocking,
}
