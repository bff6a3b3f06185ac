//! The crates' module of atomics and locks, over loom's: what `crates/vivant/src/sync.rs` and
//! others take from `std`.

pub(crate) use crate::atomics::{AtomicU32, AtomicU64};
pub(crate) use crate::fault::fault;
pub(crate) use crate::once::OnceLock;
pub(crate) use crate::pointer::AtomicPtr;
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicUsize, Ordering, fence,
};
pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
pub(crate) use loom::thread::yield_now;
pub(crate) use std::sync::PoisonError;

use loom::thread::AccessError;
use std::mem::ManuallyDrop;

/// As in the runtime.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread-local value. It is not dropped: loom drops a thread's values in no order, and a dropped
/// one cannot be used.
pub(crate) struct Local<T: 'static>(pub(crate) &'static loom::thread::LocalKey<ManuallyDrop<T>>);

impl<T> Local<T> {
    pub(crate) fn with<R>(&self, body: impl FnOnce(&T) -> R) -> R {
        self.0.with(|value| body(value))
    }

    pub(crate) fn try_with<R>(&self, body: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        self.0.try_with(|value| body(value))
    }
}

/// As in the standard library, with a value that is made at the thread's first use.
macro_rules! thread_locals {
    ($($(#[$about:meta])* $vis:vis static $name:ident: $type:ty = const $value:block;)*) => {$(
        $(#[$about])*
        $vis static $name: crate::sync::Local<$type> = {
            loom::thread_local! {
                static VALUE: std::mem::ManuallyDrop<$type> = std::mem::ManuallyDrop::new($value);
            }
            crate::sync::Local(&VALUE)
        };
    )*};
}
pub(crate) use thread_locals as thread_local;
