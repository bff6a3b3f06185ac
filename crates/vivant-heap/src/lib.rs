#![doc = include_str!("../README.md")]
#![allow(
    unsafe_code,
    reason = "this crate is where the project's memory is managed"
)]

// From the bottom up: a folder imports only folders above it in this list.
mod fault;
mod foreign_code;
mod pages;
mod segmented;
mod sync;
mod trampoline;

mod alloc;
mod object;
mod orca;
mod weak;

mod gc;
mod mark;

mod region;
mod share;
mod tags;
mod types;
mod watch;

mod check;
mod group;
mod image;
pub mod raw;

#[cfg(test)]
mod injected_fault;
#[cfg(test)]
mod programs;

pub use alloc::old::occupancy::ClassOccupancy;
pub use check::count_verifier::CountVerifier;
pub use check::heap_graph::HeapGraph;
pub use check::object_name::ObjectName;
pub use check::sharer::Sharer;
pub use fault::Fault;
pub use gc::budget::Budget;
pub use gc::detached_heap::{DetachedHeap, DetachedStep};
pub use gc::drivers::MarkStart;
pub use gc::heap::{Heap, Root};
pub use gc::idle_check::notified_after_ns;
pub use gc::marking::{Marking, UnknownMarking};
pub use gc::mutator::Mutator;
pub use gc::pacing::Pacing;
pub use gc::pause_kind::PauseKind;
pub use gc::phase::GcPhase;
pub use gc::reason::{GcReason, Request, StepContext};
pub use gc::report::{CyclesSuspected, EdgesListed, MarkChange, Next, StepReport};
pub use gc::stress::{Stress, When};
pub use group::group_mark::{GroupMark, GroupProgress, Members, Visit};
pub use group::group_survey::{GroupSurvey, SurveyProgress};
pub use group::leak_check::leaked_objects;
pub use group::member::{HeapShares, Member};
pub use image::{
    Demand, FinishedHeaps, HeapDecoder, HeapImage, HeapNumbers, HeapSpans, ImageError, ImageId,
    ImageSink, NamedHeaps, NotSaved, ObjectCodecs, RestoredHeaps, RestoredState, SavedHeap,
    SavedTarget, SpanRecord, TagTarget, ValueDecoder, WatchRecord,
};
pub use mark::marker::{Marker, Progress};
pub use mark::stats::HeapStats;
pub use object::collected::{Anything, Collected};
pub use object::erased::{Erased, ErasedOf};
pub use object::evacuator::Evacuator;
pub use object::external_edges::ExternalEdges;
pub use object::frozen::{Frozen, FrozenParts};
pub use object::gc::Gc;
pub use object::object_trait::{Object, Unbranded};
pub use object::sendable::Sendable;
pub use object::tracer::Tracer;
pub use object::unsizing;
/// What [`saved!`] needs.
#[doc(hidden)]
pub mod saved_target {
    pub use crate::image::{TagCodec, distinct, unlisted, variant};
    pub use vivant_codec::{Decoder, Encoder, LoadError, Shape};
}
pub use orca::count_audit::CountAudit;
pub use orca::heap_id::HeapId;
pub use pages::chunk::PAGE;
pub use pages::page_source::{PageSource, PageSourceStats};
pub use pages::phases::Phases;
pub use region::iso::Iso;
pub use segmented::hasher::{FixedHasher, FixedState};
pub use share::holder_root::Held;
pub use share::parcel::Parcel;
pub use tags::tag::{ForeignTag, Tag, TagId};
pub use types::borrow::{BorrowError, Ref, RefMut};
pub use types::freeze::{Freeze, FreezeOf};
pub use types::ice::{Ice, ReadInPlace};
pub use types::leaf::Leaf;
pub use types::mutable::Mut;
pub use types::val::Val;
pub use types::weak::Weak;
pub use vivant_macros::{Freeze, Object};
pub use watch::death_watch::DeathWatch;

#[doc(hidden)]
pub mod __private;

/// The documentation of the derives: their examples are run as tests.
#[cfg(doctest)]
mod derives {
    #[doc = include_str!("../../vivant-macros/docs/object.md")]
    struct DeriveObject;
    #[doc = include_str!("../../vivant-macros/docs/freeze.md")]
    struct DeriveFreeze;
}
