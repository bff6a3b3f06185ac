//! The programs with `Rc`: what counting costs without any thought of threads.

use std::rc::Rc as Ptr;

#[path = "programs/mod.rs"]
pub(super) mod programs;
