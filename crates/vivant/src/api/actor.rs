//! What an actor is: a Rust value with a name.

use super::address::Target;
use super::references::OutgoingReferences;
use super::storage::StateStorage;
use super::turn::Turn;
use crate::actor::StopReason;
use std::fmt;
use vivant_heap::Pacing;

/// A type that can be an actor. Derive it: `#[derive(Actor)]`.
///
/// The value is the actor's state. Only its own turns access it, one at a time (T1).
///
/// By hand it is a few lines; the handle is described at [`Target`].
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Handle, Link};
///
/// struct Counter { count: u64 }
///
/// impl Actor for Counter {
///     type State<'gc> = Counter;
///     type Storage = vivant::InlineState;
///     const NAME: &'static str = "docs::Counter";
/// }
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
    /// The state in a turn of brand `'gc`: for a [`InlineState`](crate::InlineState) actor the type
    /// itself; for an actor with a graph the type with the lifetime, of which this one is only the
    /// name.
    type State<'gc>;

    /// State storage between turns: [`InlineState`](crate::InlineState) or
    /// [`GcState`](crate::GcState).
    type Storage: StateStorage<Self>;

    /// The type's stable name: part of every path, error and report.
    const NAME: &'static str;

    /// Which threads run this actor's turns.
    const POOL: Pool = Pool::Workers;

    /// Whether its mailbox has a bound, and the policy for a message that finds it full.
    const MAILBOX: Mailbox = Mailbox::BackPressure;

    /// When its heap collects; `None` for the setting of the whole system
    /// ([`SystemBuilder::pacing`](crate::SystemBuilder::pacing)).
    const PACING: Option<Pacing> = None;

    /// Whether [`stopping`](Actor::stopping) calls the method marked `#[stop]`; the macros check
    /// each other by it.
    #[doc(hidden)]
    const HAS_STOP_HOOK: bool = false;

    /// Whether [`outgoing_references`](Actor::outgoing_references) may show any. If not, a drop of
    /// an address of this actor costs no more than a count, and the detector never examines it.
    const HAS_OUTGOING_REFERENCES: bool = false;

    /// Shows each address that this state holds, once. The detector of unreachable actors calls it.
    /// The derive shows those of every field of a [`TraceReferences`](crate::TraceReferences) type.
    ///
    /// An address that is not shown keeps its actor alive, like one in a message. An address that
    /// is shown and not held, or held and shown twice, may end an actor that is still reachable.
    fn outgoing_references<'gc>(state: &Self::State<'gc>, seen: &mut OutgoingReferences<'_>) {
        let _ = (state, seen);
    }

    /// Runs once, in a turn of its own, before the state is dropped; with `#[behaviours]`, the
    /// method marked `#[stop]`.
    ///
    /// Waiting messages are refused after it. A panic in it is reported and otherwise ignored.
    fn stopping<'gc>(state: &mut Self::State<'gc>, turn: &Turn<'gc, Self>, reason: &StopReason) {
        let _ = (state, turn, reason);
    }
}

/// Which threads run an actor's turns (T6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// The system's workers: for turns of microseconds.
    Workers,
    /// A pool of their own that grows with demand: for actors that are declared to block,
    /// `#[actor(blocking)]`.
    Blocking,
}

/// How many messages an actor's mailbox holds, and the policy for a message that finds it full
/// (T5).
///
/// `#[actor(mailbox = reject(100))]`, `drop_newest(100)` or `drop_oldest(100)` beside the derive;
/// by hand [`Actor::MAILBOX`]. A bound of zero does not compile.
///
/// The bound counts waiting messages, including those that wait for their guard; the message in its
/// turn does not wait. It does not count replies, local continuations,
/// [`Address::stop_after_queue`](crate::Address::stop_after_queue) and the runtime's own messages.
/// A sender to a mailbox with a bound is never muted.
///
/// Every lost message is a dead letter under a [`Cause`](crate::Cause) of its own, and its ask
/// fails with [`AskError::Overloaded`](crate::AskError::Overloaded). An actor with a bounded
/// mailbox costs a lock and a small block of memory more for each message.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Cause, Mailbox};
///
/// #[derive(Actor)]
/// #[actor(mailbox = drop_oldest(2))]
/// struct Gauge { value: u64 }
///
/// #[behaviours]
/// impl Gauge {
///     fn set(&mut self, value: u64) { self.value = value; }
///     fn get(&mut self) -> u64 { self.value }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// assert_eq!(<Gauge as vivant::Actor>::MAILBOX, Mailbox::DropOldest(2));
/// let simulation = vivant::simulation::Simulation::new(1);
/// let gauge = simulation.system().spawn(Gauge { value: 0 });
/// for value in 1..=9 {
///     gauge.set(value).send();                // no turn runs meanwhile: 8 and 9 stay
/// }
/// simulation.run();
/// assert_eq!(gauge.get().ask_blocking()?, 9);
/// let lost = simulation.system().dead_letters().counts();
/// assert_eq!((lost[0].cause, lost[0].count), (Cause::DroppedOldest, 7));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mailbox {
    /// No bound. Back-pressure instead: an actor that sends to an overloaded actor is muted. It
    /// takes no further messages until the receiver has recovered.
    BackPressure,
    /// The message is refused: [`Call::try_send`](crate::Call::try_send) gives it back, and
    /// [`Call::offer`](crate::Call::offer) waits. Any other way of sending it makes a dead letter
    /// ([`Cause::Rejected`](crate::Cause::Rejected)).
    Reject(usize),
    /// The message is lost ([`Cause::DroppedNewest`](crate::Cause::DroppedNewest)).
    DropNewest(usize),
    /// The message goes in, and the message that has waited longest is lost
    /// ([`Cause::DroppedOldest`](crate::Cause::DroppedOldest)).
    DropOldest(usize),
}

impl Mailbox {
    /// The limit of waiting messages; `usize::MAX` without a bound.
    pub const fn bound(self) -> usize {
        match self {
            Mailbox::BackPressure => usize::MAX,
            Mailbox::Reject(bound) | Mailbox::DropNewest(bound) | Mailbox::DropOldest(bound) => {
                bound
            }
        }
    }

    pub(crate) const fn is_bounded(self) -> bool {
        !matches!(self, Mailbox::BackPressure)
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mailbox::BackPressure => f.write_str("back-pressure"),
            Mailbox::Reject(bound) => write!(f, "reject({bound})"),
            Mailbox::DropNewest(bound) => write!(f, "drop_newest({bound})"),
            Mailbox::DropOldest(bound) => write!(f, "drop_oldest({bound})"),
        }
    }
}
