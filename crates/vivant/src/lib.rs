#![cfg_attr(docsrs, feature(doc_cfg))]
//! An actor runtime whose programs never stop. TODO-README

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

pub use actor::{Actor, Pool};
pub use address::{Address, Handle, Link, Target, WeakAddress};
pub use asked::{Asked, Cancelled};
pub use behaviour::{Answer, Behaviour, Continuation, Message};
pub use call::{Call, Then};
pub use dead_letter::{Cause, DeadLetter, DeadLetterCount, DeadLetters};
pub use error::{AskError, Inside, Panic, SendError, Undelivered};
pub use future::{Clock, Sleep};
pub use inspect::{ActorFacts, AliveBecause, Inspection};
pub use interface::{Entry, Implements};
pub use promise::{Promise, Resolver};
pub use report::Report;
pub use stop::StopReason;
pub use system::{ShutdownReport, Spawner, Survivor, System, SystemBuilder};
pub use timer::Timer;
pub use turn::Turn;

#[cfg(feature = "macros")]
pub use vivant_macros::{Actor, behaviours, interface, test};
