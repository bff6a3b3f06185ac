//! Implementations for the types of the standard library. The README has the table of encodings.

pub(crate) mod any_order;
mod cells;
mod collections;
mod net;
mod numbers;
mod pointers;
mod ranges;
mod texts;
mod time;
mod tuples;
mod variants;
