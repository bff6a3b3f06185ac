#![cfg_attr(docsrs, feature(doc_cfg))]
//! Actors for Rust: turns, promises, a fair scheduler, and the same program as a simulation under a
//! seed.
//!
//! An actor is a Rust value that only its own messages touch, one at a time. A method is a message;
//! an [`Address`] is the only way to reach an actor; a [`Turn`] is the processing of one message. A
//! turn never blocks: a request gives a [`Promise`], which continues in a later turn. A [`System`]
//! runs actors on threads, a [`Simulation`](simulation::Simulation) on one thread under a seed, in
//! virtual time.
//!
//! ```
//! use vivant::prelude::*;
//!
//! #[derive(Actor)]
//! struct Counter { count: u64 }
//!
//! #[behaviours]
//! impl Counter {
//!     /// Adds `n`; returns the sum.
//!     fn add(&mut self, n: u64) -> u64 { self.count += n; self.count }
//! }
//!
//! # fn main() -> Result<(), vivant::AskError> {
//! let system = System::new();
//! let counter = system.spawn(Counter { count: 0 });
//! counter.add(2).send();
//! assert_eq!(counter.add(3).ask_blocking()?, 5);
//! # Ok(()) }
//! ```
//!
//! A state with a lifetime is a graph: its objects lie in a garbage-collected heap that belongs to
//! its actor, refer to each other as they like, and are collected between two turns.
//!
//! ```
//! use vivant::prelude::*;
//!
//! #[derive(Object)]
//! struct Person<'gc> { name: String, friends: Vec<Gc<'gc, Mut<Person<'gc>>>> }
//!
//! #[derive(Actor)]                              // the actor is `Circle`
//! struct CircleState<'gc> { people: gc::HashMap<'gc, String, Gc<'gc, Mut<Person<'gc>>>> }
//!
//! #[behaviours]
//! impl<'gc> CircleState<'gc> {
//!     #[start]
//!     fn new() -> Self { CircleState { people: gc::HashMap::new() } }
//!
//!     fn join(&mut self, t: &Turn<'gc, Circle>, name: String) {
//!         let person = t.alloc(Mut::new(Person { name: name.clone(), friends: Vec::new() }));
//!         self.people.insert(t, name, person);
//!     }
//!
//!     fn befriend(&mut self, t: &Turn<'gc, Circle>, one: String, other: String) {
//!         if let (Some(&one), Some(&other)) = (self.people.get(&one), self.people.get(&other)) {
//!             one.borrow_mut(t).friends.push(other);
//!             other.borrow_mut(t).friends.push(one);       // a cycle
//!         }
//!     }
//!
//!     fn friends(&self, of: String) -> Vec<String> {
//!         let Some(person) = self.people.get(&of) else { return Vec::new() };
//!         person.borrow().friends.iter().map(|friend| friend.borrow().name.clone()).collect()
//!     }
//! }
//!
//! # fn main() -> Result<(), vivant::AskError> {
//! let system = System::new();
//! let circle = Circle::spawn(&system);
//! ["Ada", "Bob"].into_iter().for_each(|name| circle.join(name.into()).send());
//! circle.befriend("Ada".into(), "Bob".into()).send();
//! assert_eq!(circle.friends("Bob".into()).ask_blocking()?, ["Ada"]);
//! # Ok(()) }
//! ```
//!
//! # Where to look
//!
//! | for | see |
//! |---|---|
//! | defining actors and messages | [`Actor`](derive@Actor), [`behaviours`], [`interface`]; by hand: [`trait@Actor`], [`Behaviour`] |
//! | what a behaviour can do | [`Turn`] |
//! | replies | [`Promise`], [`Resolver`], [`Asker`]; outside [`Call::ask`], [`AskFuture`] |
//! | a behaviour in many turns | [`Step`] |
//! | a graph in an actor's own heap | [`Gc`], [`Mut`], [`Weak`], [`Object`](derive@Object); collections: [`gc`] |
//! | immutable data that many actors have | [`Val`]; persistent collections: [`val`]; outside of turns: [`Parcel`], [`Held`] |
//! | a graph that moves from actor to actor, or is frozen | [`Iso`], [`Freeze`](derive@Freeze) |
//! | constraints over the messages of several actors | [`Synchronizer`] |
//! | bounded mailboxes | [`Mailbox`], [`Call::offer`] |
//! | start and end | [`System`], [`Address::stop`], [`StopReason`] |
//! | supervision, restarts | [`Supervisor`], [`Child`] |
//! | far references: an object inside another actor | [`Far`], [`Tag`] |
//! | monitors and links | [`Turn::watch`], [`Turn::link`] |
//! | registered names | [`System::register`], [`System::lookup`] |
//! | publish and subscribe, broadcast | [`Topic`], [`Group`] |
//! | load balancing | [`Router`] |
//! | rate limits | [`RateLimit`] |
//! | streams | [`Turn::attach`] |
//! | timers: once, periodic | [`Turn::after`], [`Turn::every`], [`Turn::timer`] |
//! | tests under seeds | [`macro@test`], [`simulation`] |
//! | what an actor sends, in tests | [`Probe`] |
//! | errors and failures | [`AskError`], [`DeadLetters`], [`Report`]; their [`Name`]s and [`Place`]s |
//! | inspection of a running system | [`System::inspect`] |
//! | snapshots, restore | `System::snapshot` (feature `snapshots`) |
//!
//! The guarantees (order, delivery, failure, fairness), each with its limits, are in
//! `docs/semantics.md` of the repository; help with a program that behaves unexpectedly is in
//! `docs/faq.md`. What the compiler refuses, so that no two actors share a state, is in
//! `docs/encapsulation.md`.
//!
//! # Features
//!
//! - `macros` (default): the derive and attribute macros. All they write can be written by hand.
//! - `tokio`: futures given to [`Turn::spawn`] run in the context of a tokio runtime.
//! - `tracing`: a root span for each turn, linked to the span in which its message was sent; events
//!   for starts, ends and failures.
//! - `snapshots`: `System::snapshot`, and systems that are restored from images in a store.
//! - `metrics`: counters and histograms by types and behaviours, for the recorder that is installed
//!   before the system is built.
//!
//! The contents and the cost of `tracing` and `metrics` are in `docs/observing.md` of the
//! repository.

// Most of its tests need the macros; what they alone use is dead without them.
#![cfg_attr(all(test, not(feature = "macros")), allow(dead_code))]

#[cfg(all(test, feature = "macros"))]
extern crate self as vivant;

// The layers, from the top down: a module imports only modules below it. `docs/ARCHITECTURE.md`
// has the table, which `cargo xtask tidy` compares with the code.

pub mod prelude;

#[doc(hidden)]
pub mod __private;

pub mod simulation;

mod probe;

mod patterns;

mod edge;

mod supervision;

mod system;

mod sched;

#[cfg_attr(
    not(feature = "snapshots"),
    allow(dead_code, unreachable_pub, reason = "snapshots are a feature")
)]
mod snapshot;

#[cfg_attr(
    not(feature = "snapshots"),
    allow(dead_code, reason = "as for `snapshot`")
)]
mod cut;

mod cycles;

mod gc_state;

mod api;

mod run;

mod wait_for;

mod constraints;

mod actor;

mod services;

mod observe;

mod failures;

mod candidates;

mod config;

mod statistics;

mod message;

mod queues;

#[cfg_attr(
    not(feature = "snapshots"),
    allow(dead_code, reason = "as for `snapshot`")
)]
mod phase;

mod mute;

mod oracle;

mod saving;

mod interned;

mod sync;

// Declared here, because `verify/loom` compiles `mute/mod.rs` too, without its model.
#[cfg(test)]
mod injected_fault;
#[cfg(test)]
#[path = "mute/model.rs"]
mod mute_model;

pub use actor::{
    AskError, Guard, JoinGuard, JoinTable, JoinedMessage, Mailbox, NeverDispatched, NotSent,
    OutgoingReferences, Overloaded, Pool, Timer, Undelivered,
};
pub use actor::{Messages, OnPanic, Restart};
pub use api::SendError;
pub use api::Spawner;
pub use api::{
    Actor, Address, Answer, AnyPattern, AskFuture, Asker, Begun, Behaviour, Call, Cancelled,
    Continuation, FirstTurn, Handle, Implements, InlineActor, InlineState, IntoThen, Join, Link,
    Matched, Message, Offer, OfferedAsk, Pattern, Patterns, Pipeline, Promise, Resolver, StartCall,
    StartFunction, StateCodec, Step, Target, Then, TraceReferences, Turn, Waiting, WeakAddress,
};
pub use api::{Clock, Sleep};
pub use api::{EqualNames, Listed, SavedActor, SavedActors, SavedForm, SavedKind, SavedKinds};
pub use config::BadCollectors;
pub use cycles::{KeptBy, Retained, Retainer, WhyAlive};
pub use edge::{Attached, Attachment, StreamItem};
pub use failures::{
    Cause, DeadLetter, DeadLetterCount, Failed, GaveUp, Inside, Linked, NotStarted, Panic, Report,
    StopReason, SupervisorEnded, WaitCycle, WaitEdge,
};
pub use gc_state::{Far, ForeignRoot, GcState, Rooted};
pub use interned::{Name, Place};
pub use patterns::{
    Group, Lagged, LookupError, NamedTimer, RateLimit, RateLimited, RegisterError, Router,
    SavedSynchronizer, Subscription, Synchronizer, SynchronizerBuilder, SynchronizerError,
    SynchronizerKind, Topic,
};
pub use probe::{Probe, ProbeValue, Received};
#[doc(inline)]
pub use saving::{Codec, NotSaved, SaveKind, SavedBy, SavedStart, SavedState};
pub use services::{DeadLetters, RequestProgress};
#[cfg(feature = "snapshots")]
pub use snapshot::{
    ActorNotRestored, ActorsOfType, NotRead, NotRestored, RestoreError, RestoreReport,
    RestoredActors, RunningTurn, SavedAs, SlowEncoding, SnapshotAttempt, SnapshotCounts,
    SnapshotError, SnapshotReport, SnapshotSchedule, SnapshotTrigger, Snapshots, TreeRestored,
    Unsaved, WaitedFor,
};
pub use statistics::NameFacts;
pub use statistics::{
    ByPauseKind, Distribution, HeapFacts, PauseClock, PauseDistributions, PauseKind, Pauses,
    WorkerFacts,
};
pub use supervision::{
    Child, ChildFacts, ChildState, Children, Start, Supervised, Supervision, Supervisor,
    SupervisorHandle, TreeFailed,
};
pub use system::{
    ActorFacts, AliveBecause, Inspection, OpenRequest, OpenWait, RemainingActor, RequestOrigin,
    Shutdown, ShutdownReport, System, SystemBuilder,
};
#[cfg(feature = "snapshots")]
pub use system::{Restored, RestoredOr};
pub use vivant_brc::Brc;

// Named in generated code, and in signatures that a program does not write.
#[doc(hidden)]
pub use actor::{Steps, Unawaited};
#[doc(hidden)]
pub use api::{Entry, KeepLocals, LocalsInMessage, LocalsOf, StateStorage, Stepped};
#[doc(hidden)]
pub use gc_state::{BrandedLocals, LocalsInHeap};
#[doc(hidden)]
pub use supervision::{Again, AreSettled, ShutDown};

/// The codec of saved actors: for types that implement [`Saved`] by hand, and for files.
pub mod codec {
    pub use vivant_codec::without_derive::Saved;
    #[doc(inline)]
    pub use vivant_codec::*;
    /// Like `vivant_codec::Saved`, for programs that depend on `vivant` alone.
    #[cfg(feature = "macros")]
    pub use vivant_macros::ActorsSaved as Saved;
}
pub use codec::Saved;

/// Images in a store: where [`System::snapshot`] writes to. All of `vivant-journal`.
#[cfg(feature = "snapshots")]
pub mod journal {
    #[doc(inline)]
    pub use vivant_journal::*;
}

/// Collected heaps: for states with a lifetime. All of `vivant-heap` and `vivant-collections`.
pub mod heap {
    #[doc(inline)]
    pub use vivant_collections::{gc, val};
    #[doc(inline)]
    pub use vivant_heap::*;
    /// Like `vivant_heap::Freeze`.
    #[cfg(feature = "macros")]
    pub use vivant_macros::ActorsFreeze as Freeze;
    /// Like `vivant_heap::Object`, for programs that depend on `vivant` alone.
    #[cfg(feature = "macros")]
    pub use vivant_macros::ActorsObject as Object;
}
#[doc = include_str!("../docs/held.md")]
#[doc(inline)]
pub use heap::Held;
#[doc = include_str!("../docs/iso.md")]
#[doc(inline)]
pub use heap::Iso;
#[doc = include_str!("../docs/val.md")]
#[doc(inline)]
pub use heap::Val;
#[doc(inline)]
pub use heap::{
    Freeze, Frozen, Gc, Ice, Leaf, Marking, Mut, Object, Pacing, Parcel, Sendable, Tag, Weak, gc,
    val,
};

#[cfg(feature = "macros")]
pub use vivant_macros::{Actor, behaviours, interface, test};

/// The pages of the repository, and the documentation of the macros: their examples run as tests.
#[cfg(all(doctest, feature = "macros"))]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/coming-from.md")]
    struct ComingFrom;
    #[doc = include_str!("../../../docs/faq.md")]
    struct Faq;
    #[doc = include_str!("../../../docs/guide.md")]
    struct Guide;
    #[doc = include_str!("../../../docs/encapsulation.md")]
    struct Encapsulation;
    #[doc = include_str!("../../vivant-macros/docs/actor.md")]
    struct DeriveActor;
    #[doc = include_str!("../../vivant-macros/docs/behaviours.md")]
    struct Behaviours;
    #[doc = include_str!("../../vivant-macros/docs/interface.md")]
    struct Interface;
    #[doc = include_str!("../../vivant-macros/docs/test.md")]
    struct Test;
}
