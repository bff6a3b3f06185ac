//! Atomics for which loom explores every order of a load with other threads' changes.
//!
//! Loom tries other orders only for the last access to an atomic. So in `load; exchange`, the start
//! of most steps, the own load hides what another thread has loaded before, and loom never tries
//! the order in which this exchange came first. Here each load begins with a change of a word of
//! its own, which orders nothing and counts as an access.

use loom::sync::atomic::{self, Ordering};

macro_rules! watched {
    ($name:ident, $of:ident, $value:ty) => {
        pub(crate) struct $name {
            value: atomic::$of,
            looks: atomic::AtomicUsize,
        }

        impl Default for $name {
            fn default() -> $name {
                $name::new(0)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // Loom checks here whether every access came before this.
                self.value.with_mut(|_| ());
            }
        }

        #[allow(dead_code, reason = "not every width is used in every way")]
        impl $name {
            pub(crate) fn new(value: $value) -> $name {
                $name {
                    value: atomic::$of::new(value),
                    looks: atomic::AtomicUsize::new(0),
                }
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.looks.fetch_add(1, Ordering::Relaxed);
                self.value.load(order)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.value.store(value, order);
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                self.value.swap(value, order)
            }

            pub(crate) fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.value.fetch_add(value, order)
            }

            pub(crate) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.value.fetch_sub(value, order)
            }

            pub(crate) fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                self.value.fetch_and(value, order)
            }

            pub(crate) fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                self.value.fetch_or(value, order)
            }

            pub(crate) fn compare_exchange(
                &self,
                old: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.value.compare_exchange(old, new, success, failure)
            }

            pub(crate) fn compare_exchange_weak(
                &self,
                old: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(old, new, success, failure)
            }
        }
    };
}

watched!(AtomicU32, AtomicU32, u32);
watched!(AtomicU64, AtomicU64, u64);
