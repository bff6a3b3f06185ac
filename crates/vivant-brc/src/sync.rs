//! The one door to atomics, locks and what is a thread's own, so that `verify/loom` can compile the same protocol against loom's.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};
pub(crate) use std::thread::yield_now;
pub(crate) use std::thread_local;
