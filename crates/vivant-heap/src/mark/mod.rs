//! Marking, by any thread: the mark queue, claims, the scanner; and when a mark is worth it.

pub(crate) mod abort_on_unwind;
pub(crate) mod allocation_failure;
pub(crate) mod back_off;
pub(crate) mod claim;
pub(crate) mod group_state;
pub(crate) mod mark_queue;
pub(crate) mod mark_reason;
pub(crate) mod marker;
pub(crate) mod mutator_assist;
mod prefetch;
pub(crate) mod scanner;
pub(crate) mod stats;
pub(crate) mod walk;
