#![doc = include_str!("../README.md")]
#![allow(
    unsafe_code,
    reason = "this crate is where the project's memory is managed"
)]

#[cfg(test)]
mod canaries;
mod collections;
mod collector;
mod header;
mod heap;
mod nursery;
mod old;
mod pages;
#[cfg(test)]
mod planted;
mod reserve;
mod stress;
mod sync;
mod types;
mod verify;

pub use collections::gc;
pub use collector::{Relocator, Tracer};
pub use heap::{Heap, HeapStats, Mutator, Pacing, Root};
pub use pages::{Source, SourceStats};
pub use stress::{Stress, When};
pub use types::{Anything, Collected, Gc, Leaf, Mut, Object, Ref, RefMut, Weak, unsizing};
pub use verify::Fault;
pub use vivant_macros::Object;

#[doc(hidden)]
pub mod __private;
