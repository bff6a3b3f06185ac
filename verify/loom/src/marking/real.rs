//! The protocol's files of `vivant-heap`, byte for byte, between an owner and its markers.

#[path = "../../../../crates/vivant-heap/src/mark/claim.rs"]
mod claim;
#[path = "heap.rs"]
mod heap;
#[path = "scenes.rs"]
pub(super) mod scenes;
#[path = "../../../../crates/vivant-heap/src/mark/mark_queue.rs"]
mod work_list;
