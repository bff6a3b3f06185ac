//! Writing: a journal of images, the writers of one of them, and the removal of what is not needed.

pub(crate) mod image_writer;
mod in_progress;
pub(crate) mod journal;
pub(crate) mod segment_writer;
mod segments;
pub(crate) mod settings;
mod upkeep;
