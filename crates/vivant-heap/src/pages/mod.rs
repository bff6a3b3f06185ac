//! The page pool: chunks, their heads, spans of blocks of one size class.

pub(crate) mod chunk;
mod mapped;
mod memory;
pub(crate) mod nursery_chunk_cache;
pub(crate) mod page;
pub(crate) mod page_source;
pub(crate) mod phases;
mod prefault;
pub(crate) mod size_class;
mod span_bitmap;
