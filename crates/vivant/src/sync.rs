//! The single source of atomics and locks.
//!
//! Every file with a protocol between threads takes its primitives from here, so that `verify/loom`
//! can compile the same file against loom's. Nothing else in the crate names `std::sync::atomic`.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize,
    Ordering, fence,
};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
pub(crate) use std::thread::yield_now;
pub(crate) use std::thread_local;

/// Locks `mutex`, also after a panic of an earlier holder.
///
/// No lock of the runtime is held while user code runs, so a poisoned lock can only mean that an
/// assertion of the runtime failed; the data are then as consistent as they were at that assertion,
/// and reporting needs them.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As [`lock`]; `None` if a thread has the lock, perhaps this one.
pub(crate) fn try_lock<T: ?Sized>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A fault that `verify/loom` can inject at this line. Here it is nothing:
/// `fault!(right, Name => wrong)` is `right`, and the statement `fault!(Name => wrong);` is gone.
macro_rules! fault {
    ($($name:ident => $wrong:expr),+ $(,)?) => {};
    ($right:expr, $($name:ident => $wrong:expr),+ $(,)?) => {
        $right
    };
}
pub(crate) use fault;
