//! A worker's seat: what others see of it.

use super::run_queue::RunQueue;
use super::sleep::CondvarParker;
use crate::sync::{Arc, AtomicU8, AtomicU64, Ordering};

/// One for each worker thread.
pub(crate) struct Seat {
    pub(super) queue: RunQueue,
    pub(super) watch: Watch,
    pub(super) parker: Arc<CondvarParker>,
    pub(super) tenure: Tenure,
}

/// How long a worker serves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tenure {
    /// As long as the system.
    Regular,
    /// As long as another worker is held up by a turn (T6).
    Surplus,
}

impl Seat {
    pub(super) fn new(tenure: Tenure) -> Seat {
        Seat {
            queue: RunQueue::default(),
            watch: Watch::default(),
            parker: Arc::new(CondvarParker::new()),
            tenure,
        }
    }
}

/// What the watchdog sees of a worker. All relaxed: a report may be a tick late, and `actor` may already name the next
/// turn; the watchdog asks the actor itself what it runs.
#[derive(Default)]
pub(super) struct Watch {
    /// One more than the coarse millisecond at which the turn began; zero between turns.
    since: AtomicU64,
    actor: AtomicU64,
    reported: AtomicU8,
}

/// A turn that has been running too long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slow {
    pub(super) actor: u64,
    pub(super) for_ms: u64,
    pub(super) news: News,
}

/// Whether the watchdog has told of this turn before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum News {
    First,
    Again,
}

impl Watch {
    pub(super) fn begins(&self, now_ms: u64, actor: u64) {
        self.actor.store(actor, Ordering::Relaxed);
        self.since.store(now_ms + 1, Ordering::Relaxed);
    }

    pub(super) fn ends(&self) {
        self.since.store(0, Ordering::Relaxed);
        if self.reported.load(Ordering::Relaxed) != 0 {
            self.reported.store(0, Ordering::Relaxed);
        }
    }

    /// For how many milliseconds the present turn has run; zero between turns.
    pub(super) fn runs_since(&self, now_ms: u64) -> u64 {
        self.since
            .load(Ordering::Relaxed)
            .checked_sub(1)
            .map_or(0, |since| now_ms.saturating_sub(since))
    }

    /// The turn that has run for `limit_ms` or longer, if one has.
    pub(super) fn slow(&self, now_ms: u64, limit_ms: u64) -> Option<Slow> {
        let for_ms = self.runs_since(now_ms);
        if for_ms < limit_ms.max(1) {
            return None;
        }
        let news = if self.reported.swap(1, Ordering::Relaxed) == 0 {
            News::First
        } else {
            News::Again
        };
        Some(Slow {
            actor: self.actor.load(Ordering::Relaxed),
            for_ms,
            news,
        })
    }
}
