//! The shared part of a worker: its state that other threads access.

use crate::actor::{Cached, Dropped, Header, Runnable};
use crate::queues::CondvarParker;
use crate::queues::LifoSlot;
use crate::queues::RunQueue;
use crate::services::OwnBytes;
use crate::sync::{Arc, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// Less work than this, in nanoseconds by the mean of the last runs, stays with its worker: its
/// actors exchange messages, and each message would cross from one processor's cache to another's.
const SHARED_MIN_NS: u64 = 1_000;

/// Limit of the dropped addresses that are kept for reuse.
const DROPPED_MAX: usize = 4;

/// The shared state of one worker.
pub(crate) struct WorkerShared {
    /// The LIFO slot: the actor that this worker has woken last.
    pub(crate) woken: LifoSlot<Runnable>,
    pub(crate) queue: RunQueue<Runnable>,
    /// Addresses that this worker's turns have dropped, not yet subtracted (C6). Here and not in
    /// the worker, so that the clock can subtract them during a long turn.
    dropped: [LifoSlot<Dropped>; DROPPED_MAX],
    /// The mean time of this worker's last runs, in nanoseconds.
    pub(crate) run_ns: AtomicU32,
    /// Number of turns that this worker has lately processed in a millisecond, when it had enough
    /// work.
    pub(crate) turns_per_ms: AtomicU32,
    pub(crate) watch: Watch,
    pub(crate) parker: Arc<CondvarParker>,
    pub(crate) tenure: Tenure,
    pub(crate) bytes: OwnBytes,
    pub(crate) rest: SleepTime,
}

/// How long a worker exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tenure {
    /// As long as the system.
    Regular,
    /// As long as another worker is held up by a turn (T6), and a little longer.
    Surplus,
}

impl WorkerShared {
    pub(crate) fn new(tenure: Tenure) -> WorkerShared {
        WorkerShared {
            woken: LifoSlot::new(),
            queue: RunQueue::default(),
            dropped: std::array::from_fn(|_| LifoSlot::new()),
            run_ns: AtomicU32::new(0),
            turns_per_ms: AtomicU32::new(0),
            watch: Watch::default(),
            parker: Arc::new(CondvarParker::new()),
            tenure,
            bytes: OwnBytes::default(),
            rest: SleepTime::default(),
        }
    }

    /// Keeps an address that this worker's turn has dropped, if there is room. Only its worker
    /// calls this.
    #[inline]
    pub(crate) fn keep(&self, dropped: Dropped) -> Cached {
        match self.dropped.iter().find(|slot| slot.is_empty()) {
            Some(slot) => {
                // The slot is empty, because only this worker puts.
                drop(slot.put(dropped));
                Cached::Yes
            }
            None => dropped.not_cached(),
        }
    }

    /// Takes a dropped address of this actor. Only its worker calls this.
    #[inline]
    pub(crate) fn dropped_of(&self, actor: &Runnable) -> Option<Dropped> {
        let of_actor = |slot: &&LifoSlot<Dropped>| slot.holds(actor.as_ptr());
        self.dropped.iter().find(of_actor)?.take()
    }

    pub(crate) fn has_dropped(&self) -> bool {
        self.dropped.iter().any(|slot| !slot.is_empty())
    }

    /// Subtracts the dropped addresses. An actor without addresses is then woken, to end.
    pub(crate) fn count_dropped(&self) {
        for slot in &self.dropped {
            drop(slot.take());
        }
    }

    /// Returns the number of turns that this worker has processed.
    pub(crate) fn turns(&self) -> u64 {
        self.watch.turns.load(Ordering::Relaxed)
    }

    /// Returns true if the work in the queue is worth more than the cache misses of moving it to
    /// another worker.
    pub(crate) fn is_worth_sharing(&self) -> bool {
        let waiting = self.queue.waiting() as u64;
        waiting * u64::from(self.run_ns.load(Ordering::Relaxed)) >= SHARED_MIN_NS
    }

    /// Returns true if an actor waits for this worker. A snapshot.
    pub(crate) fn has_waiting(&self) -> bool {
        self.queue.waiting() > 0 || !self.woken.is_empty()
    }
}

/// The time that a worker has slept. All accesses are relaxed: for inspection only.
#[derive(Default)]
pub(crate) struct SleepTime {
    /// In nanoseconds, of sleeps that have ended.
    slept_ns: AtomicU64,
    /// One more than the nanosecond at which it began to sleep; zero while it is awake.
    since: AtomicU64,
}

impl SleepTime {
    pub(crate) fn begins(&self, now_ns: u64) {
        self.since.store(now_ns + 1, Ordering::Relaxed);
    }

    pub(crate) fn ends(&self, now_ns: u64) {
        let slept_ns = self.slept_ns.load(Ordering::Relaxed) + self.elapsed_ns(now_ns);
        self.since.store(0, Ordering::Relaxed);
        self.slept_ns.store(slept_ns, Ordering::Relaxed);
    }

    /// Returns how long the worker has been sleeping, in nanoseconds.
    fn elapsed_ns(&self, now_ns: u64) -> u64 {
        let since = self.since.load(Ordering::Relaxed).checked_sub(1);
        since.map_or(0, |since| now_ns.saturating_sub(since))
    }

    pub(crate) fn slept_ns(&self, now_ns: u64) -> u64 {
        self.slept_ns.load(Ordering::Relaxed) + self.elapsed_ns(now_ns)
    }
}

/// The state of a worker that the watchdog reads. All accesses are relaxed: a report may be a tick
/// late, and may already name the next actor; the watchdog reads from the actor itself what it
/// runs.
#[derive(Default)]
pub(crate) struct Watch {
    /// One more than the coarse millisecond at which the turn began; zero between turns.
    since: AtomicU64,
    /// Number of turns that have ended.
    turns: AtomicU64,
    actor: AtomicU64,
    /// Index of the actor in the registry.
    place: AtomicU32,
    reported: AtomicU8,
}

/// A turn that runs for too long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowTurn {
    pub(crate) actor: u64,
    pub(crate) place: u32,
    pub(crate) for_ms: u64,
    pub(crate) report: SlowReport,
}

/// Whether the watchdog has reported this turn before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlowReport {
    First,
    Again,
}

impl Watch {
    pub(crate) fn holds(&self, actor: &Header) {
        self.actor.store(actor.id, Ordering::Relaxed);
        self.place.store(actor.place(), Ordering::Relaxed);
    }

    /// Work begins that is no turn of an actor: it is not reported if it takes long.
    pub(crate) fn begin_other_work(&self, now_ms: u64) {
        self.actor.store(u64::MAX, Ordering::Relaxed);
        self.begins(now_ms);
    }

    /// That work has ended. The next turn may be reported.
    pub(crate) fn end_other_work(&self) {
        self.pauses();
        self.reported.store(0, Ordering::Relaxed);
    }

    pub(crate) fn begins(&self, now_ms: u64) {
        self.since.store(now_ms + 1, Ordering::Relaxed);
    }

    /// The work has ended, and it was no turn.
    #[inline]
    pub(crate) fn pauses(&self) {
        self.since.store(0, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn ends(&self) {
        self.pauses();
        // Only this worker writes, so load and store need not be one step.
        self.turns
            .store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if self.reported.load(Ordering::Relaxed) != 0 {
            self.reported.store(0, Ordering::Relaxed);
        }
    }

    /// Returns the id of the actor with a running turn, and for how many milliseconds that turn has
    /// run.
    pub(crate) fn runs(&self, now_ms: u64) -> Option<(u64, u64)> {
        let since = self.since.load(Ordering::Relaxed).checked_sub(1)?;
        let actor = self.actor.load(Ordering::Relaxed);
        Some((actor, now_ms.saturating_sub(since)))
    }

    /// Returns for how many milliseconds the current turn has run; zero between turns.
    pub(crate) fn current_turn_ms(&self, now_ms: u64) -> u64 {
        self.since
            .load(Ordering::Relaxed)
            .checked_sub(1)
            .map_or(0, |since| now_ms.saturating_sub(since))
    }

    /// Returns the current turn if it has run for `limit_ms` or longer.
    pub(crate) fn slow(&self, now_ms: u64, limit_ms: u64) -> Option<SlowTurn> {
        let for_ms = self.current_turn_ms(now_ms);
        if for_ms < limit_ms.max(1) {
            return None;
        }
        let report = if self.reported.swap(1, Ordering::Relaxed) == 0 {
            SlowReport::First
        } else {
            SlowReport::Again
        };
        Some(SlowTurn {
            actor: self.actor.load(Ordering::Relaxed),
            place: self.place.load(Ordering::Relaxed),
            for_ms,
            report,
        })
    }
}
