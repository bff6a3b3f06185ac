//! The one door to atomics, locks and what is a thread's own, so that `verify/loom` can compile the
//! same protocol against loom's.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};
pub(crate) use std::thread::yield_now;
pub(crate) use std::thread_local;

/// A fault that `verify/loom` can inject at this line. Here it is nothing:
/// `fault!(right, Name => wrong)` is `right`, and the statement `fault!(Name => wrong);` is gone.
macro_rules! fault {
    ($($name:ident => $wrong:expr),+ $(,)?) => {};
    ($right:expr, $($name:ident => $wrong:expr),+ $(,)?) => {
        $right
    };
}
pub(crate) use fault;
