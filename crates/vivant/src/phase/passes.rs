//! The pass of a system, and the threads that may be in an earlier one (L1, L5).

use super::number::{Pass, PassMark, PassWord, Phase};
use super::outside::{OutsideThreads, Senders};
use super::published::PublishedPass;
use super::turn_gate::TurnGate;
use crate::sync::{
    Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, fault, fence, lock, yield_now,
};

/// The pass of a system.
pub(crate) struct Passes {
    /// A [`PassWord`]. Written by the coordinator alone.
    word: AtomicU64,
    gate: TurnGate,
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
            word: AtomicU64::new(PassWord::FIRST.number()),
            gate: TurnGate::default(),
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
        self.word().pass()
    }

    /// The phase of an actor with this mark, in the pass of the system or in the pass before (L1).
    pub(crate) fn phase_of(&self, mark: PassMark) -> Phase {
        let now = self.now();
        match mark == now.mark() {
            true => now.phase(),
            false => now.before().phase(),
        }
    }

    /// Whether a worker in this pass has nothing to do between two turns: the pass is that of the
    /// system, and no pause is asked for.
    #[inline]
    pub(crate) fn goes_on(&self, pass: Pass) -> bool {
        // Relaxed: as in `now`; and a worker that runs is awaited.
        self.word() == PassWord::of(pass)
    }

    /// L11: whether no turn may begin.
    pub(crate) fn is_pausing(&self) -> bool {
        self.word().is_pausing()
    }

    #[inline]
    fn word(&self) -> PassWord {
        PassWord::new(self.word.load(Ordering::Relaxed))
    }

    fn set_word(&self, word: PassWord) {
        self.word.store(word.number(), Ordering::Relaxed);
    }

    /// A worker runs something from here on, once no pause is asked for. Returns the pass to run it
    /// in.
    pub(crate) fn begin(&self, worker: &PublishedPass) -> Pass {
        loop {
            // One read has both: a pause that ends between two reads begins a pass.
            let word = worker.begin(|| self.word());
            if !fault!(word.is_pausing(), PauseReadAgain => self.is_pausing()) {
                return word.pass();
            }
            worker.end();
            self.gate.wait(|| self.is_pausing());
        }
    }

    /// L11: asks for a pause of turns. Returns the workers, which may run something.
    pub(super) fn begin_pause(&self) -> Vec<Arc<PublishedPass>> {
        self.set_word(self.word().pausing());
        // Pairs with the fence of `PublishedPass::begin`: either the coordinator finds the word of
        // the worker, or the worker finds the pause.
        fault!(fence(Ordering::SeqCst), NoFenceInPause => ());
        lock(&self.workers).clone()
    }

    /// L11: turns begin again, in the pass of the system.
    pub(super) fn end_pause(&self) {
        self.gate.open(|| self.set_word(PassWord::of(self.now())));
    }

    /// Begins the next pass. The caller is the coordinator, and the pass before is over (L1).
    pub(crate) fn begin_next(&self, outside: &OutsideThreads) -> (Pass, Earlier) {
        let word = self.word().next();
        let pass = word.pass();
        self.set_word(word);
        // Pairs with the fences of `PublishedPass::begin` and `Sending::begin`.
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

    /// Whether the cut is void, as far as this thread knows.
    pub(crate) fn is_void(&self) -> bool {
        // Relaxed: as in `take_void`; before the end of all passes it may be early.
        self.is_void.load(Ordering::Relaxed)
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

    /// An injected fault: threads outside are not awaited.
    #[cfg(test)]
    pub(crate) fn forget_senders(&mut self) {
        self.senders = Senders::default();
    }

    /// Whether no code of an earlier pass runs any more.
    pub(crate) fn have_left(&mut self) -> bool {
        let pass = self.pass;
        self.workers.retain(|worker| !worker.has_left_before(pass));
        self.senders.have_sent() && self.workers.is_empty()
    }
}
