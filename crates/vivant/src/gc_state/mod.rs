//! Actors with a state in a heap of its own: when their heaps are collected, and the heaps of
//! actors that have ended. The protocols are in `README.md`.

mod back_off;
mod collected;
mod deaths;
mod detached_heaps;
mod detached_table;
mod distribution;
mod edge_snapshot;
#[cfg(all(test, feature = "macros"))]
mod edge_snapshot_tests;
mod facts;
#[allow(
    unsafe_code,
    reason = "says of a far reference what its tag's crate says of tags"
)]
mod far;
mod gc_continuation;
#[cfg(all(test, feature = "macros", not(miri)))]
mod gc_continuation_tests;
mod gc_waker;
mod idle_check;
mod last_mark;
mod leaves;
mod marks;
mod pauses;

pub use collected::GcState;
pub(crate) use detached_heaps::DetachedHeaps;
pub(crate) use distribution::Histograms;
pub use distribution::{Distribution, PauseDistributions};
pub(crate) use facts::HeapCounts;
pub use facts::HeapFacts;
pub use far::Far;
pub(crate) use marks::{Helped, Marks};
pub use pauses::{ByPauseKind, PauseClock, PauseKind, Pauses};
