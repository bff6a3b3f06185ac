//! Tags: opaque, comparable references to private objects, for other heaps. [README.md](README.md)
//! has the protocol.

#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
pub(crate) mod tag;
