//! Reading: a catalog of images, and the two passes over one of them.

mod blocks;
pub(crate) mod catalog;
pub(crate) mod held_images;
pub(crate) mod image;
mod opened;
pub(crate) mod reader;
pub(crate) mod table;
