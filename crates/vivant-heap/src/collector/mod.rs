//! The collector: minor collections, marks and sweeps, between turns, on the thread that holds the
//! heap. See [README.md](README.md).

mod allocation_failure;
mod back_off;
pub(crate) mod claim;
#[cfg(test)]
mod concurrent_mark_tests;
mod detached;
mod drivers;
mod evacuator;
#[cfg(test)]
mod external_edges_tests;
mod idle_check;
mod mark;
mod mark_cycle;
pub(crate) mod mark_queue;
mod mark_reason;
mod mark_termination;
#[cfg(test)]
mod mark_termination_tests;
mod minor;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
mod mutator_assist;
mod pacer;
mod pause_kind;
mod phase;
mod prefetch;
mod scanner;
mod step;
#[cfg(test)]
mod step_tests;
mod tracer;
mod work;

pub(crate) use allocation_failure::AllocationFailure;
pub(crate) use detached::WantedMark;
pub use drivers::MarkStart;
pub use evacuator::Evacuator;
pub(crate) use evacuator::TenuringPolicy;
pub use idle_check::notified_after_ns;
pub(crate) use idle_check::{Agreed, IdleCheck};
pub(crate) use mark::MarkMode;
pub use mark::{Marker, Progress};
pub(crate) use mark_cycle::{MarkCycle, Resurrection};
pub(crate) use mark_reason::{Activity, MarkHistory, MarkReason, ReleasedExports};
pub use pause_kind::PauseKind;
pub use phase::GcPhase;
pub use step::{Budget, EdgesListed, GcReason, MarkChange, Next, Request, StepContext, StepReport};
pub use tracer::Tracer;
pub(crate) use work::MarkRecord;

/// Which objects a mark lists for [`Heap::show`](crate::Heap::show), the tracing of external
/// edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EdgeSnapshot {
    Off,
    /// Objects that may show an external edge and are reachable without passing a shared object: no
    /// other heap can reach these.
    Private,
}

/// Aborts the process if a panic unwinds out of a collection: no invariant of the heap holds in the
/// middle of one (GC-NOTES §3, 20).
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        eprintln!(
            "vivant-heap: a panic in the middle of a collection; do not panic in `Object::trace` or `Object::evacuate`"
        );
        std::process::abort();
    }
}
