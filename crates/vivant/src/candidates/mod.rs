//! What actors and the cycle detector share: the list of candidates, and the commit lock. The
//! protocols are in the README of `cycles`.

mod commit_lock;
mod findings;
mod list;

pub(crate) use commit_lock::CommitLock;
pub(crate) use findings::{ActorKey, Candidate, PassLimit, PassResult};
pub(crate) use list::{CandidateOverload, CycleCandidates, FollowUp, ScanQuota};

use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering, lock};

/// The candidates of a system.
pub(crate) struct Candidates<R> {
    list: Mutex<CycleCandidates<R>>,
    /// Whether a worker is to run a detection pass.
    pass_requested: AtomicBool,
}

impl<R> Candidates<R> {
    pub(crate) fn new() -> Candidates<R> {
        Candidates {
            list: Mutex::default(),
            pass_requested: AtomicBool::new(false),
        }
    }

    pub(crate) fn list(&self) -> MutexGuard<'_, CycleCandidates<R>> {
        lock(&self.list)
    }

    /// Calls for a detection pass.
    pub(crate) fn request_pass(&self) {
        // SeqCst: a worker that falls asleep has announced it before it loads this, and is woken if
        // it has not seen the store.
        self.pass_requested.store(true, Ordering::SeqCst);
    }

    /// A pass runs, or none is needed any more.
    pub(crate) fn clear_request(&self) {
        // Relaxed: a later call is seen by the next piece, because the lock decides.
        self.pass_requested.store(false, Ordering::Relaxed);
    }

    /// Whether a worker is to run a pass.
    #[inline]
    pub(crate) fn is_pass_requested(&self) -> bool {
        // SeqCst: pairs with the store in `request_pass`: a worker announces its sleep before this
        // load.
        self.pass_requested.load(Ordering::SeqCst)
    }
}
