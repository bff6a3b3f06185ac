//! The programs with `Arc`.

use std::sync::Arc as Ptr;

#[path = "programs/mod.rs"]
pub(super) mod programs;

#[path = "serving.rs"]
pub(super) mod serving;
