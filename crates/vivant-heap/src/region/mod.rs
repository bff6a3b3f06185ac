//! Regions: graphs that move as a whole. [README.md](README.md) has the protocol.

mod freeze;
mod holder;
mod iso;
mod merge;
mod split;

pub(crate) use holder::Role;
pub use iso::Iso;
pub use split::NotDisjoint;
