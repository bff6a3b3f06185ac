//! Actors with a state in a heap of its own: when their heaps are collected, and the heaps of
//! actors that have ended. The protocols are in `README.md`.

mod collected;
mod deaths;
mod detached_heaps;
mod detached_table;
mod edge_snapshot;
#[cfg(all(test, feature = "macros"))]
mod edge_snapshot_tests;
#[allow(
    unsafe_code,
    reason = "says of a far reference what its tag's crate says of tags"
)]
mod far;
#[cfg(all(test, feature = "macros", not(miri)))]
mod gc_continuation_tests;
mod gc_messages;
mod gc_steps;
mod gc_waker;
mod group_candidates;
mod locals;
mod marks;
mod rooted;
mod saved;
mod saved_far;
mod without_start;

pub use collected::GcState;
pub(crate) use detached_heaps::{DetachedHeaps, add_detached};
pub use far::Far;
pub(crate) use group_candidates::{AnyTags, GroupCandidates, GroupResult};
pub use locals::{BrandedLocals, LocalsInHeap, locals_codec};
pub(crate) use marks::{ConcurrentMarks, IdleWork};
pub use rooted::{ForeignRoot, Rooted};
pub use without_start::WithoutStart;
