//! Bytes: postcard's encoding of integers and texts, without any notion of types.

mod groups;
pub(crate) mod reader;
pub(crate) mod writer;
