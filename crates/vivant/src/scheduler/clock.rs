//! The clock thread: ticks the coarse clock, fires timers, looks for slow turns. It sleeps while the system is idle.
//!
//! K1 While any worker is awake it wakes every millisecond; else only for the next timer, or when it is roused (T5b).

use super::threads::Threads;
use crate::sync::{Arc, Condvar, Mutex, PoisonError, lock};
use crate::system::Shared;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(1);

pub(super) struct Clock {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ticking,
    /// Nobody works. A worker that wakes, and a timer that becomes the next one, rouse the clock.
    Resting,
    Closed,
}

impl Clock {
    pub(super) fn new() -> Clock {
        Clock {
            state: Mutex::new(State::Ticking),
            changed: Condvar::new(),
        }
    }

    /// The thread's life.
    pub(super) fn keep(&self, system: &Arc<Shared>, threads: &Threads) {
        loop {
            system.oracle.tick();
            system.fire_due();
            threads.handover.watch(system, threads);
            let mut state = lock(&self.state);
            if *state == State::Closed {
                return;
            }
            // A worker that wakes after this look locks the state later and finds `Resting`.
            *state = if threads.is_idle() {
                State::Resting
            } else {
                State::Ticking
            };
            // A timer set since `fire_due` has the state's lock still before it, or is seen here.
            let until_timer = system
                .timers
                .next_ns()
                .map(|at| Duration::from_nanos(at.saturating_sub(system.oracle.now_ns())));
            let wait = match (*state, until_timer) {
                (State::Ticking, until_timer) => {
                    Some(until_timer.map_or(TICK, |until| until.min(TICK)))
                }
                (_, until_timer) => until_timer,
            };
            match wait {
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

    /// Somebody works again, or the next timer is nearer than before.
    pub(crate) fn rouse(&self) {
        let mut state = lock(&self.state);
        if *state == State::Resting {
            *state = State::Ticking;
            self.changed.notify_one();
        }
    }

    /// A timer became the next one.
    pub(super) fn timer_is_nearer(&self) {
        let state = lock(&self.state);
        if *state != State::Closed {
            self.changed.notify_one();
        }
    }

    pub(super) fn close(&self) {
        *lock(&self.state) = State::Closed;
        self.changed.notify_one();
    }
}

impl Threads {
    /// Nobody runs anything: all regular workers sleep, no surplus is seated, no declared-blocking actor runs.
    fn is_idle(&self) -> bool {
        self.sleepers.asleep() >= self.regular
            && self.handover.surplus() == 0
            && self.blocking.is_idle()
            && !self.has_work()
    }

    /// A timer became the next one.
    pub(crate) fn timer_is_nearer(&self) {
        self.clock.timer_is_nearer();
    }
}
