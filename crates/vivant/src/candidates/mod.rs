//! What actors and the cycle detector share: the list of candidates, and the lock of a verdict. The
//! protocols are in the README of `cycles`.

mod findings;
mod list;
mod verdict;

pub(crate) use findings::{Candidate, Findings, Reach, Who};
pub(crate) use list::{CandidateOverload, CycleCandidates, ScanQuota, Then};
pub(crate) use verdict::Verdict;

use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock};

/// The candidates of a system.
pub(crate) struct Candidates<R> {
    list: Mutex<CycleCandidates<R>>,
    /// Whether a worker is to run a detection pass.
    called: AtomicBool,
}

impl<R> Candidates<R> {
    pub(crate) fn new() -> Candidates<R> {
        Candidates {
            list: Mutex::default(),
            called: AtomicBool::new(false),
        }
    }

    pub(crate) fn list(&self) -> MutexGuard<'_, CycleCandidates<R>> {
        lock(&self.list)
    }

    /// Calls for a detection pass.
    pub(crate) fn call(&self) {
        // SeqCst: a worker that falls asleep has announced it before it loads this, and is woken if
        // it has not seen the store.
        self.called.store(true, Ordering::SeqCst);
    }

    /// A pass runs, or none is needed any more.
    pub(crate) fn is_heard(&self) {
        // Relaxed: a later call is seen by the next piece, because the lock decides.
        self.called.store(false, Ordering::Relaxed);
    }

    /// Whether a worker is to run a pass.
    #[inline]
    pub(crate) fn are_calling(&self) -> bool {
        // SeqCst: pairs with the store in `call`: a worker announces its sleep before this load.
        self.called.load(Ordering::SeqCst)
    }
}
