//! The same, around copies of `lane.rs` and `owner.rs` with a bug of one's choice.

#[path = "flawed/flaw.rs"]
pub(super) mod flaw;
#[path = "heap.rs"]
mod heap;
#[path = "flawed/lane.rs"]
mod lane;
#[path = "lanes.rs"]
pub(super) mod lanes;
#[path = "flawed/owner.rs"]
mod owner;
#[path = "owners.rs"]
pub(super) mod owners;
