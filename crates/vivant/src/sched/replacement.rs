//! Replacement of blocked workers: while turns hold workers up, surplus workers take over their
//! queues; they retire when the turns end (T6).
//!
//! D1 The number of surplus workers is at most the number of turns over the limit at the same time,
//! now or shortly before. Surplus workers that have not yet noticed a decrease are excepted. D2 A
//! surplus worker retires only between turns. Its queue goes to the other workers, and so does the
//! token that woke it.

use super::threads::{Started, Threads};
use crate::actor::Shared;
use crate::actor::{SlowReport, SlowTurn, Tenure, WorkerShared};
use crate::sync::{Arc, AtomicU64, AtomicUsize, Ordering};

/// Limit of the number of surplus workers, whatever the number of turns that hold workers up.
const SURPLUS_MAX: usize = 256;

/// A surplus worker stays this long after the last turn that needed it. Where actors have long
/// turns again and again, the next one is under way but not over the limit yet, and the actors
/// behind it would have to wait for a new thread.
const LINGER_MS: u64 = 200;

/// If a turn has run for this long, the actors in its worker's queue are offered to a sleeping
/// worker. Two, because a coarse millisecond may be a microsecond long.
pub(super) const HELD_UP_MS: u64 = 2;

#[derive(Default)]
pub(super) struct Replacement {
    /// Number of turns over the limit at the same time, by the last ticks.
    held_up: AtomicUsize,
    /// The coarse millisecond at which there were last that many.
    reached_ms: AtomicU64,
    surplus: AtomicUsize,
    started: AtomicUsize,
}

impl Replacement {
    pub(super) fn surplus(&self) -> usize {
        self.surplus.load(Ordering::Relaxed)
    }

    /// One tick of the watchdog: reports slow turns, and adds a surplus worker if work waits and no
    /// worker sleeps.
    pub(super) fn watch(&self, system: &Arc<Shared>, threads: &Threads) {
        let now_ms = system.oracle.coarse_ms();
        let limit_ms = system.config.turn_limit_ms;
        let all_shared = threads.all_shared();
        let mut held_up = 0;
        for slow in all_shared
            .iter()
            .filter_map(|worker_shared| worker_shared.watch.slow(now_ms, limit_ms))
        {
            held_up += 1;
            if slow.report == SlowReport::First {
                report(system, slow);
            }
        }
        if self.surplus() > self.recently_held_up(held_up, now_ms) {
            // Sleeping surplus workers must notice that they may retire.
            system.idle.sleepers.wake_all();
        }
        for worker_shared in &all_shared {
            if worker_shared.watch.current_turn_ms(now_ms) >= HELD_UP_MS {
                // An actor must not stay alive because a long turn has dropped its address.
                worker_shared.count_dropped();
            }
        }
        let is_waiting_behind_a_turn = |worker_shared: &Arc<WorkerShared>| {
            worker_shared.has_waiting() && worker_shared.watch.current_turn_ms(now_ms) >= HELD_UP_MS
        };
        if threads.common.is_empty()
            && !system.timers.is_worker_requested()
            && !all_shared.iter().any(is_waiting_behind_a_turn)
        {
            return;
        }
        if system.idle.sleepers.asleep() > 0 {
            system.idle.sleepers.wake_one();
        } else if self.surplus() < held_up.min(SURPLUS_MAX) {
            self.add_surplus(system, threads);
        }
    }

    /// Returns the number of surplus workers that may stay, when `now` turns are over the limit
    /// now.
    fn recently_held_up(&self, now: usize, now_ms: u64) -> usize {
        let before = self.held_up.load(Ordering::Relaxed);
        let reached_ms = self.reached_ms.load(Ordering::Relaxed);
        if now < before && now_ms.saturating_sub(reached_ms) < LINGER_MS {
            return before;
        }
        // Only the clock's thread writes.
        self.held_up.store(now, Ordering::Relaxed);
        self.reached_ms.store(now_ms, Ordering::Relaxed);
        now
    }

    fn add_surplus(&self, system: &Arc<Shared>, threads: &Threads) {
        self.surplus.fetch_add(1, Ordering::Relaxed);
        let number = threads.regular + self.started.fetch_add(1, Ordering::Relaxed);
        let worker_shared = Arc::new(WorkerShared::new(Tenure::Surplus));
        threads
            .all_shared
            .write()
            .unwrap_or_else(crate::sync::PoisonError::into_inner)
            .push(worker_shared.clone());
        if threads.start_worker(system, worker_shared.clone(), number) == Started::No {
            // The next tick tries again.
            threads.leave(&worker_shared, system);
            self.surplus.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Called by a surplus worker between turns. Returns true if it must retire; it is subtracted
    /// then.
    pub(super) fn may_retire(&self) -> bool {
        let enough =
            |surplus: usize| (surplus > self.held_up.load(Ordering::Relaxed)).then(|| surplus - 1);
        self.surplus
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, enough)
            .is_ok()
    }
}

fn report(system: &Shared, slow: SlowTurn) {
    // The actor may have ended its turn meanwhile, or be gone: then there is nothing to report.
    let cell = system.actor(slow.actor, slow.place);
    let Some(cell) = cell else { return };
    if let Some(kind) = cell.facts.current() {
        let reports = &system.reports;
        reports.slow_turn(cell.path(), kind.name, slow.for_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_surplus_workers_may_stay_as_were_needed_recently() {
        let replacement = Replacement::default();
        assert_eq!(replacement.recently_held_up(3, 1_000), 3);
        assert_eq!(replacement.recently_held_up(1, 1_001), 3);
        assert_eq!(replacement.recently_held_up(3, 1_100), 3);
        assert_eq!(replacement.recently_held_up(0, 1_100 + LINGER_MS - 1), 3);
        assert_eq!(replacement.recently_held_up(1, 1_100 + LINGER_MS), 1);
        assert_eq!(replacement.recently_held_up(0, 1_100 + 2 * LINGER_MS), 0);
    }
}
