//! The only source of atomics and locks in this crate, so that `verify/loom` can compile files of
//! it against loom's.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
pub(crate) use std::thread::yield_now;

/// A fault that `verify/loom` can inject at this line. Here it has no effect:
/// `fault!(right, Name => wrong)` is `right`, and the statement `fault!(Name => wrong);` is empty.
/// With `test` before the name the tests of the crate can inject it too.
macro_rules! fault {
    (test $name:ident => $wrong:expr) => {
        #[cfg(test)]
        if crate::injected_fault::is_injected(crate::injected_fault::InjectedFault::$name) {
            $wrong
        }
    };
    ($($name:ident => $wrong:expr),+ $(,)?) => {};
    ($right:expr, $($name:ident => $wrong:expr),+ $(,)?) => {
        $right
    };
}
pub(crate) use fault;
