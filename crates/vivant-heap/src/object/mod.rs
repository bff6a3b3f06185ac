//! What an object is: its type's contract with the collector, and references within one heap.

pub(crate) mod collected;
mod containers;
pub(crate) mod empty_object;
pub(crate) mod erased;
pub(crate) mod evacuator;
pub(crate) mod external_edges;
pub(crate) mod frozen;
pub(crate) mod gc;
pub(crate) mod object_trait;
pub(crate) mod raw_object;
pub(crate) mod reference;
pub(crate) mod sendable;
pub(crate) mod table;
pub(crate) mod tracer;
pub mod unsizing;
pub(crate) mod weak_target;
