//! Hand-over: when turns hold workers up, surplus workers take their queues; they retire when the
//! turns end (T6).
//!
//! G1 There are never more surplus workers than there were turns over the limit at once, now or
//! shortly before, but for those that have not yet noticed. G2 A surplus worker retires only
//! between turns. Its queue goes to the others, and so does the token that woke it.

use super::seat::{News, Seat, Tenure};
use super::threads::{Started, Threads};
use crate::sync::{Arc, AtomicU64, AtomicUsize, Ordering};
use crate::system::Shared;

/// However many turns hold workers up, this many threads are added at most.
const SURPLUS_MAX: usize = 256;

/// For so long after the last turn that needed it a surplus worker stays. Where actors have long
/// turns again and again, the next is under way but not over the limit yet, and who then waits
/// would wait for a new thread.
const LINGER_MS: u64 = 200;

/// An actor in the queue of a worker whose turn has run for so long is offered to a sleeping
/// worker. Two, because a coarse millisecond may be a microsecond long.
pub(super) const NEGLECTED_MS: u64 = 2;

#[derive(Default)]
pub(super) struct Handover {
    /// Turns over the limit at once, by the last ticks.
    held_up: AtomicUsize,
    /// The coarse millisecond at which there were last so many.
    reached_ms: AtomicU64,
    surplus: AtomicUsize,
    started: AtomicUsize,
}

impl Handover {
    pub(super) fn surplus(&self) -> usize {
        self.surplus.load(Ordering::Relaxed)
    }

    /// One tick of the watchdog: reports slow turns, and seats a surplus worker if work waits and
    /// nobody is free.
    pub(super) fn watch(&self, system: &Arc<Shared>, threads: &Threads) {
        let now_ms = system.oracle.coarse_ms();
        let limit_ms = system.config.turn_limit_ms;
        let seats = threads.seats();
        let mut held_up = 0;
        for slow in seats
            .iter()
            .filter_map(|seat| seat.watch.slow(now_ms, limit_ms))
        {
            held_up += 1;
            if slow.news == News::First {
                system
                    .reports
                    .slow_turn(system, (slow.actor, slow.place), slow.for_ms);
            }
        }
        if self.surplus() > self.lately_held_up(held_up, now_ms) {
            // Sleeping surplus workers must hear that they may retire.
            threads.sleepers.wake_all();
        }
        for seat in &seats {
            if seat.watch.runs_since(now_ms) >= NEGLECTED_MS {
                // Nobody is to live on because of a turn that has dropped its address.
                seat.count_dropped();
            }
        }
        let neglected =
            |seat: &Arc<Seat>| seat.has_waiting() && seat.watch.runs_since(now_ms) >= NEGLECTED_MS;
        if threads.common.is_empty() && !seats.iter().any(neglected) {
            return;
        }
        if threads.sleepers.asleep() > 0 {
            threads.sleepers.wake_one();
        } else if self.surplus() < held_up.min(SURPLUS_MAX) {
            self.seat_surplus(system, threads);
        }
    }

    /// How many surplus workers may stay, when now so many turns are over the limit.
    fn lately_held_up(&self, now: usize, now_ms: u64) -> usize {
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

    fn seat_surplus(&self, system: &Arc<Shared>, threads: &Threads) {
        self.surplus.fetch_add(1, Ordering::Relaxed);
        let number = threads.regular + self.started.fetch_add(1, Ordering::Relaxed);
        let seat = Arc::new(Seat::new(Tenure::Surplus));
        threads
            .seats
            .write()
            .unwrap_or_else(crate::sync::PoisonError::into_inner)
            .push(seat.clone());
        if threads.seat_worker(system, seat.clone(), number) == Started::No {
            // The next tick tries again.
            threads.leave(&seat);
            self.surplus.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Asked by a surplus worker between turns: whether it is one too many. If so it is counted
    /// out.
    pub(super) fn may_retire(&self) -> bool {
        let enough =
            |surplus: usize| (surplus > self.held_up.load(Ordering::Relaxed)).then(|| surplus - 1);
        self.surplus
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, enough)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_may_stay_as_were_needed_lately() {
        let handover = Handover::default();
        assert_eq!(handover.lately_held_up(3, 1_000), 3);
        assert_eq!(handover.lately_held_up(1, 1_001), 3);
        assert_eq!(handover.lately_held_up(3, 1_100), 3);
        assert_eq!(handover.lately_held_up(0, 1_100 + LINGER_MS - 1), 3);
        assert_eq!(handover.lately_held_up(1, 1_100 + LINGER_MS), 1);
        assert_eq!(handover.lately_held_up(0, 1_100 + 2 * LINGER_MS), 0);
    }
}
