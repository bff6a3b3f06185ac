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
//! # Where to look
//!
//! | for | see |
//! |---|---|
//! | defining actors and messages | [`Actor`](derive@Actor), [`behaviours`], [`interface`]; by hand: [`trait@Actor`], [`Behaviour`] |
//! | what a behaviour can do | [`Turn`] |
//! | replies | [`Promise`], [`Resolver`]; outside [`Call::ask`], [`AskFuture`] |
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
//! | errors and failures | [`AskError`], [`DeadLetters`], [`Report`] |
//! | inspection of a running system | [`System::inspect`] |
//!
//! The guarantees (order, delivery, failure, fairness), each with its limits, are in
//! `docs/semantics.md` of the repository; help with a program that behaves unexpectedly is in
//! `docs/faq.md`.
//!
//! # Features
//!
//! - `macros` (default): the derive and attribute macros. All they write can be written by hand.
//! - `tokio`: futures given to [`Turn::spawn`] run in the context of a tokio runtime.
//! - `tracing`: a root span for each turn, linked to the span in which its message was sent; events
//!   for starts, ends and failures.
//! - `metrics`: counters and histograms by types and behaviours, for the recorder that is installed
//!   before the system is built.
//!
//! The contents and the cost of the last two are in `docs/observing.md` of the repository.

#[cfg(test)]
extern crate self as vivant;

// The layers, from the top down: a module imports only modules below it. `docs/ARCHITECTURE.md`
// has the table, which `cargo xtask tidy` compares with the code.

pub mod prelude;

#[doc(hidden)]
pub mod __private;

pub mod simulation;

mod patterns;

mod edge;

mod supervision;

mod system;

mod sched;

mod cycles;

mod gc_state;

mod api;

mod run;

mod actor;

mod services;

mod observe;

mod failures;

mod candidates;

mod config;

mod statistics;

mod message;

mod queues;

mod mute;

mod oracle;

mod sync;

// Declared here, because `verify/loom` compiles `mute/mod.rs` too, without its model.
#[cfg(test)]
mod injected_fault;
#[cfg(test)]
#[path = "mute/model.rs"]
mod mute_model;

pub use actor::{
    AskError, Guard, JoinGuard, JoinTable, JoinedMessage, Mailbox, NotSent, OutgoingReferences,
    Overloaded, Pool, Steps, Timer, Undelivered,
};
pub use actor::{Messages, OnPanic, Restart};
pub use api::SendError;
pub use api::Spawner;
pub use api::{
    Actor, Address, Answer, AskFuture, Behaviour, Call, Cancelled, Continuation, Entry, Handle,
    Implements, InlineActor, InlineState, Join, Link, Matched, Message, Offer, OfferedAsk,
    Pipeline, Promise, Resolver, StateStorage, Step, Target, Then, TraceReferences, Turn, Waiting,
    WeakAddress,
};
pub use api::{Clock, Sleep};
pub use config::BadCollectors;
pub use cycles::{KeptBy, Retained, Retainer, WhyAlive};
pub use edge::{Attached, Attachment, StreamItem};
pub use failures::{
    Cause, DeadLetter, DeadLetterCount, GaveUp, Inside, Linked, Panic, Report, StopReason,
};
pub use gc_state::{Far, GcState};
pub use patterns::{
    Group, Lagged, LookupError, NamedTimer, RateLimit, RateLimited, RegisterError, Router,
    Subscription, Topic,
};
pub use services::DeadLetters;
pub use statistics::NameFacts;
pub use statistics::{
    ByPauseKind, Distribution, HeapFacts, PauseClock, PauseDistributions, PauseKind, Pauses,
    WorkerFacts,
};
pub use supervision::{
    Again, AreSettled, Child, ChildFacts, ChildState, Children, Saved, ShutDown, Start, Supervised,
    Supervision, Supervisor, SupervisorHandle, TreeFailed,
};
pub use system::{
    ActorFacts, AliveBecause, Inspection, ShutdownReport, Survivor, System, SystemBuilder,
};
pub use vivant_brc::Brc;

/// Collected heaps: for states with a lifetime. All of `vivant-heap` and `vivant-collections`.
pub mod heap {
    #[doc(inline)]
    pub use vivant_collections::{gc, val};
    pub use vivant_heap::*;
    /// Like `vivant_heap::Freeze`.
    #[cfg(feature = "macros")]
    pub use vivant_macros::ActorsFreeze as Freeze;
    /// Like `vivant_heap::Object`, for programs that depend on `vivant` alone.
    #[cfg(feature = "macros")]
    pub use vivant_macros::ActorsObject as Object;
}
pub use heap::{
    Freeze, Frozen, Gc, Ice, Iso, Leaf, Marking, Mut, Object, Pacing, Parcel, Sendable, Tag, Val,
    Weak, gc,
};

#[cfg(feature = "macros")]
pub use vivant_macros::{Actor, behaviours, interface, test};

/// The pages of the repository: their examples are run as tests.
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
}
