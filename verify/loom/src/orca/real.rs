//! The protocol's files of `vivant-heap`, byte for byte, between a heap and the holders of its
//! object.

#[path = "heap.rs"]
mod heap;
#[path = "../../../../crates/vivant-heap/src/orca/lane.rs"]
mod lane;
#[path = "lanes.rs"]
pub(super) mod lanes;
#[path = "../../../../crates/vivant-heap/src/orca/owner.rs"]
mod owner;
#[path = "owners.rs"]
pub(super) mod owners;
