//! Counts of objects and operations in one run, as in the paper's Tables 1 and 6. With the feature
//! `counters`.
//!
//! ```
//! # #[cfg(feature = "counters")] {
//! use vivant_brc::{Brc, counters};
//!
//! counters::reset();
//! let a = Brc::new(1);
//! drop(a.clone());
//! let counted = counters::read();
//! assert_eq!((counted.objects, counted.shared_objects), (1, 0));
//! assert_eq!((counted.biased, counted.shared), (2, 0));
//! # }
//! ```

#[cfg(feature = "counters")]
pub use on::{Counters, read, reset};

/// Without the feature these functions do nothing and are compiled away.
#[cfg(not(feature = "counters"))]
mod off {
    #[inline(always)]
    pub(crate) fn born(_owned: bool) {}
    #[inline(always)]
    pub(crate) fn biased(_was_shared: bool) {}
    #[inline(always)]
    pub(crate) fn shared(_is_first: bool) {}
    #[inline(always)]
    pub(crate) fn queued() {}
}

#[cfg(not(feature = "counters"))]
pub(crate) use off::{biased, born, queued, shared};

#[cfg(feature = "counters")]
pub(crate) use on::{biased, born, queued, shared};

#[cfg(feature = "counters")]
mod on {
    use std::sync::atomic::{AtomicU64, Ordering};

    static OBJECTS: AtomicU64 = AtomicU64::new(0);
    static UNOWNED: AtomicU64 = AtomicU64::new(0);
    static SHARED_OBJECTS: AtomicU64 = AtomicU64::new(0);
    static ON_SHARED: AtomicU64 = AtomicU64::new(0);
    static BIASED: AtomicU64 = AtomicU64::new(0);
    static SHARED: AtomicU64 = AtomicU64::new(0);
    static QUEUED: AtomicU64 = AtomicU64::new(0);

    /// Counts of this process since the last [`reset`]. An operation is a clone, a drop or an
    /// upgrade.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    #[non_exhaustive]
    pub struct Counters {
        /// Objects made.
        pub objects: u64,
        /// Of these, made without owner. `Brc::unbiased` is not counted.
        pub unowned: u64,
        /// Objects of which a thread other than their owner has counted references.
        pub shared_objects: u64,
        /// Operations on objects that were shared (see `shared_objects`) by then.
        pub on_shared: u64,
        /// Operations on the biased count.
        pub biased: u64,
        /// Operations on the shared count.
        pub shared: u64,
        /// Objects that went to their owner's queue.
        pub queued: u64,
    }

    fn all() -> [&'static AtomicU64; 7] {
        [
            &OBJECTS,
            &UNOWNED,
            &SHARED_OBJECTS,
            &ON_SHARED,
            &BIASED,
            &SHARED,
            &QUEUED,
        ]
    }

    /// The current counts.
    #[must_use]
    pub fn read() -> Counters {
        let [
            objects,
            unowned,
            shared_objects,
            on_shared,
            biased,
            shared,
            queued,
        ] = all().map(|counter| counter.load(Ordering::Relaxed));
        Counters {
            objects,
            unowned,
            shared_objects,
            on_shared,
            biased,
            shared,
            queued,
        }
    }

    /// Sets all counts to zero.
    pub fn reset() {
        for counter in all() {
            counter.store(0, Ordering::Relaxed);
        }
    }

    // Relaxed: statistics, read when no other thread counts.

    fn one(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn born(owned: bool) {
        one(&OBJECTS);
        if !owned {
            one(&UNOWNED);
        }
    }

    /// Counts an operation of the owner; `was_shared`: another thread has counted before.
    pub(crate) fn biased(was_shared: bool) {
        one(&BIASED);
        if was_shared {
            one(&ON_SHARED);
        }
    }

    /// Counts an operation of another thread; `is_first`: the first one on its object.
    pub(crate) fn shared(is_first: bool) {
        one(&SHARED);
        one(&ON_SHARED);
        if is_first {
            one(&SHARED_OBJECTS);
        }
    }

    pub(crate) fn queued() {
        one(&QUEUED);
    }
}
