#![doc = include_str!("../README.md")]
#![allow(
    unsafe_code,
    reason = "this crate is where the project's memory is managed"
)]

mod collector;
mod death_watch;
mod edge_snapshot;
mod hasher;
mod header;
mod heap;
mod id;
#[cfg(test)]
mod injected_fault;
mod linear_hash_map;
mod marking;
mod mutator;
mod nursery;
mod nursery_chunk_cache;
mod old;
mod orca;
mod pacing;
mod pages;
#[cfg(test)]
mod programs;
pub mod raw;
mod region;
mod segmented_stack;
mod segmented_vec;
#[cfg(test)]
mod self_tests;
mod stats;
mod stress;
mod sync;
mod tags;
mod types;
mod verify;
mod walk;

pub use collector::{
    Budget, EdgesListed, Evacuator, GcPhase, GcReason, MarkChange, MarkStart, Marker, Next,
    PauseKind, Progress, Request, StepContext, StepReport, Tracer, notified_after_ns,
};
pub use death_watch::DeathWatch;
pub use hasher::{FixedHasher, FixedState};
pub use heap::{Heap, Root};
pub use id::HeapId;
pub use marking::{Marking, UnknownMarking};
pub use mutator::Mutator;
pub use orca::{
    CountAudit, CountVerifier, DetachedHeap, DetachedStep, Held, ObjectName, Parcel, Retainers,
    Sharer,
};
pub use pacing::Pacing;
pub use pages::{PAGE, PageSource, PageSourceStats};
pub use region::Iso;
pub use stats::HeapStats;
pub use stress::{Stress, When};
pub use tags::{ForeignTag, Tag, TagId};
pub use types::{
    Anything, BorrowError, Collected, Erased, ErasedOf, ExternalEdges, Freeze, FreezeOf, Frozen,
    FrozenParts, Gc, Ice, Leaf, Mut, Object, ReadInPlace, Ref, RefMut, Sendable, Unbranded, Val,
    Weak, unsizing,
};
pub use verify::Fault;
pub use vivant_macros::{Freeze, Object};

#[doc(hidden)]
pub mod __private;
