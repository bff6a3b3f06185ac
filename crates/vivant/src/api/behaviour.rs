//! Behaviours: the messages that an actor understands. One zero-sized type for each method, with a
//! stable name.

use super::actor::Actor;
use super::promise::Resolver;
use super::turn::Turn;
use crate::actor::{Guard, JoinTable, Steps, Unawaited};
use crate::saving::Codec;
use std::fmt;

/// A message's shape: its arguments, its reply, and its stable name.
///
/// Behaviours are messages to one actor type; the methods of an interface are messages to every
/// actor type that implements it.
pub trait Message: 'static {
    /// The arguments of the message: a tuple.
    type Args: Send + 'static;
    /// Its reply.
    type Reply: Send + 'static;
    /// Stable name, such as `bank::Account::deposit`: it appears in errors, reports, traces and
    /// saved messages.
    const NAME: &'static str;

    /// Writes the arguments in parentheses, as in `(id: 7, amount: 10)`: for the trace of a
    /// simulation (`VIVANT_TRACE=1`), and for what a [`Probe`](crate::Probe) says in a test. No
    /// message outside of tests calls it.
    ///
    /// # Errors
    ///
    /// Those of the formatter.
    fn fmt_args(args: &Self::Args, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = args;
        f.write_str("(..)")
    }
}

/// A message that an actor type understands; `#[behaviours]` writes one for each method.
///
/// By hand:
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Behaviour, Call, Handle, Link, Message, Resolver};
///
/// #[derive(Actor)]
/// pub struct Counter { count: u64 }
///
/// pub struct Add;                     // by `#[behaviours]`: `counter_messages::Add<Counter>`
///
/// impl Message for Add {
///     type Args = (u64,);
///     type Reply = u64;
///     const NAME: &'static str = "docs::Counter::add";
/// }
/// impl Behaviour for Add {
///     type Actor = Counter;
///     fn run(state: &mut Counter, _: &Turn<'_, Counter>, (n,): (u64,), resolver: Resolver<u64>) {
///         state.count += n;
///         resolver.resolve(state.count);
///     }
/// }
/// impl CounterHandle {
///     pub fn add(&self, n: u64) -> Call<'_, Add> { Call::new(self.link(), (n,)) }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let system = System::new();
/// let counter = system.spawn(Counter { count: 1 });
/// assert_eq!(counter.add(2).ask_blocking()?, 3);
/// # Ok(()) }
/// ```
pub trait Behaviour: Message {
    /// The actor type that processes it.
    type Actor: Actor;

    /// What [`ready`](Behaviour::ready) reads. If it reads the state alone, messages of this
    /// behaviour wait in line and a test of the first is enough, however many there are.
    const GUARD: Guard = Guard::Arguments;

    /// Whether [`run`](Behaviour::run) may request another step.
    const STEPS: Steps = Steps::One;

    /// What becomes of a request if its reply is not awaited any more when its turn would begin. A
    /// message that was sent, not asked, is processed in any case.
    const UNAWAITED: Unawaited = Unawaited::Processed;

    /// The joins that take the message. If there are any, it has no turn of its own: it waits, and
    /// [`ready`](Behaviour::ready) and [`run`](Behaviour::run) are not called.
    const JOINS: &'static [&'static JoinTable] = &[];

    /// How its arguments are saved: `Some` if its actor is.
    const CODEC: Option<Codec<Self::Args>> = None;

    /// How its reply is saved: `Some` if its actor is.
    const REPLY_CODEC: Option<Codec<Self::Reply>> = None;

    /// The guard: a message with a false guard waits, and is tested again after each turn of
    /// its actor. It may read the state and the arguments, nothing else.
    fn ready(state: &<Self::Actor as Actor>::State<'_>, args: &Self::Args) -> bool {
        let _ = (state, args);
        true
    }

    /// The turn. Replies through `resolver`, now or later; dropping it without a reply breaks the
    /// promise.
    fn run<'gc>(
        state: &mut <Self::Actor as Actor>::State<'gc>,
        turn: &Turn<'gc, Self::Actor>,
        args: Self::Args,
        resolver: Resolver<Self::Reply>,
    );
}

/// A behaviour with a hole: its first argument comes from a promise (or a dead letter, or a
/// stream), the rest is given when the continuation is made. An address, a name and arguments:
/// data.
pub trait Continuation: Behaviour {
    /// The type that fills the hole.
    type Hole: Send + 'static;
    /// The other arguments.
    type Rest: Send + 'static;
    /// How the other arguments are saved while a promise holds them: `Some` if the actor is saved.
    const REST_CODEC: Option<Codec<Self::Rest>> = None;
    /// How what fills the hole is saved: `Some` if the actor is saved.
    const HOLE_CODEC: Option<Codec<Self::Hole>> = None;
    /// Puts both together.
    fn fill(hole: Self::Hole, rest: Self::Rest) -> Self::Args;
}
