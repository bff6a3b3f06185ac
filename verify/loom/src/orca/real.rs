//! The protocol's files of `vivant-heap`, the same bytes, between a heap and those who know of its
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
