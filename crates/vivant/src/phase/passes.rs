//! The pass of a system, and the threads that may be in an earlier one (L1, L5).

use super::number::Pass;
use super::outside::{OutsideThreads, Senders};
use super::published::PublishedPass;
use crate::sync::{
    Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, fence, lock, yield_now,
};

/// The pass of a system.
pub(crate) struct Passes {
    now: AtomicU64,
    workers: Mutex<Vec<Arc<PublishedPass>>>,
    /// Whether the present cut is void (L8).
    is_void: AtomicBool,
    /// Number of messages that a sender has displaced and is about to record.
    recording: AtomicUsize,
}

/// The threads that had not left the earlier passes when a pass began.
pub(crate) struct Earlier {
    pass: Pass,
    workers: Vec<Arc<PublishedPass>>,
    senders: Senders,
}

impl Default for Passes {
    fn default() -> Self {
        Passes {
            now: AtomicU64::new(Pass::FIRST.number()),
            workers: Mutex::default(),
            is_void: AtomicBool::new(false),
            recording: AtomicUsize::new(0),
        }
    }
}

impl Passes {
    /// Returns the pass of the system, or an earlier one if nothing that this thread has seen
    /// happened in the later.
    #[inline]
    pub(crate) fn now(&self) -> Pass {
        // Relaxed: what this thread knows of a later pass it has acquired from a thread that had
        // read the number of that pass, so it reads that number or a later one.
        Pass::new(self.now.load(Ordering::Relaxed))
    }

    /// Begins the next pass. The caller is the coordinator, and the pass before is over (L1).
    pub(crate) fn begin_next(&self, outside: &OutsideThreads) -> (Pass, Earlier) {
        let pass = self.now().next();
        self.now.store(pass.number(), Ordering::Relaxed);
        // Pairs with the fences of `PublishedPass::begin` and `OutsideThread::send`.
        fence(Ordering::SeqCst);
        let (workers, senders) = (lock(&self.workers).clone(), outside.senders());
        (
            pass,
            Earlier {
                pass,
                workers,
                senders,
            },
        )
    }

    /// A worker joins, which has published nothing yet.
    pub(crate) fn join(&self) -> Arc<PublishedPass> {
        let worker = Arc::new(PublishedPass::new());
        lock(&self.workers).push(worker.clone());
        worker
    }

    pub(crate) fn leave(&self, worker: &Arc<PublishedPass>) {
        lock(&self.workers).retain(|other| !Arc::ptr_eq(other, worker));
    }

    /// L8: the present cut is void.
    #[cold]
    pub(crate) fn void(&self) {
        self.is_void.store(true, Ordering::Relaxed);
    }

    /// Returns whether the cut is void, for the cut that is over. The next one is not.
    pub(crate) fn take_void(&self) -> bool {
        // Relaxed: the turn that stored it has left its pass (L5), which the coordinator acquired.
        self.is_void.swap(false, Ordering::Relaxed)
    }

    /// A message is displaced from a queue, and will be recorded. Called under the queue's lock, so
    /// that the pass which finds the queue without it does not end before the record.
    pub(crate) fn record_begins(&self) {
        self.recording.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn record_ends(&self) {
        // Release: pairs with the Acquire in `has_recorded`.
        self.recording.fetch_sub(1, Ordering::Release);
    }

    /// Whether each displaced message has been recorded.
    pub(crate) fn has_recorded(&self) -> bool {
        // Acquire: pairs with the Release in `record_ends`.
        self.recording.load(Ordering::Acquire) == 0
    }
}

impl Earlier {
    /// Waits for the senders outside, which take no step of a simulation: else the seed would not
    /// decide alone what its next step is. A send is short. The caller is in no send.
    pub(crate) fn await_senders(&mut self) {
        while !self.senders.have_sent() {
            yield_now();
        }
    }

    /// Whether no code of an earlier pass runs any more.
    pub(crate) fn have_left(&mut self) -> bool {
        let pass = self.pass;
        self.workers.retain(|worker| !worker.has_left_before(pass));
        self.senders.have_sent() && self.workers.is_empty()
    }
}
