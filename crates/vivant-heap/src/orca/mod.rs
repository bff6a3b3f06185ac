//! ORCA: sharing between heaps by weighted reference counts. [README.md](README.md) has the
//! protocol.

mod count_audit;
mod count_inbox;
#[cfg(test)]
mod count_inbox_tests;
mod count_verifier;
mod counts;
mod detached_heap;
#[cfg(test)]
mod detached_heap_tests;
mod drain;
mod heap_handle;
mod holder_root;
mod imports;
#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod model;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod order_tests;
mod outbox;
mod parcel;
mod retainers;
mod sharing;
mod turn_heap;

pub use count_audit::CountAudit;
pub use count_verifier::CountVerifier;
pub(crate) use counts::Entry;
pub use detached_heap::{DetachedHeap, DetachedStep};
pub(crate) use drain::Drained;
pub(crate) use heap_handle::HeapHandle;
pub use holder_root::Held;
pub use parcel::Parcel;
pub use retainers::{ObjectName, Retainers, Sharer};
pub(crate) use sharing::{Ends, ExportRoots, FOREIGN_WEIGHT, Sharing};
pub(crate) use turn_heap::ForeignCode;
pub use turn_heap::TurnHeap;
