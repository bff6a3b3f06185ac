//! The one door to atomics and locks, so that `verify/loom` can compile the same protocol against loom's.

pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};
