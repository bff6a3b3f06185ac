#![doc = include_str!("../README.md")]
#![allow(
    unsafe_code,
    reason = "this crate is where the project's memory is managed"
)]

#[cfg(test)]
mod canaries;
mod collector;
mod deaths;
mod header;
mod heap;
mod id;
mod nursery;
mod old;
mod pacing;
mod pages;
#[cfg(test)]
mod planted;
mod reserve;
mod stats;
mod stress;
mod sync;
mod types;
mod verify;

pub use collector::{Relocator, Tracer};
pub use deaths::Watch;
pub use heap::{Heap, Mutator, Root};
pub use id::HeapId;
pub use pacing::Pacing;
pub use pages::{PAGE, Source, SourceStats};
pub use stats::HeapStats;
pub use stress::{Stress, When};
pub use types::{
    Anything, BorrowError, Collected, Gc, Leaf, Mut, Object, Ref, RefMut, Unbranded, Weak, unsizing,
};
pub use verify::Fault;
pub use vivant_macros::Object;

#[doc(hidden)]
pub mod __private;
