//! Supervision trees, as in Erlang/OTP: supervisors restart failed actors, and trees of actors
//! begin and end in order (T4). The protocol is in `README.md`.
//!
//! - [`child`]: the description of a child: how its state is made, and the terms.
//! - [`budget`]: how often a child is restarted, and after which delay.
//! - [`plan`]: the next steps, as a pure state machine; [`child_plan`]: a child in it;
//!   [`rules`]: its parameters.
//! - [`supervisor`]: the actor that carries the plan out; [`handle`]: its public messages;
//!   [`builder`]: how a supervisor is made.
//! - [`trees`]: the roots, which a shutdown begins with.
//! - [`saved_plan`], [`saved_children`], [`saved_messages`]: how a supervisor is saved;
//!   [`restored`]: what it needs besides in a restored system.

mod budget;
mod builder;
mod child;
mod child_plan;
mod handle;
#[cfg(all(test, feature = "macros"))]
mod model_tests;
mod plan;
#[cfg(test)]
mod plan_tests;
mod restored;
mod rules;
mod saved_children;
mod saved_messages;
mod saved_plan;
mod supervisor;
mod trees;

pub use builder::Supervision;
pub use child::Child;
pub use child::{Again, Start};
pub use child_plan::ChildState;
pub use handle::{
    AreSettled, ChildFacts, Children, ShutDown, Supervised, SupervisorHandle, TreeFailed,
};
pub(crate) use handle::{news_of, supervised_by};
pub(crate) use restored::{
    LoadedTrees, children_of, is_supervisor, restore_supervisor, set_end, supervisor_above,
};
#[cfg(feature = "snapshots")]
pub(crate) use saved_messages::AndSupervisor;
pub use supervisor::Supervisor;
pub(crate) use trees::{Restarts, Trees};
