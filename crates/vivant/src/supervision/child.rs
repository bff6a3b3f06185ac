//! The description of a child for its supervisor: how its state is made, any number of times, and
//! the terms.

use crate::actor::{Begin, NamedStart, Terms};
use crate::actor::{Messages, OnPanic, Restart};
use crate::actor::{StateRef, Worker};
use crate::api::{Actor, Begun, FirstTurn, InlineActor, StartCall, StartFunction, Turn};
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// Makes an actor's state, any number of times.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot make the state of a `{A}` again and again",
    label = "not to be had twice",
    note = "the arguments of a supervised actor's `#[start]` function are kept, so they are `Clone + Send`; or use \
            `Child::new(|t| …)`"
)]
pub trait Start<A: Actor>: Send + 'static {
    /// Runs in the first turn of each incarnation.
    #[doc(hidden)]
    fn begin(&self, first: FirstTurn<'_, '_, A>) -> Begun;

    /// The start as data. `None`: a closure, or arguments that are not saved.
    #[doc(hidden)]
    fn saved(&self) -> Option<&dyn NamedStart> {
        None
    }
}

impl<S> Start<S::Actor> for StartCall<S>
where
    S: StartFunction<Args: Clone>,
{
    fn begin(&self, first: FirstTurn<'_, '_, S::Actor>) -> Begun {
        S::begin(first, self.args().clone())
    }

    fn saved(&self) -> Option<&dyn NamedStart> {
        StartCall::saved(self)
    }
}

/// A closure that makes a state.
pub struct Again<F>(F);

impl<F> fmt::Debug for Again<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Again")
    }
}

impl<A, F> Start<A> for Again<F>
where
    A: InlineActor,
    F: Fn(&Turn<'_, A>) -> A + Send + 'static,
{
    fn begin(&self, first: FirstTurn<'_, '_, A>) -> Begun {
        first.begin(|turn| (self.0)(turn))
    }
}

/// The description of an actor that a supervisor starts and restarts: how the state is made, and
/// the terms.
///
/// `#[start] fn new(capacity: usize) -> Self` of an actor `Cache` makes `Cache::child(1000)`.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Child, Messages, OnPanic, Restart, Supervisor};
///
/// #[derive(Actor)] struct Counter { count: u64 }
/// #[behaviours] impl Counter {
///     fn add(&mut self, n: u64) -> u64 { assert!(n < 10, "too much"); self.count += n; self.count }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// # std::panic::set_hook(Box::new(|_| ()));
/// let system = System::new();
/// let tree = Supervisor::one_for_one().spawn(&system);
/// let counter = tree.add(Child::new(|_| Counter { count: 0 }).restart(Restart::OnFailure));
/// assert_eq!(counter.add(2).ask_blocking()?, 2);
/// assert!(counter.add(10).ask_blocking().is_err());
/// assert_eq!(counter.add(3).ask_blocking()?, 3);          // the same address, a new state
/// # Ok(()) }
/// ```
#[must_use = "a child is started by a supervisor: `supervisor.add(child)`"]
pub struct Child<A: Actor, S> {
    pub(super) start: S,
    pub(super) terms: Terms,
    pub(super) lifecycle: LifecycleSpec,
    actor: PhantomData<fn() -> A>,
}

/// The time limits of a child's start and end, and how it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct LifecycleSpec {
    pub(super) starts_within: Duration,
    pub(super) ends_within: Duration,
    pub(super) ending: EndMode,
}

/// How a child is ended in an orderly shutdown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EndMode {
    /// Before its next message.
    Now,
    /// After the messages in its mailbox.
    AfterQueue,
}

impl<S: StartFunction> Child<S::Actor, StartCall<S>> {
    /// Describes a child that `S` starts with `args`. `#[start]` calls this.
    pub fn start(args: S::Args) -> Self {
        Child::of(StartCall::new(args))
    }
}

impl<A, F> Child<A, Again<F>>
where
    A: InlineActor,
    F: Fn(&Turn<'_, A>) -> A + Send + 'static,
{
    /// Describes a child with a state that `start` makes, in a turn of the actor.
    pub fn new(start: F) -> Self {
        Child::of(Again(start))
    }
}

impl<A: Actor, S> Child<A, S> {
    pub(super) fn of(start: S) -> Child<A, S> {
        Child {
            start,
            terms: Terms {
                restart: Restart::default(),
                on_panic: OnPanic::default(),
                messages: Messages::default(),
            },
            lifecycle: LifecycleSpec {
                starts_within: Duration::from_secs(5),
                ends_within: Duration::from_secs(5),
                ending: EndMode::Now,
            },
            actor: PhantomData,
        }
    }

    /// When it is restarted; [`Restart::Always`] by default.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.terms.restart = restart;
        self
    }

    /// The effect of a panic; [`OnPanic::Restart`] by default.
    pub fn on_panic(mut self, on_panic: OnPanic) -> Self {
        self.terms.on_panic = on_panic;
        self
    }

    /// What happens to waiting messages at a restart; [`Messages::Kept`] by default.
    pub fn messages(mut self, messages: Messages) -> Self {
        self.terms.messages = messages;
        self
    }

    /// How long its start may take before that counts as a failure; five seconds by default. A
    /// start function that does not return cannot be ended, and the supervisor continues without
    /// it.
    pub fn starts_within(mut self, limit: Duration) -> Self {
        self.lifecycle.starts_within = limit;
        self
    }

    /// How long an orderly shutdown waits for its end, and a restart of its siblings for its halt;
    /// five seconds by default. Then it is reported ([`Report::Overdue`](crate::Report::Overdue)),
    /// and the next child is ended.
    pub fn ends_within(mut self, limit: Duration) -> Self {
        self.lifecycle.ends_within = limit;
        self
    }

    /// In an orderly shutdown it first processes the messages in its mailbox.
    pub fn drains(mut self) -> Self {
        self.lifecycle.ending = EndMode::AfterQueue;
        self
    }
}

impl<A: Actor, S> fmt::Debug for Child<A, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child")
            .field("actor", &A::NAME)
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}

/// The start function with its type erased, for the cell.
pub(super) struct Beginner<A, S>(pub(super) S, pub(super) PhantomData<fn() -> A>);

impl<A: Actor, S: Start<A>> Begin for Beginner<A, S> {
    fn begin(&self, state: &mut StateRef<'_>, worker: &Worker) {
        let Begun = self.0.begin(FirstTurn::new(state, worker));
    }

    fn saved(&self) -> Option<&dyn NamedStart> {
        self.0.saved()
    }
}
