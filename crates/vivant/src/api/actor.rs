//! What an actor is: a Rust value with a name.

use super::link::Target;
use super::storage::{StateCodec, StateStorage};
use super::turn::Turn;
use crate::actor::OutgoingReferences;
use crate::actor::{Mailbox, Pool};
use crate::failures::StopReason;
use crate::saving::SaveKind;
use vivant_heap::Pacing;

/// A type that can be an actor. Derive it: `#[derive(Actor)]`.
///
/// The value is the actor's state. Only its own turns access it, one at a time.
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
///     type SaveKind = vivant::NotSaved;
/// }
/// impl vivant::Target for Counter {
///     type Handle = CounterHandle;
///     type Table = ();
///     const NAME: &'static str = "docs::Counter";
/// }
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

    /// What a snapshot contains of it: [`NotSaved`](crate::NotSaved), or what
    /// `#[actor(saved)]` writes.
    type SaveKind: SaveKind;

    /// How its state is saved, if the kind is [`SavedState`](crate::SavedState).
    const STATE_CODEC: Option<StateCodec<Self>> = None;

    /// The blocks of behaviours and the interfaces that a saved actor lists, by their numbers.
    #[doc(hidden)]
    const BLOCKS: &'static [u64] = &[];

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
