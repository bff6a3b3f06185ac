//! The clock thread: advances the coarse clock, fires time limits, requests a worker for other
//! timers, watches for slow turns. Of users it runs wakers only. It sleeps while the system is
//! idle.
//!
//! K1 While any worker is awake it wakes every millisecond; otherwise only for the next timer, or
//! when it is roused.

use super::threads::Threads;
use crate::actor::Shared;
use crate::sync::{Arc, Condvar, Mutex, PoisonError, lock};
use std::time::Duration;

const TICK_NS: u64 = 1_000_000;

pub(super) struct ClockThread {
    state: Mutex<ClockState>,
    changed: Condvar,
}

struct ClockState {
    mode: Mode,
    /// Time at which it wakes by itself.
    wakes_ns: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ticking,
    /// All workers sleep. A worker that wakes, and a timer that becomes the next one, rouse the
    /// clock.
    Idle,
    Closed,
}

impl ClockThread {
    pub(super) fn new() -> ClockThread {
        ClockThread {
            state: Mutex::new(ClockState {
                mode: Mode::Ticking,
                wakes_ns: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The loop of the clock thread.
    pub(super) fn run(&self, system: &Arc<Shared>, threads: &Threads) {
        loop {
            system.oracle.tick();
            system.fire_limits();
            let (now_ns, now_ms) = (system.oracle.now_ns(), system.oracle.coarse_ms());
            if system.timers.request_worker(now_ns, now_ms) {
                system.idle.wake_one();
            }
            threads.replacement.watch(system, threads);
            threads.slow.watch(threads, system);
            let mut state = lock(&self.state);
            if state.mode == Mode::Closed {
                return;
            }
            // A worker that wakes after this check locks the state later and finds `Idle`.
            state.mode = if threads.is_idle(system) {
                Mode::Idle
            } else {
                Mode::Ticking
            };
            // A timer set since `request_worker` either has the state's lock still before it, or is
            // seen here.
            let now_ns = system.oracle.now_ns();
            let next_ns = system.timers.next_ns();
            let wakes_ns = match (state.mode, next_ns) {
                // A due timer waits for its worker.
                (Mode::Ticking, _) => {
                    let later = next_ns.filter(|at_ns| *at_ns > now_ns);
                    Some(later.unwrap_or(u64::MAX).min(now_ns + TICK_NS))
                }
                (_, next_ns) => next_ns,
            };
            state.wakes_ns = wakes_ns.unwrap_or(u64::MAX);
            match wakes_ns.map(|at_ns| Duration::from_nanos(at_ns.saturating_sub(now_ns))) {
                Some(wait) if wait.is_zero() => {}
                Some(wait) => drop(
                    self.changed
                        .wait_timeout(state, wait)
                        .unwrap_or_else(PoisonError::into_inner),
                ),
                None => drop(
                    self.changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner),
                ),
            }
        }
    }

    /// A worker is awake again, or the next timer is nearer than before.
    pub(crate) fn rouse(&self) {
        let mut state = lock(&self.state);
        if state.mode == Mode::Idle {
            state.mode = Mode::Ticking;
            self.changed.notify_one();
        }
    }

    /// A timer became the next one. A wake-up is seldom needed: the clock may wake before that
    /// timer anyway.
    pub(super) fn timer_is_nearer(&self, at_ns: u64) {
        let state = lock(&self.state);
        if state.mode != Mode::Closed && at_ns < state.wakes_ns {
            self.changed.notify_one();
        }
    }

    pub(super) fn close(&self) {
        lock(&self.state).mode = Mode::Closed;
        self.changed.notify_one();
    }
}

impl Threads {
    /// Returns true if all regular workers sleep, no surplus worker exists, and both thread pools
    /// are idle.
    fn is_idle(&self, system: &Shared) -> bool {
        system.idle.sleepers.asleep() >= self.regular
            && self.replacement.surplus() == 0
            && self.blocking.is_idle()
            && self.slow.is_idle()
            && !self.has_work()
            && !system.timers.is_worker_requested()
    }
}
