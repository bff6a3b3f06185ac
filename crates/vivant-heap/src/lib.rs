#![doc = include_str!("../README.md")]
#![allow(
    unsafe_code,
    reason = "this crate is where the project's memory is managed"
)]

#[cfg(test)]
mod canaries;
mod collections;
mod collector;
mod deaths;
mod header;
mod heap;
mod id;
mod marking;
mod mutator;
mod nursery;
mod old;
mod orca;
mod pacing;
mod pages;
mod persistent;
mod pieces;
#[cfg(test)]
mod planted;
#[cfg(test)]
mod programs;
mod region;
mod reserve;
mod rows;
mod shards;
mod showing;
mod stats;
mod stress;
mod sync;
mod tags;
mod text;
mod types;
mod verify;
mod walk;

pub use collections::gc;
pub use collector::{Marker, Progress, Relocator, Tracer};
pub use deaths::Watch;
pub use heap::{Begun, Heap, Root};
pub use id::HeapId;
pub use marking::{Marking, UnknownMarking};
pub use mutator::Mutator;
pub use orca::{Books, Held, Keepers, Ledger, ObjectName, Orphan, Parcel, Remains, Sharer};
pub use pacing::Pacing;
pub use pages::{PAGE, Source, SourceStats};
pub use persistent::val;
pub use region::Iso;
pub use stats::HeapStats;
pub use stress::{Stress, When};
pub use tags::{ForeignTag, Tag, TagId};
pub use types::{
    Anything, BorrowError, Collected, Freeze, FreezeOf, Frozen, FrozenParts, Gc, Holdings, Ice,
    Leaf, Mut, Object, Ref, RefMut, Sendable, Twin, TwinOf, Unbranded, Val, Weak, unsizing,
};
pub use verify::Fault;
pub use vivant_macros::{Freeze, Object};

#[doc(hidden)]
pub mod __private;
