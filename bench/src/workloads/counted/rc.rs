//! The programs with `Rc`: the cost of counting without thread safety.

use std::rc::Rc as Ptr;

#[path = "programs/mod.rs"]
pub(super) mod programs;
