//! What a program names: actors and their behaviours, addresses, calls, turns and promises.

mod actor;
mod address;
#[cfg(all(test, feature = "macros"))]
mod alarm_tests;
mod answer;
mod arguments;
#[allow(
    unsafe_code,
    reason = "a future keeps alive what the table of open requests reads"
)]
mod ask_future;
mod behaviour;
mod birth;
mod blocks;
mod call;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README of `actor` and docs/ARCHITECTURE.md"
)]
mod cell;
#[allow(
    unsafe_code,
    reason = "the actor cell: see the README of `actor` and docs/ARCHITECTURE.md"
)]
mod class;
mod clock;
mod dead_letter_subscription;
mod effects;
mod ended_actor;
mod first_turn;
mod inline_state;
mod interface;
mod interval;
mod into_then;
mod join;
mod link;
mod loaded_actors;
mod named_target;
mod offer;
mod offered_ask;
mod own_message;
mod pattern;
pub(crate) mod promise;
mod references;
mod requests;
mod saved_address;
#[cfg(all(test, feature = "macros"))]
mod saved_errors_tests;
mod saved_kind;
mod saved_kinds;
mod saved_message;
mod saved_subscription;
mod saved_synchronizer;
#[cfg(all(test, feature = "macros"))]
mod saved_tests;
mod saved_timer;
mod send_error;
mod spawner;
mod start;
mod step;
mod stepped;
mod storage;
#[cfg(test)]
mod supplied_places_tests;
#[allow(unsafe_code, reason = "a turn reaches its worker by a pointer")]
mod turn;

pub use actor::Actor;
pub use address::{Address, WeakAddress};
pub use answer::Answer;
pub use arguments::{Argument, NotDebug, fmt_named};
pub(crate) use ask_future::block_on;
pub use ask_future::{AskFuture, Cancelled};
pub use behaviour::{Behaviour, Continuation, Message};
pub(crate) use birth::{birth, birth_of_child, birth_of_stop_hook, register};
pub use blocks::{
    BlockOf, MaybeBlock, MaybeHole, MaybeResult, MaybeResultHole, NoBlock, NoHole, NoResult,
    block_id, interface_id, is_listed,
};
pub(crate) use call::outcome;
pub use call::{Call, Then};
#[cfg(all(test, feature = "macros"))]
pub(crate) use class::class_of;
pub use clock::{Clock, Sleep};
pub(crate) use ended_actor::ended_actor;
pub use first_turn::{Begun, FirstTurn};
pub use inline_state::{InlineActor, InlineState};
pub use interface::{Entry, Implements};
pub(crate) use interval::interval;
pub use into_then::IntoThen;
pub use join::{Join, Matched, Waiting};
pub use link::{Handle, Link, Target};
#[cfg(feature = "snapshots")]
pub(crate) use loaded_actors::address_by;
pub(crate) use loaded_actors::{ActorsById, LoadedActors};
pub use offer::Offer;
pub use offered_ask::OfferedAsk;
pub(crate) use own_message::own;
pub(crate) use pattern::args_of;
pub use pattern::{AnyPattern, Pattern, Patterns};
pub(crate) use promise::given_up;
pub(crate) use promise::saved::{
    LoadedJoins, LoadedPromises, OpenPromise, OpenResolver, SavedSlot, SetSink, ShapedBytes,
    Stored, StoredSink, ValueName, ValueOf, ValueType, saved_slots,
};
pub use promise::{Asker, Pipeline, Promise, Resolver};
pub use references::{NoReferences, Probe, TraceReferences};
pub(crate) use requests::is_awaited_watch;
pub(crate) use requests::stop_after_queue;
pub(crate) use saved_address::AnyAddress;
pub use saved_kind::{SavedForm, SavedKind};
pub use saved_kinds::{EqualNames, Listed, SavedActor, SavedActors, SavedKinds, SavedList};
pub(crate) use saved_message::{ArgsOf, Coded, RestOf};
pub(crate) use saved_subscription::{NotSubscribed, StoredSubscription};
pub(crate) use saved_synchronizer::{ListedSynchronizer, NotDeclared, StoredSynchronizer};
pub(crate) use saved_timer::{RestoredSystem, RunningSystem};
pub use send_error::SendError;
pub use spawner::Spawner;
pub(crate) use spawner::SystemRef;
pub use start::{StartCall, StartFunction};
pub use step::Step;
pub use stepped::{KeepLocals, LocalsInMessage, LocalsOf, Stepped};
pub(crate) use storage::{Host, StoreState};
pub use storage::{StateCodec, StateStorage};
pub use turn::Turn;
