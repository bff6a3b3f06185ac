//! Actors that nobody can reach, cycles of them too, are found and end (O10). See
//! [README.md](README.md).
//!
//! - [`Acquainted`]: which addresses a state shows.
//! - [`suspects`]: who may have become unreachable, and when that is looked into; [`detector`]: by
//!   whom.
//! - [`graph`]: the actors that a look has met.
//! - [`deletion`]: which of them nothing outside keeps.
//! - [`look`]: how it is filled, a few actors at a time.
//! - [`verdict`]: how those that it names are condemned together, or not at all.
//! - [`why`], [`why_object`]: what keeps an actor, or an object; [`everybody`]: all actors, for
//!   that.

mod acquainted;
mod deletion;
mod detector;
mod everybody;
mod graph;
mod look;
mod suspects;
mod verdict;
mod why;
mod why_object;

#[cfg(all(test, feature = "macros"))]
mod model;
#[cfg(all(test, feature = "macros"))]
mod model_tests;

pub(crate) use acquainted::{Acquaintance, known};
pub use acquainted::{Acquaintances, Acquainted};
pub use acquainted::{NotAcquainted, Probe};
pub(crate) use detector::Detector;
pub(crate) use look::Sight;
pub(crate) use suspects::{Crowd, Suspect};
pub use why::{KeptBy, Mortal, WhyAlive};
