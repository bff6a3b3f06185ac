//! The cycle collector of actors: finds unreachable actors, also in cycles, and ends them (O10).
//! See [README.md](README.md).
//!
//! - [`detector`]: the detection pass of a system, and the threads that continue it. The candidates
//!   are in `candidates`, below the actors that report them.
//! - [`trial_deletion`]: the actors that a pass has reached, and trial deletion, which finds those
//!   without a reference from outside.
//! - [`detection_pass`]: the detection pass, which fills the graph a few actors at a time.
//! - [`commit`]: the commit of a group: all of its actors become dying, or none.
//! - [`group_pass`]: rounds of group marks, which find cycles of objects of several actors;
//!   [`group_round`]: one round; [`group_members`]: the heaps that it visits; [`pause_start`]: for
//!   how long actors wait for that.
//! - [`why`], [`why_object`]: what keeps an actor, or an object, alive; [`actor_graph`] and
//!   [`object_graph`]: the graphs of all actors, and of objects in all heaps, for that.

mod actor_graph;
mod commit;
mod detection_pass;
mod detector;
mod disjoint_sets;
#[allow(
    unsafe_code,
    reason = "says of held actors what a group mark demands of its members"
)]
mod group_members;
mod group_pass;
mod group_round;
#[cfg(all(test, feature = "macros"))]
mod model;
#[cfg(all(test, feature = "macros"))]
mod model_tests;
mod object_graph;
mod pause_start;
mod trial_deletion;
mod why;
mod why_object;

pub(crate) use detector::Detector;
pub use why::{KeptBy, Retained, Retainer, WhyAlive};
