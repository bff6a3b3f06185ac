//! Bytes: postcard's encoding of integers and texts, without any notion of types.

pub(crate) mod reader;
pub(crate) mod writer;
