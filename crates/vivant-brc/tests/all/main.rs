//! Tests of the guarantees of `Brc`, a module for each subject. One binary: it is linked once, and
//! its tests run in parallel.

mod api;
mod bounded;
mod counted;
mod deep;
mod differences;
mod drop_in;
mod executors;
mod overflow;
mod panics;
mod raw;
mod reentry;
mod serde;
mod stress;
mod threads;
mod unsizing;
