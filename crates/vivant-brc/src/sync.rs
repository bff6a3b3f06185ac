//! The only module that imports atomics, locks and thread-locals, so `verify/loom` can compile the
//! same protocol against loom's types.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};
pub(crate) use std::thread::yield_now;
pub(crate) use std::thread_local;

/// An injected fault that `verify/loom` can enable at this line. Here it is disabled:
/// `fault!(right, Name => wrong)` is `right`, and the statement `fault!(Name => wrong);` is empty.
macro_rules! fault {
    ($($name:ident => $wrong:expr),+ $(,)?) => {};
    ($right:expr, $($name:ident => $wrong:expr),+ $(,)?) => {
        $right
    };
}
pub(crate) use fault;
