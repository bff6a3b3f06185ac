//! Supervision: who starts an actor again when it has failed, and in which order trees of actors
//! begin and end (T4). The protocol is in `README.md`.
//!
//! - [`child`]: what a supervisor is given to start, and start again.
//! - [`budget`]: how often, and after which delay.
//! - [`plan`]: what is to be done next, as a pure state machine; [`slot`]: a child in it.
//! - [`supervisor`]: the actor that does it; [`handle`]: what it can be told; [`builder`]: how one
//!   is made.
//! - [`news`]: what children tell it.
//! - [`trees`]: the roots, which a shutdown begins with.

mod budget;
mod builder;
mod child;
mod handle;
#[cfg(all(test, feature = "macros"))]
mod model_tests;
mod news;
mod plan;
mod slot;
mod supervisor;
mod trees;

pub use builder::Supervision;
pub use child::{Again, Child, Messages, OnPanic, Restart, Saved, Start};
pub use handle::{
    AreSettled, ChildFacts, Children, ShutDown, Supervised, SupervisorHandle, TreeFailed,
};
pub(crate) use news::{News, Told, tell};
pub use slot::ChildState;
pub use supervisor::Supervisor;
pub(crate) use trees::{Restarts, Trees};
