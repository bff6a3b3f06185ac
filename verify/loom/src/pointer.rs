//! A pointer for which loom explores every order, as it does for the numbers in `atomics.rs`, where
//! a model turns that on.

use loom::sync::atomic::{self, AtomicUsize, Ordering};
use std::cell::Cell;
use std::ptr;

/// Loom's own, unless it was made [`while_watching`].
pub(crate) struct AtomicPtr<T> {
    value: atomic::AtomicPtr<T>,
    /// The value in memory, for the thread that alone changes it.
    in_memory: std::sync::atomic::AtomicPtr<T>,
    looks: Option<AtomicUsize>,
    stores_exchange: bool,
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(ptr::null_mut())
    }
}

std::thread_local! {
    static WATCHES: Cell<bool> = const { Cell::new(false) };
    static STORES_EXCHANGE: Cell<bool> = const { Cell::new(false) };
}

/// The pointers that `make` makes are watched.
///
/// Not all are, because loom lets a plain store come between an exchange and the value that it has
/// read: for a pointer with stores beside exchanges (`woken.rs`) it would find behaviour that no
/// machine has.
pub(crate) fn while_watching<R>(make: impl FnOnce() -> R) -> R {
    WATCHES.set(true);
    let made = make();
    WATCHES.set(false);
    made
}

/// Each store to the pointers that `make` makes is an exchange.
///
/// For a pointer with stores beside exchanges, where the order of the two matters: see
/// [`while_watching`]. An exchange is stronger than a store: it continues the release sequence of
/// the value that it replaces. So a model with plain stores looks for orders that are too weak.
pub(crate) fn while_stores_exchange<R>(make: impl FnOnce() -> R) -> R {
    STORES_EXCHANGE.set(true);
    let made = make();
    STORES_EXCHANGE.set(false);
    made
}

impl<T> AtomicPtr<T> {
    pub(crate) fn new(value: *mut T) -> AtomicPtr<T> {
        AtomicPtr {
            value: atomic::AtomicPtr::new(value),
            in_memory: std::sync::atomic::AtomicPtr::new(value),
            looks: WATCHES.get().then(|| AtomicUsize::new(0)),
            stores_exchange: STORES_EXCHANGE.get(),
        }
    }

    pub(crate) fn load(&self, order: Ordering) -> *mut T {
        if let Some(looks) = &self.looks {
            looks.fetch_add(1, Ordering::Relaxed);
        }
        self.value.load(order)
    }

    pub(crate) fn store(&self, value: *mut T, order: Ordering) {
        match self.stores_exchange {
            true => drop(self.value.swap(value, order)),
            false => self.value.store(value, order),
        }
        self.in_memory.store(value, Ordering::Relaxed);
    }

    /// As in the standard library, for reads of the thread that alone changes the pointer, by
    /// [`store`](AtomicPtr::store).
    pub(crate) fn as_ptr(&self) -> *mut *mut T {
        self.in_memory.as_ptr()
    }

    pub(crate) fn swap(&self, value: *mut T, order: Ordering) -> *mut T {
        self.value.swap(value, order)
    }

    pub(crate) fn compare_exchange(
        &self,
        old: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.value.compare_exchange(old, new, success, failure)
    }

    pub(crate) fn compare_exchange_weak(
        &self,
        old: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.compare_exchange(old, new, success, failure)
    }
}

impl<T> Drop for AtomicPtr<T> {
    fn drop(&mut self) {
        if self.looks.is_some() {
            // Loom checks here whether every access came before this.
            self.value.with_mut(|_| ());
        }
    }
}
