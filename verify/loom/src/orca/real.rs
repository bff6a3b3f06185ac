//! The protocol's files of `vivant-heap`, byte for byte, between a heap and the holders of its
//! object.

#[path = "../../../../crates/vivant-heap/src/orca/count_inbox.rs"]
mod count_inbox;
#[path = "heap.rs"]
mod heap;
#[path = "../../../../crates/vivant-heap/src/orca/heap_handle.rs"]
mod heap_handle;
use super::stubs::heap_id;
#[path = "owners.rs"]
pub(super) mod owners;
#[path = "senders.rs"]
pub(super) mod senders;
