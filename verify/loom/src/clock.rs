//! The clock, stopped while the system is idle (K1, `crates/vivant/src/sched/README.md`).
//!
//! Proved, on `Sleepers` of the runtime and a model of `sched/clock.rs`: K1 the clock is never
//! stopped while a worker works, whichever way that worker came back from the edge of sleep; a
//! timer that becomes the next one is not missed.
//!
//! | model | real |
//! |---|---|
//! | `Clock::keep` | `Clock::keep`; a thread that would wait for a millisecond returns instead |
//! | `Clock::rouse`, `timer_is_nearer` | the same |
//! | `Idle::sleep` | `Threads::sleep` |
//!
//! Left out: the other conditions of `is_idle` (surplus workers, the blocking pool, waiting work);
//! the work of a tick.
//!
//! The faults are in the model: the modelled code is in no file that can be shared.

use crate::check::{canaries, models};
use crate::runtime::sleep::{Park, Sleepers, Withdrawn};
use crate::sleep::{Flaw as SleepFlaw, Watched};
use crate::sync::{Arc, Condvar, Mutex, PoisonError, lock};
use loom::thread;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// A worker rouses the clock only after it was parked, not when it withdraws.
    RouseAfterParkingOnly,
    /// A nearer timer notifies without the lock.
    NotifyWithoutLock,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ticking,
    Resting,
}

/// Why the clock went on.
#[derive(PartialEq, Eq, Debug)]
enum Went {
    Ticking,
    Firing,
}

struct Clock {
    state: Mutex<State>,
    changed: Condvar,
    timers: Mutex<usize>,
}

impl Clock {
    fn new() -> Clock {
        Clock {
            state: Mutex::new(State::Ticking),
            changed: Condvar::new(),
            timers: Mutex::new(0),
        }
    }

    /// Goes on until it would have to wait: until it ticks, or fires a timer.
    fn keep(&self, is_idle: impl Fn() -> bool) -> Went {
        loop {
            let mut state = lock(&self.state);
            *state = if is_idle() {
                State::Resting
            } else {
                State::Ticking
            };
            if *state == State::Ticking {
                return Went::Ticking;
            }
            if *lock(&self.timers) > 0 {
                return Went::Firing;
            }
            drop(
                self.changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            );
        }
    }

    fn rouse(&self) {
        let mut state = lock(&self.state);
        if *state == State::Resting {
            *state = State::Ticking;
            self.changed.notify_one();
        }
    }

    fn timer_is_nearer(&self, flaw: Flaw) {
        *lock(&self.timers) += 1;
        let state = (flaw != Flaw::NotifyWithoutLock).then(|| lock(&self.state));
        self.changed.notify_one();
        drop(state);
    }
}

struct Idle {
    clock: Clock,
    sleepers: Sleepers<Watched>,
    queue: Mutex<u32>,
    flaw: Flaw,
}

impl Idle {
    fn new(flaw: Flaw) -> Arc<Idle> {
        Arc::new(Idle {
            clock: Clock::new(),
            sleepers: Sleepers::new(),
            queue: Mutex::new(0),
            flaw,
        })
    }

    fn sleep(&self, parker: &Arc<Watched>) {
        self.sleepers.announce(parker);
        let stays = *lock(&self.queue) > 0;
        if !stays || self.sleepers.withdraw(parker) == Withdrawn::TokenComes {
            parker.park();
        }
        if !stays || self.flaw != Flaw::RouseAfterParkingOnly {
            self.clock.rouse();
        }
    }
}

/// A worker falls asleep while another thread posts. Its turn then lasts until the clock has
/// ticked: for ever, if the clock is stopped.
fn turn_that_needs_a_tick(flaw: Flaw) {
    let idle = Idle::new(flaw);
    let clock = thread::spawn({
        let idle = idle.clone();
        move || idle.clock.keep(|| idle.sleepers.asleep() >= 1)
    });
    let sender = thread::spawn({
        let idle = idle.clone();
        move || {
            *lock(&idle.queue) += 1;
            idle.sleepers.wake_one();
        }
    });
    let worker = thread::spawn({
        let idle = idle.clone();
        move || {
            let parker = Watched::new(SleepFlaw::None);
            while *lock(&idle.queue) == 0 {
                idle.sleep(&parker);
            }
            assert_eq!(clock.join().unwrap(), Went::Ticking, "K1");
            parker.has_no_token();
        }
    });
    sender.join().unwrap();
    worker.join().unwrap();
}

fn timer_for_a_resting_clock(flaw: Flaw) {
    let idle = Idle::new(flaw);
    let clock = thread::spawn({
        let idle = idle.clone();
        move || idle.clock.keep(|| true)
    });
    idle.clock.timer_is_nearer(flaw);
    assert_eq!(clock.join().unwrap(), Went::Firing, "K1");
}

models! {
    /// K1, for a worker that comes back from sleep or from its edge.
    the_clock_does_not_rest_while_a_worker_works: holds || turn_that_needs_a_tick(Flaw::None);
    /// K1, for timers.
    a_nearer_timer_is_not_overlooked: holds || timer_for_a_resting_clock(Flaw::None);
}

canaries! {
    /// The clock checked while the worker was announced, and is not notified that the worker
    /// withdrew.
    a_withdrawal_that_does_not_rouse_is_caught:
        "deadlock" => || turn_that_needs_a_tick(Flaw::RouseAfterParkingOnly);
    /// The clock has looked at its timers and does not wait yet.
    a_notification_without_the_lock_is_caught:
        "deadlock" => || timer_for_a_resting_clock(Flaw::NotifyWithoutLock);
}
