//! The runtime's door to atomics and locks, hung over loom: what `crates/vivant/src/sync.rs` takes from `std`.

pub(crate) use crate::atomics::{AtomicU32, AtomicU64};
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicUsize, Ordering, fence,
};
pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
pub(crate) use loom::thread::yield_now;
pub(crate) use std::sync::PoisonError;

/// As in the runtime.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As in the standard library, with a value that is made when the thread first asks.
macro_rules! thread_locals {
    ($($vis:vis static $name:ident: $type:ty = const $value:block;)*) => {
        loom::thread_local! { $($vis static $name: $type = $value;)* }
    };
}
pub(crate) use thread_locals as thread_local;
