//! [`Saved`](saved_trait::Saved), and what its methods write to and read from.

pub(crate) mod contexts;
pub(crate) mod decoder;
pub(crate) mod encoder;
pub(crate) mod fields;
pub(crate) mod old;
pub(crate) mod saved_trait;
