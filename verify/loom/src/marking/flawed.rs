//! The same, around copies of `claim.rs` and `work_list.rs` with a bug of one's choice.

#[path = "flawed/claim.rs"]
mod claim;
#[path = "flawed/flaw.rs"]
pub(super) mod flaw;
#[path = "heap.rs"]
mod heap;
#[path = "scenes.rs"]
pub(super) mod scenes;
#[path = "flawed/work_list.rs"]
mod work_list;
