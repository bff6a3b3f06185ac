//! Regions: graphs that move as a whole. [README.md](README.md) has the protocol.

mod freeze;

pub(crate) mod iso;
mod merge;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_graphs;
#[cfg(test)]
mod model_tests;
mod open;
