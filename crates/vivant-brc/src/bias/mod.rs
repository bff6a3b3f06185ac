//! The protocol of biased reference counting: which thread changes which count, and how an object
//! ends. Invariants B1–B10 are in the README.

pub(crate) mod counting;
pub(crate) mod current;
pub(crate) mod ending;
pub(crate) mod entering;
pub(crate) mod handed;
pub(crate) mod header;
mod notice;
pub(crate) mod only;
mod owner_entry;
mod table;
