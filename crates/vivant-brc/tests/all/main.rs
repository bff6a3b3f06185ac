//! Tests of the guarantees of `Brc`, a module for each subject. One binary: it is linked once, and
//! its tests run in parallel.

mod api;
mod bounded;
mod counted;
mod deep;
mod drop_in;
mod exceptions;
mod overflow;
mod panics;
mod raw;
mod reentry;
mod review;
mod serde;
mod stress;
mod threads;
mod unsizing;
