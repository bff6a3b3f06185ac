//! The cycle collector of actors: finds unreachable actors, also in cycles, and ends them (O10).
//! See [README.md](README.md).
//!
//! - [`Acquainted`]: the outgoing references that a state shows.
//! - [`suspects`]: the cycle candidates, and when a detection pass examines them; [`detector`]: the
//!   threads that do it.
//! - [`graph`]: the actors that a pass has reached.
//! - [`deletion`]: trial deletion, which finds those without a reference from outside.
//! - [`look`]: the detection pass, which fills the graph a few actors at a time.
//! - [`verdict`]: the commit of a group: all of its actors become dying, or none.
//! - [`why`], [`why_object`]: what keeps an actor, or an object, alive; [`everybody`]: the graph of
//!   all actors, for that.

mod acquainted;
mod actor_graph;
mod candidates;
mod detection_pass;
mod detector;
mod graph;
mod trial_deletion;
mod verdict;
mod why;
mod why_object;

#[cfg(all(test, feature = "macros"))]
mod model;
#[cfg(all(test, feature = "macros"))]
mod model_tests;

pub use acquainted::{Acquainted, OutgoingReferences};
pub use acquainted::{NotAcquainted, Probe};
pub(crate) use acquainted::{OutgoingReference, known};
pub(crate) use candidates::{CandidateOverload, Suspect};
pub(crate) use detection_pass::Sight;
pub(crate) use detector::Detector;
pub use why::{KeptBy, Mortal, WhyAlive};
