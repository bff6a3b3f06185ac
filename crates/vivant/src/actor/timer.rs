//! [`Timer`]: a timer that was set, and the timers of a system.

use super::observation::{Observation, Source, observed};
use super::refusal::DelayedMessage;
use super::shared::Shared;
use crate::failures::Caught;
use crate::failures::{Inside, Panic};
use crate::interned::Name;
use crate::services::Alarm;
use crate::services::TimerId;
use crate::sync::Arc;
use std::fmt;

/// A timer that was set; see [`Turn::after`](crate::Turn::after) and
/// [`Turn::every`](crate::Turn::every).
///
/// Dropping it does not cancel it.
#[derive(Clone)]
pub struct Timer {
    system: Arc<Shared>,
    id: TimerId,
    /// Its delay, or its period.
    in_ns: u64,
}

impl Timer {
    pub(crate) fn new(system: Arc<Shared>, id: TimerId, in_ns: u64) -> Timer {
        Timer { system, id, in_ns }
    }

    pub(crate) fn system(&self) -> &Shared {
        &self.system
    }

    pub(crate) fn id(&self) -> TimerId {
        self.id
    }

    /// Its delay, or its period.
    pub(crate) fn in_ns(&self) -> u64 {
        self.in_ns
    }

    /// Cancels the timer. False when it has fired, or was cancelled before; a message that it has
    /// sent already is not recalled.
    pub fn cancel(&self) -> bool {
        let was_set = self.system.timers.cancel(self.id, &self.system);
        observed(Observation::TimerCancel, Source::Entry(&self.id), was_set)
    }

    /// Cancels the timer, for a caller that must not learn whether it was set.
    pub(crate) fn forget(&self) {
        self.system.timers.cancel(self.id, &self.system);
    }

    /// Starts the timer anew: it fires after its whole delay from now; a periodic one after its
    /// whole period, and so on. The message stays the same. False when it has fired, or was
    /// cancelled before; then nothing is set. A message that it has sent is processed all the same,
    /// also if it is still in the mailbox. Costs two changes of an ordered table, under a lock.
    ///
    /// ```
    /// use std::time::Duration;
    /// use vivant::prelude::*;
    /// use vivant::{Timer, simulation::Simulation};
    ///
    /// /// Logs out after ten minutes without a request.
    /// #[derive(Actor)] struct Session { idle: Timer, is_open: bool }
    /// #[behaviours] impl Session {
    ///     #[start] fn new(t: &Turn<Self>) -> Self {
    ///         Session { idle: t.after(Duration::from_secs(600), t.me().log_out()), is_open: true }
    ///     }
    ///     fn request(&mut self) -> bool { self.idle.restart() }
    ///     fn log_out(&mut self) { self.is_open = false }
    ///     fn is_open(&self) -> bool { self.is_open }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let simulation = Simulation::new(1);
    /// let session = Session::spawn(simulation.system());
    /// simulation.run_for(Duration::from_secs(400));
    /// assert!(session.request().ask_blocking()?);
    /// simulation.run_for(Duration::from_secs(400));
    /// assert!(session.is_open().ask_blocking()?);
    /// simulation.run_for(Duration::from_secs(200));
    /// assert!(!session.is_open().ask_blocking()?);
    /// # Ok(()) }
    /// ```
    pub fn restart(&self) -> bool {
        let was_set = self.system.restart_timer(self.id, self.in_ns);
        observed(Observation::TimerRestart, Source::Entry(&self.id), was_set)
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timer({})", self.id.0)
    }
}

impl Shared {
    /// Sets an alarm that fires `in_ns` nanoseconds from now.
    pub(crate) fn set_timer(self: &Arc<Self>, in_ns: u64, alarm: Alarm<DelayedMessage>) -> Timer {
        let at_ns = self.oracle.now_ns().saturating_add(in_ns);
        let (id, is_next) = self.timers.set(at_ns, alarm, self);
        if is_next {
            self.scheduler.timer_is_nearer(at_ns);
        }
        Timer::new(self.clone(), id, in_ns)
    }

    /// Sets an alarm as it was in another life of the system, with this number.
    pub(crate) fn restored_timer(
        self: &Arc<Self>,
        id: TimerId,
        in_ns: u64,
        alarm: Alarm<DelayedMessage>,
    ) -> Timer {
        let at_ns = self.oracle.now_ns().saturating_add(in_ns);
        self.timers.restore(id, at_ns, alarm, self);
        Timer::new(self.clone(), id, in_ns)
    }

    /// Sets a timer that has not fired anew, `in_ns` nanoseconds from now. The new time is never
    /// earlier, so the clock need not be woken.
    pub(crate) fn restart_timer(self: &Arc<Self>, id: TimerId, in_ns: u64) -> bool {
        let at_ns = self.oracle.now_ns().saturating_add(in_ns);
        self.timers.restart(id, at_ns, self)
    }

    /// Fires the timers that are due. For a simulation.
    pub(crate) fn fire_due(self: &Arc<Self>) {
        let now_ns = self.oracle.now_ns();
        self.timers
            .fire_due(now_ns, self, |caught| self.timer_panicked(caught));
    }

    /// Fires the time limits that are due.
    pub(crate) fn fire_limits(self: &Arc<Self>) {
        let now_ns = self.oracle.now_ns();
        self.timers
            .fire_limits(now_ns, self, |caught| self.timer_panicked(caught));
    }

    /// Fires the timers with messages that are due, if no other worker does.
    pub(crate) fn fire_in_turn(self: &Arc<Self>) {
        let now_ms = || self.oracle.coarse_ms();
        self.timers
            .fire_in_turn(self.oracle.now_ns(), now_ms, self, |caught| {
                self.timer_panicked(caught);
            });
    }

    /// User code in a timer's message panicked.
    pub(crate) fn timer_panicked(&self, caught: Caught) {
        let actor = "a timer".to_owned();
        self.reports.panicked(&Panic::of(
            Inside {
                actor,
                behaviour: Name::new("-"),
            },
            caught,
        ));
    }
}

vivant_heap::leaf!([] Timer);
