//! The last state of an actor, from an image into a running system (see `README.md`).
//!
//! - [`images`]: the images of a system.
//! - [`loading`]: the threads that load states, and the place of those in a simulation.
//! - [`living`]: the actors to which a state leads.
//! - [`actors_of_image`]: the states in their cells.
//! - [`tree`]: the states of a whole tree, when the program says so.

mod actors_of_image;
#[cfg(all(test, feature = "macros"))]
mod failed_loads_tests;
#[cfg(all(test, feature = "macros"))]
mod graph_tests;
#[cfg(all(test, feature = "macros"))]
mod handles_tests;
#[cfg(all(test, feature = "macros"))]
mod held_lives_tests;
mod images;
mod living;
mod loading;
#[cfg(all(test, feature = "macros"))]
mod note_program;
#[cfg(all(test, feature = "macros"))]
mod program_tests;
#[cfg(all(test, feature = "macros"))]
mod tests;
mod tree;
#[cfg(all(test, feature = "macros"))]
mod tree_tests;

pub(crate) use tree::restore_tree;
pub use tree::{ActorNotRestored, TreeRestored};

use crate::actor::{LastStates, Scope, Shared};
use images::Images;
use vivant_journal::Catalog;

/// This image of the system exists: actors that fail may have their last states there.
pub(super) fn image_exists(system: &Shared, image: (&Catalog, u64), phase: u64, scope: &Scope) {
    Images::add(system, image, phase, scope);
    LastStates::of(system).set(loading::load);
}
