//! Memory in pages: chunks, their heads, runs of cells of one size.

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
