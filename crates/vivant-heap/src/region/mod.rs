//! Regions: graphs that move as a whole. [README.md](README.md) has the protocol.

mod freeze;
mod holder;
mod iso;
mod merge;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_graphs;
#[cfg(test)]
mod model_tests;

pub(crate) use holder::{Holder, Role};
pub use iso::Iso;
