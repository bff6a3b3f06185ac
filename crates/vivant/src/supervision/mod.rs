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
mod rules;
mod supervisor;
mod trees;

pub use builder::Supervision;
pub use child::Child;
pub use child::{Again, Start};
pub use child_plan::ChildState;
pub use handle::{
    AreSettled, ChildFacts, Children, ShutDown, Supervised, SupervisorHandle, TreeFailed,
};
pub use supervisor::Supervisor;
pub(crate) use trees::{Restarts, Trees};
