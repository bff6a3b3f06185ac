//! What counted references promise, a module for each subject. One binary: it is linked once, and
//! its tests run side by side.

mod api;
mod bounded;
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
