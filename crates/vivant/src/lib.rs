#![cfg_attr(docsrs, feature(doc_cfg))]
//! Actors for Rust: turns, promises, a fair scheduler, and the same program as a simulation under a seed.
//!
//! An actor is a Rust value that only its own messages touch, one at a time. A method is a message; an [`Address`] is the
//! only way to reach an actor; a [`Turn`] is the processing of one message. Nothing waits inside a turn: a question gives
//! a [`Promise`], which continues in a later one. A [`System`] runs actors on threads, a
//! [`Simulation`](simulation::Simulation) on one thread under a seed, in virtual time.
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
//! | answers | [`Promise`], [`Resolver`]; outside [`Call::ask`], [`Asked`] |
//! | mailboxes with a bound | [`Mailbox`], [`Call::offer`] |
//! | beginning and ending | [`System`], [`Address::stop`], [`StopReason`] |
//! | tests under seeds | [`macro@test`], [`simulation`] |
//! | what went wrong | [`AskError`], [`DeadLetters`], [`Report`] |
//! | what goes on | [`System::inspect`] |
//!
//! What a program may rely on (order, delivery, failure, fairness), each with what is not promised, is in
//! `docs/semantics.md` of the repository.
//!
//! # Features
//!
//! - `macros` (default): the derive and attribute macros. All they write can be written by hand.
//! - `tokio`: futures given to [`Turn::spawn`] run in the context of a tokio runtime.

#[doc(hidden)]
pub mod __private;
mod accounting;
mod actor;
mod address;
mod asked;
mod behaviour;
mod call;
#[allow(
    unsafe_code,
    reason = "the actor cell: see its README and docs/ARCHITECTURE.md"
)]
mod cell;
mod dead_letter;
mod error;
mod future;
mod inspect;
mod interface;
#[allow(
    unsafe_code,
    reason = "the mailbox: see its README and docs/ARCHITECTURE.md"
)]
mod mailbox;
mod mute;
// Declared here, because `verify/loom` compiles `mute/mod.rs` too, and has no use for its model.
#[cfg(test)]
#[path = "mute/model.rs"]
mod mute_model;
mod offer;
mod oracle;
pub mod prelude;
mod promise;
mod registry;
mod report;
mod scheduler;
pub mod simulation;
mod stop;
mod sync;
mod system;
mod timer;
mod turn;

pub use actor::{Actor, Mailbox, Pool};
pub use address::{Address, Handle, Link, Target, WeakAddress};
pub use asked::{Asked, Cancelled};
pub use behaviour::{Answer, Behaviour, Continuation, Message};
pub use call::{Call, Then};
pub use dead_letter::{Cause, DeadLetter, DeadLetterCount, DeadLetters};
pub use error::{AskError, Inside, NotSent, Overloaded, Panic, SendError, Undelivered};
pub use future::{Clock, Sleep};
pub use inspect::{ActorFacts, AliveBecause, Inspection};
pub use interface::{Entry, Implements};
pub use offer::Offer;
pub use promise::{Promise, Resolver};
pub use report::Report;
pub use stop::StopReason;
pub use system::{ShutdownReport, Spawner, Survivor, System, SystemBuilder};
pub use timer::Timer;
pub use turn::Turn;

#[cfg(feature = "macros")]
pub use vivant_macros::{Actor, behaviours, interface, test};

/// The pages of the repository, whose examples are run as tests.
#[cfg(all(doctest, feature = "macros"))]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/coming-from.md")]
    struct ComingFrom;
}
