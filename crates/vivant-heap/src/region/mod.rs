//! Regions: graphs that move as a whole. [README.md](README.md) has the protocol.

mod holder;
mod iso;
mod merge;

pub(crate) use holder::Role;
pub use iso::Iso;
