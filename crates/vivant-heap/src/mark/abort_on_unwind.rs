//! [`AbortOnUnwind`]: no panic leaves a collection.

/// Aborts the process if a panic unwinds out of a collection: no invariant of the heap holds in the
/// middle of one (attack 20 in `tests/all/README.md`).
pub(crate) struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        eprintln!(
            "vivant-heap: a panic in the middle of a collection; do not panic in `Object::trace` or `Object::evacuate`"
        );
        std::process::abort();
    }
}
