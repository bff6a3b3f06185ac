//! What many tests do with heaps: make them verify themselves, collect them whole, compare counts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use vivant_heap::{CountVerifier, Erased, Heap, Iso, Pacing, Parcel, Root, Stress, When};

/// A pacing by which a heap verifies itself, and collects when requested.
pub(crate) fn verified() -> Pacing {
    Pacing::new().stressed(Stress::new(When::Paced, 0))
}

/// Returns whether `body` panics.
pub(crate) fn panics<R>(body: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(body)).is_err()
}

pub(crate) trait Collect {
    /// A whole collection, sweep included.
    fn collect_and_sweep(&mut self);
}

impl<R: Root> Collect for Heap<R> {
    fn collect_and_sweep(&mut self) {
        self.collect();
        self.sweep();
    }
}

/// Has counts of shared objects.
pub(crate) trait Counted {
    fn count(&mut self, verifier: &mut CountVerifier);
}

impl<R: Root> Counted for Heap<R> {
    fn count(&mut self, verifier: &mut CountVerifier) {
        verifier.heap(self).unwrap();
    }
}

impl<T: Erased> Counted for Iso<T> {
    fn count(&mut self, verifier: &mut CountVerifier) {
        verifier.iso(self).unwrap();
    }
}

impl<T: Erased> Counted for &Parcel<T> {
    fn count(&mut self, verifier: &mut CountVerifier) {
        verifier.parcel(self);
    }
}

/// Asserts that all counts agree. No other heap, region or parcel has any.
pub(crate) fn balanced(all: &mut [&mut dyn Counted]) {
    let mut verifier = CountVerifier::default();
    all.iter_mut().for_each(|one| one.count(&mut verifier));
    verifier.check().unwrap();
}
