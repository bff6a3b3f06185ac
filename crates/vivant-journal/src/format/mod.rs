//! The format of an image: what `FORMAT.md` says, byte by byte. Nothing here reads or writes files.

pub(crate) mod block;
pub(crate) mod compression;
pub(crate) mod layout;
pub(crate) mod manifest;
pub(crate) mod memory_limit;
pub(crate) mod names;
