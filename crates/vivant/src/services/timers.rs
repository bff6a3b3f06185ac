//! Timers: messages that are sent later, once or periodically.
//!
//! Two ordered tables for each system, because an alarm with a message runs code of users: the
//! clone or drop of its arguments. The clock thread fires time limits, and requests a worker when a
//! message is due; one worker at a time fires these ([`FireTurn`]). In a simulation, virtual time
//! moves to the next deadline when nothing else can run. A timer's message carries an address, so
//! it keeps its receiver alive.

use super::alarm::{Action, Alarm, Delayed, Interval};
use super::deadlines::{Deadlines, Key, TimersState, Which};
use super::fire_turn::FireTurn;
use crate::failures::{Caught, catch};
use crate::phase::Stamp;
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering, lock};

pub(crate) struct Timers<M: Delayed> {
    table: Mutex<Deadlines<M>>,
    next_number: AtomicU64,
    /// The next number of a call or a message of the runtime.
    next_call: AtomicU64,
    fire_turn: Mutex<FireTurn>,
    fire_requested: AtomicBool,
}

impl<M: Delayed> Default for Timers<M> {
    fn default() -> Self {
        Timers {
            table: Mutex::default(),
            next_number: AtomicU64::new(0),
            next_call: AtomicU64::new(TimerId::CALLS.0),
            fire_turn: Mutex::default(),
            fire_requested: AtomicBool::new(false),
        }
    }
}

/// An alarm that was taken out, to fire.
struct Due<M: Delayed> {
    number: u64,
    at_ns: u64,
    alarm: Alarm<M>,
    /// The phase of the code that took it out.
    stamp: Stamp,
}

/// Identity of a timer: enough to cancel it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TimerId(pub(crate) u64);

impl TimerId {
    /// The numbers from here on are those of the runtime's calls and messages, which no program can
    /// name and no image contains. So these change no number of another alarm, also in a system
    /// that is being restored.
    pub(crate) const CALLS: TimerId = TimerId(1 << 63);
}

impl<M: Delayed> Timers<M> {
    /// Sets an alarm. Returns true when it is now the next one, so that the thread that waits for
    /// the next must be woken. Once the timers are closed, a limit fires at once and a message is
    /// dropped.
    pub(crate) fn set(&self, at_ns: u64, alarm: Alarm<M>, system: &M::System) -> (TimerId, bool) {
        let next = match &alarm {
            Alarm::Once(Action::Call(..)) => &self.next_call,
            Alarm::Once(Action::Send(message)) if message.is_of_runtime() => &self.next_call,
            _ => &self.next_number,
        };
        // Relaxed: the number is only an identity and an order among equals.
        let number = next.fetch_add(1, Ordering::Relaxed);
        let key = (at_ns, number);
        // Only the entries of messages have stamps.
        let put = match alarm {
            Alarm::Limit(_) => self.put(key, alarm, Stamp::default()),
            _ => M::change_table(system, |code| self.put(key, alarm, code.stamp())),
        };
        let is_next = match put {
            Ok(is_next) => is_next,
            Err(Alarm::Limit(action)) => {
                action.act(system);
                false
            }
            // Outside the lock: the alarm may hold addresses, and the end of their actors may set
            // or cancel timers.
            Err(_) => false,
        };
        (TimerId(number), is_next)
    }

    /// Puts in a new alarm, or returns it when the timers are closed. True when it is now the next
    /// one.
    fn put(&self, key: Key, alarm: Alarm<M>, stamp: Stamp) -> Result<bool, Alarm<M>> {
        let mut table = lock(&self.table);
        match (&table.state, &alarm) {
            (TimersState::Open, _) | (TimersState::LimitsOnly, Alarm::Limit(_)) => {
                table.deadlines.insert(key.1, key.0);
                table.insert(key, alarm, stamp);
                Ok(table.first(Which::All) == Some(key))
            }
            (TimersState::LimitsOnly | TimersState::Closed, _) => Err(alarm),
        }
    }

    /// Sets an alarm as it was in another life of the system. Alarms that are set from here on have
    /// higher numbers.
    pub(crate) fn restore(
        &self,
        TimerId(number): TimerId,
        at_ns: u64,
        alarm: Alarm<M>,
        system: &M::System,
    ) {
        self.number_behind(number.saturating_add(1));
        let put = M::change_table(system, |code| {
            self.put((at_ns, number), alarm, code.stamp())
        });
        // Outside the lock: a refused alarm may hold addresses.
        drop(put);
    }

    /// The number of the next alarm.
    pub(crate) fn next_number(&self) -> u64 {
        // Relaxed: a number on its own.
        self.next_number.load(Ordering::Relaxed)
    }

    /// The next alarm has this number, or a higher one.
    pub(crate) fn number_behind(&self, number: u64) {
        // Relaxed: a number on its own.
        self.next_number.fetch_max(number, Ordering::Relaxed);
    }

    /// L10: see [`Deadlines::record_older`].
    pub(crate) fn record_older(
        &self,
        behind: Option<Key>,
        limit: usize,
        system: &M::System,
    ) -> Option<Key> {
        lock(&self.table).record_older(behind, limit, system)
    }

    /// Cancels an alarm; false when it has fired or was cancelled before.
    pub(crate) fn cancel(&self, TimerId(number): TimerId, system: &M::System) -> bool {
        let alarm = {
            let mut table = lock(&self.table);
            let Some(at_ns) = table.deadlines.remove(&number) else {
                return false;
            };
            table.remove((at_ns, number), system)
        };
        // Dropped outside the lock: it may hold addresses, and the end of their actors may set or
        // cancel timers.
        drop(alarm);
        true
    }

    /// Gives an alarm that is still set another deadline; false when it has fired or was cancelled.
    /// An interval that fires now gets its next deadline from that.
    pub(crate) fn restart(&self, TimerId(number): TimerId, at_ns: u64, system: &M::System) -> bool {
        let mut table = lock(&self.table);
        let Some(deadline) = table.deadlines.get_mut(&number) else {
            return false;
        };
        let before_ns = std::mem::replace(deadline, at_ns);
        if let Some((alarm, stamp)) = table.remove((before_ns, number), system) {
            table.insert((at_ns, number), alarm, stamp);
        }
        true
    }

    /// The next deadline.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        lock(&self.table).first(Which::All).map(|key| key.0)
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.table).deadlines.len()
    }

    /// Requests a worker that fires the messages that are due, unless one is firing. Returns
    /// whether one is requested.
    pub(crate) fn request_worker(&self, now_ns: u64, now_ms: u64) -> bool {
        let next = lock(&self.table).first(Which::Messages);
        let is_due = next.is_some_and(|(at_ns, _)| at_ns <= now_ns);
        if !is_due || !lock(&self.fire_turn).is_free(now_ms) {
            return false;
        }
        // SeqCst: a worker that falls asleep has announced it before it loads this, and is woken if
        // it has not seen the store.
        self.fire_requested.store(true, Ordering::SeqCst);
        true
    }

    /// Whether a worker is to fire what is due.
    #[inline]
    pub(crate) fn is_worker_requested(&self) -> bool {
        // SeqCst: pairs with the store in `request_worker`: a worker announces its sleep before
        // this load.
        self.fire_requested.load(Ordering::SeqCst)
    }

    /// Fires the time limits that are due: the clock thread does, also if no worker is free.
    pub(crate) fn fire_limits(&self, now_ns: u64, system: &M::System, panicked: impl Fn(Caught)) {
        while self.fire_next(Which::Limits, now_ns, system, &panicked) {}
    }

    /// Fires the messages that are due, for the one of several workers that has the turn to do it.
    /// `now_ms` returns the coarse time.
    pub(crate) fn fire_in_turn(
        &self,
        now_ns: u64,
        now_ms: impl Fn() -> u64,
        system: &M::System,
        panicked: impl Fn(Caught),
    ) {
        // Relaxed: what becomes due later is requested again by the clock.
        self.fire_requested.store(false, Ordering::Relaxed);
        let Some(turn) = lock(&self.fire_turn).begin(now_ms()) else {
            return;
        };
        while self.fire_next(Which::Messages, now_ns, system, &panicked) {
            if !lock(&self.fire_turn).goes_on(turn, now_ms()) {
                return;
            }
        }
        lock(&self.fire_turn).end(turn);
    }

    /// Fires everything that is due at `now_ns`, in order. An alarm may run user code (the clone or
    /// drop of a message): a panic in it is passed to `panicked`, and no other alarm is lost.
    pub(crate) fn fire_due(&self, now_ns: u64, system: &M::System, panicked: impl Fn(Caught)) {
        while self.fire_next(Which::All, now_ns, system, &panicked) {}
    }

    /// Fires the next alarm that is due at `now_ns`. Returns false if none is.
    fn fire_next(
        &self,
        which: Which,
        now_ns: u64,
        system: &M::System,
        panicked: &impl Fn(Caught),
    ) -> bool {
        let Some(due) = self.take_due(which, now_ns, system) else {
            return false;
        };
        let Due {
            number,
            at_ns,
            alarm,
            stamp,
        } = due;
        let rung = catch(|| {
            let again = match alarm {
                Alarm::Limit(action) | Alarm::Once(action) => {
                    action.act(system);
                    None
                }
                Alarm::Every { period_ns, message } => {
                    (message.send_copy() == Interval::Continue).then_some((period_ns, message))
                }
            };
            if let Some((period_ns, message)) = again {
                // The next deadline of the same grid that is not past: intervals do not drift,
                // and missed ticks are not made up for.
                let missed = now_ns.saturating_sub(at_ns) / period_ns;
                let next_ns = at_ns.saturating_add((missed + 1).saturating_mul(period_ns));
                let alarm = Alarm::Every { period_ns, message };
                self.put_back((next_ns, number), alarm, stamp);
            } else {
                self.cancel(TimerId(number), system);
            }
        });
        if let Err(caught) = rung {
            self.cancel(TimerId(number), system);
            panicked(caught);
        }
        true
    }

    fn take_due(&self, which: Which, now_ns: u64, system: &M::System) -> Option<Due<M>> {
        let due = |table: &Deadlines<M>| table.first(which).filter(|key| key.0 <= now_ns);
        let mut table = lock(&self.table);
        let mut key = due(&table)?;
        if table.limits.contains_key(&key) || table.is_newer(key, system) {
            // L6: what follows may be news of behind the line.
            drop(table);
            M::begins(system);
            table = lock(&self.table);
            key = due(&table)?;
        }
        let (alarm, stamp) = table.remove(key, system)?;
        let (at_ns, number) = key;
        if !matches!(alarm, Alarm::Every { .. }) {
            table.deadlines.remove(&number);
        }
        Some(Due {
            number,
            at_ns,
            alarm,
            stamp,
        })
    }

    /// Puts an interval back, unless it was cancelled while it fired.
    fn put_back(&self, (at_ns, number): Key, alarm: Alarm<M>, stamp: Stamp) {
        let mut table = lock(&self.table);
        if let Some(deadline) = table.deadlines.get_mut(&number) {
            *deadline = at_ns;
            table.insert((at_ns, number), alarm, stamp);
        } else {
            // Outside the lock: the alarm may hold addresses, and the end of their actors may set
            // or cancel timers.
            drop(table);
            drop(alarm);
        }
    }

    /// The system begins to shut down: delayed messages are dropped.
    pub(crate) fn drop_messages(&self, panicked: impl Fn(Caught)) {
        let messages = {
            let mut table = lock(&self.table);
            if table.state == TimersState::Closed {
                return;
            }
            table.state = TimersState::LimitsOnly;
            let messages = table.take_messages();
            table.deadlines = table
                .limits
                .keys()
                .map(|(at_ns, number)| (*number, *at_ns))
                .collect();
            messages
        };
        for alarm in messages {
            if let Err(caught) = catch(move || drop(alarm)) {
                panicked(caught);
            }
        }
    }

    /// The clock stops: all time limits that are still waited for fire now, because they could not
    /// fire later.
    pub(crate) fn close(&self, system: &M::System, panicked: impl Fn(Caught)) {
        let alarms = {
            let mut table = lock(&self.table);
            table.state = TimersState::Closed;
            table.deadlines.clear();
            (std::mem::take(&mut table.limits), table.take_messages())
        };
        for alarm in alarms.0.into_values().chain(alarms.1) {
            let rung = catch(move || {
                if let Alarm::Limit(action) = alarm {
                    action.act(system);
                }
            });
            if let Err(caught) = rung {
                panicked(caught);
            }
        }
    }

    /// Whether it will still fire.
    pub(crate) fn is_set(&self, TimerId(number): TimerId) -> bool {
        lock(&self.table).deadlines.contains_key(&number)
    }

    pub(crate) fn are_closed(&self) -> bool {
        lock(&self.table).state == TimersState::Closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phase::{Passes, Phase};
    use crate::services::alarm::{AlarmEntry, Periodic};
    use crate::sync::{Arc, AtomicUsize};
    use std::fmt;

    /// A message that calls a function of its test when it is sent.
    #[derive(Clone)]
    struct Rings(Arc<dyn Fn() -> Interval + Send + Sync>);

    impl Rings {
        fn new(body: impl Fn() -> Interval + Send + Sync + 'static) -> Rings {
            Rings(Arc::new(body))
        }
    }

    impl fmt::Debug for Rings {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("rings")
        }
    }

    impl Periodic<Rings> for Rings {
        fn name(&self) -> &'static str {
            "rings"
        }

        fn send_copy(&self) -> Interval {
            (self.0)()
        }

        fn copy(&self) -> Option<Rings> {
            Some(self.clone())
        }
    }

    impl Delayed for Rings {
        type System = Passes;

        fn send(self) {
            let _ = self.send_copy();
        }

        fn change_table<R>(passes: &Passes, body: impl FnOnce(Phase) -> R) -> R {
            body(passes.now().phase())
        }

        fn passes(passes: &Passes) -> &Passes {
            passes
        }

        fn record(_: &Passes, _: AlarmEntry<'_, Rings>) {}
    }

    type TestTimers = Timers<Rings>;

    #[test]
    fn an_interval_that_fires_late_stays_on_its_grid() {
        let (timers, fired) = (TestTimers::default(), Arc::new(AtomicUsize::new(0)));
        let count = fired.clone();
        let message = Rings::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Interval::Continue
        });
        let (period_ns, message) = (10, Box::new(message));
        let system = Passes::default();
        timers.set(10, Alarm::Every { period_ns, message }, &system);
        timers.fire_due(25, &system, |_| unreachable!("no alarm panics"));
        assert_eq!(
            fired.load(Ordering::Relaxed),
            1,
            "the tick at 20 is left out"
        );
        assert_eq!(timers.next_ns(), Some(30), "not at 25 + 10");
    }

    #[test]
    fn a_restart_moves_the_deadline_of_an_alarm_that_is_set() {
        let (timers, fired) = (
            Arc::new(TestTimers::default()),
            Arc::new(AtomicUsize::new(0)),
        );
        let count = fired.clone();
        let system = Passes::default();
        let message = Rings::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Interval::End
        });
        let (once, _) = timers.set(10, Alarm::Once(Action::Send(message)), &system);
        assert!(timers.restart(once, 30, &system));
        timers.fire_due(20, &system, |_| unreachable!("no alarm panics"));
        assert_eq!((fired.load(Ordering::Relaxed), timers.len()), (0, 1));
        timers.fire_due(30, &system, |_| unreachable!("no alarm panics"));
        assert_eq!((fired.load(Ordering::Relaxed), timers.len()), (1, 0));
        assert!(!timers.restart(once, 40, &system));
    }

    #[test]
    fn an_interval_that_is_restarted_while_it_fires_goes_on() {
        let timers = Arc::new(TestTimers::default());
        let (id, again) = (Arc::new(Mutex::new(None)), timers.clone());
        let own = id.clone();
        let message = Rings::new(move || {
            let own = lock(&own).expect("it is set");
            assert!(again.restart(own, 1_000, &Passes::default()));
            Interval::Continue
        });
        let (period_ns, message) = (10, Box::new(message));
        let system = Passes::default();
        *lock(&id) = Some(
            timers
                .set(10, Alarm::Every { period_ns, message }, &system)
                .0,
        );
        timers.fire_due(10, &system, |_| unreachable!("no alarm panics"));
        assert_eq!((timers.next_ns(), timers.len()), (Some(20), 1));
        // The alarm refers to the timers that have it.
        timers.close(&system, |_| unreachable!("no alarm panics"));
    }
}
