//! Starts: how an actor makes its state, as a name and arguments.

use super::actor::Actor;
use super::first_turn::{Begun, FirstTurn};
use super::inline_state::InlineActor;
use super::promise::Promise;
use super::turn::Turn;
use crate::actor::{
    Envelope, KindTable, MessageKind, NamedStart, Next, Processed, Refusal, StateRef, Worker,
    drop_foreign,
};
use crate::interned::{Name, Place};
use crate::message::MessageRole;
use crate::saving::{Codec, KeptStart, SaveKind, Saves, shape};
use std::fmt;
use std::marker::PhantomData;
use vivant_codec::{Encoder, Shape};

/// How an actor makes its state: a function of arguments, with a stable name. `#[start]` writes
/// one.
///
/// By hand:
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Begun, FirstTurn, StartFunction};
///
/// #[derive(Actor)] struct Counter { count: u64 }
/// #[behaviours] impl Counter { fn count(&self) -> u64 { self.count } }
///
/// struct From;
///
/// impl StartFunction for From {
///     type Actor = Counter;
///     type Args = (u64,);
///     const NAME: &'static str = "docs::Counter::from";
///     fn begin(first: FirstTurn<'_, '_, Counter>, (count,): (u64,)) -> Begun {
///         first.begin(|_turn| Counter { count })
///     }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let counter = system.spawn_start::<From>((7,));
/// assert_eq!(counter.count().ask_blocking()?, 7);
/// # Ok(()) }
/// ```
pub trait StartFunction: 'static {
    /// The type of the actor.
    type Actor: Actor;
    /// The arguments: a tuple.
    type Args: Send + 'static;
    /// Stable name, such as `bank::Account::open`.
    const NAME: &'static str;

    /// How the arguments are saved: `Some` if the actor is saved in either way.
    const CODEC: Option<Codec<Self::Args>> = None;

    /// Makes the state, in the first turn of an incarnation.
    fn begin(first: FirstTurn<'_, '_, Self::Actor>, args: Self::Args) -> Begun;
}

/// A start function and the arguments for it.
pub struct StartCall<S: StartFunction>(S::Args);

impl<S: StartFunction> fmt::Debug for StartCall<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StartCall({})", S::NAME)
    }
}

impl<S: StartFunction> StartCall<S> {
    pub(crate) fn new(args: S::Args) -> StartCall<S> {
        StartCall(args)
    }

    pub(crate) fn args(&self) -> &S::Args {
        &self.0
    }

    /// The start as data. `None`: its arguments are not saved.
    pub(crate) fn saved(&self) -> Option<&dyn NamedStart> {
        S::CODEC.is_some().then_some(self)
    }

    /// Returns the first message of an actor.
    pub(super) fn envelope(self, place: Place) -> Envelope {
        Envelope::new::<Started<S>>(self.0, place)
    }
}

impl<S: StartFunction> NamedStart for StartCall<S> {
    fn name(&self) -> &str {
        S::NAME
    }

    fn shape(&self) -> &'static Shape {
        const { shape(S::CODEC) }
    }

    fn save_args(&self, out: &mut Encoder<'_>) {
        if let Some(codec) = const { S::CODEC } {
            (codec.save)(&self.0, out);
        }
    }
}

/// The message that starts an actor.
pub(super) struct Started<S>(PhantomData<S>);

impl<S: StartFunction> MessageKind for Started<S> {
    type Content = S::Args;
    const KIND: KindTable = KindTable::new::<Self>("start", MessageRole::Start).saved_as(S::NAME);
    const CODEC: Option<Codec<S::Args>> = S::CODEC;

    fn run(args: S::Args, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        if const {
            matches!(
                <<S::Actor as Actor>::SaveKind as SaveKind>::SAVES,
                Saves::Start
            )
        } && let Some(kept) = state.kept_start::<S::Actor>()
        {
            keep::<S>(kept, &args);
        }
        let Begun = S::begin(FirstTurn::new(state, worker), args);
        Processed::Done
    }

    fn refuse(args: S::Args, _: &Refusal, _: Place) -> Next {
        drop_foreign("the drop of a refused start", args);
        Next::Nothing
    }
}

/// Keeps the start of an actor that will start again. A start by a closure has no codec.
#[cold]
fn keep<S: StartFunction>(kept: &KeptStart, args: &S::Args) {
    if let Some(codec) = const { S::CODEC } {
        let mut out = Encoder::new();
        (codec.save)(args, &mut out);
        kept.set(Name::new(S::NAME), out.finish());
    }
}

/// The state is here, as the value of a promise.
pub(super) struct ByState<A>(PhantomData<fn(A)>);

impl<A: InlineActor> StartFunction for ByState<A> {
    type Actor = A;
    type Args = (A,);
    const NAME: &'static str = "a state";

    fn begin(first: FirstTurn<'_, '_, A>, (state,): (A,)) -> Begun {
        first.begin(|_| state)
    }
}

/// A closure that makes the state: for actors that are not saved.
pub(super) struct ByClosure<A, F>(PhantomData<(fn(A), F)>);

impl<A, F> StartFunction for ByClosure<A, F>
where
    A: Actor,
    F: for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc> + Send + 'static,
{
    type Actor = A;
    type Args = (F,);
    const NAME: &'static str = "a closure";

    fn begin(first: FirstTurn<'_, '_, A>, (start,): (F,)) -> Begun {
        first.begin(start)
    }
}

/// A closure that returns a promise of the state, and the place where the actor waits for it.
pub(super) struct ByClosureWhen<A, F>(PhantomData<(fn(A), F)>);

impl<A, F> StartFunction for ByClosureWhen<A, F>
where
    A: InlineActor,
    F: FnOnce(&Turn<'_, A>) -> Promise<A> + Send + 'static,
{
    type Actor = A;
    type Args = (F, Place);
    const NAME: &'static str = "a closure";

    fn begin(first: FirstTurn<'_, '_, A>, (start, place): Self::Args) -> Begun {
        first.begin_when_at(start, place)
    }
}
