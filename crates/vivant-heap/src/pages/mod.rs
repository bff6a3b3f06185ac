//! The page pool: chunks, their heads, spans of blocks of one size class.

mod carved;
pub(crate) mod chunk;
pub(crate) mod class;
mod mapped;
mod memory;
pub(crate) mod page;
mod ready;
mod source;

pub use chunk::PAGE;
pub use source::{Source, SourceStats};
