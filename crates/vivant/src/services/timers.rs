//! Timers: messages that are sent later, once or periodically.
//!
//! Two ordered tables for each system, because an alarm with a message runs code of users: the
//! clone or drop of its arguments. The clock thread fires time limits, and requests a worker when a
//! message is due; one worker at a time fires these ([`FireTurn`]). In a simulation, virtual time
//! moves to the next deadline when nothing else can run. A timer's message carries an address, so
//! it keeps its receiver alive.

use super::alarm::{Alarm, Delayed, Interval};
use super::fire_turn::FireTurn;
use crate::failures::{Caught, catch};
use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering, lock};
use std::collections::BTreeMap;

pub(crate) struct Timers<M: Delayed> {
    table: Mutex<Deadlines<M>>,
    next_number: AtomicU64,
    fire_turn: Mutex<FireTurn>,
    fire_requested: AtomicBool,
}

#[derive(PartialEq, Eq)]
enum TimersState {
    Open,
    /// The system shuts down: no delayed message is sent any more.
    LimitsOnly,
    /// No thread fires timers any more.
    Closed,
}

struct Deadlines<M: Delayed> {
    state: TimersState,
    /// Time limits, by deadline, then by the order in which they were set (R5).
    limits: BTreeMap<(u64, u64), Alarm<M>>,
    /// Messages, in the same order.
    messages: BTreeMap<(u64, u64), Alarm<M>>,
    deadlines: BTreeMap<u64, u64>,
}

impl<M: Delayed> Default for Timers<M> {
    fn default() -> Self {
        Timers {
            table: Mutex::new(Deadlines {
                state: TimersState::Open,
                limits: BTreeMap::new(),
                messages: BTreeMap::new(),
                deadlines: BTreeMap::new(),
            }),
            next_number: AtomicU64::new(0),
            fire_turn: Mutex::default(),
            fire_requested: AtomicBool::new(false),
        }
    }
}

impl<M: Delayed> Deadlines<M> {
    fn insert(&mut self, key: (u64, u64), alarm: Alarm<M>) {
        match alarm {
            Alarm::Limit(_) => self.limits.insert(key, alarm),
            Alarm::Once(_) | Alarm::Every { .. } => self.messages.insert(key, alarm),
        };
    }

    fn remove(&mut self, key: &(u64, u64)) -> Option<Alarm<M>> {
        let limit = self.limits.remove(key);
        limit.or_else(|| self.messages.remove(key))
    }

    /// The first key of the chosen alarms.
    fn first(&self, which: Which) -> Option<(u64, u64)> {
        let limit = self.limits.first_key_value().map(|(key, _)| *key);
        let message = self.messages.first_key_value().map(|(key, _)| *key);
        match which {
            Which::Limits => limit,
            Which::Messages => message,
            Which::All => limit.into_iter().chain(message).min(),
        }
    }
}

/// Which alarms fire.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// They run no code of users but wakers.
    Limits,
    Messages,
    All,
}

/// Identity of a timer: enough to cancel it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimerId(pub(crate) u64);

impl<M: Delayed> Timers<M> {
    /// Sets an alarm. Returns true when it is now the next one, so that the thread that waits for
    /// the next must be woken. Once the timers are closed, a limit fires at once and a message is
    /// dropped.
    pub(crate) fn set(&self, at_ns: u64, alarm: Alarm<M>, system: &M::System) -> (TimerId, bool) {
        // Relaxed: the number is only an identity and an order among equals.
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let mut table = lock(&self.table);
        match (&table.state, alarm) {
            (TimersState::Closed, Alarm::Limit(action)) => {
                drop(table);
                action.act(system);
                return (TimerId(number), false);
            }
            (TimersState::Open, alarm) | (TimersState::LimitsOnly, alarm @ Alarm::Limit(_)) => {
                table.deadlines.insert(number, at_ns);
                table.insert((at_ns, number), alarm);
            }
            (TimersState::LimitsOnly | TimersState::Closed, refused) => {
                // Outside the lock: the alarm may hold addresses, and the end of their actors may
                // set or cancel timers.
                drop(table);
                drop(refused);
                return (TimerId(number), false);
            }
        }
        let is_next = table.first(Which::All).is_some_and(|key| key.1 == number);
        (TimerId(number), is_next)
    }

    /// Cancels an alarm; false when it has fired or was cancelled before.
    pub(crate) fn cancel(&self, TimerId(number): TimerId) -> bool {
        let alarm = {
            let mut table = lock(&self.table);
            let Some(at_ns) = table.deadlines.remove(&number) else {
                return false;
            };
            table.remove(&(at_ns, number))
        };
        // Dropped outside the lock: it may hold addresses, and the end of their actors may set or
        // cancel timers.
        drop(alarm);
        true
    }

    /// Gives an alarm that is still set another deadline; false when it has fired or was cancelled.
    /// An interval that fires now gets its next deadline from that.
    pub(crate) fn restart(&self, TimerId(number): TimerId, at_ns: u64) -> bool {
        let mut table = lock(&self.table);
        let Some(deadline) = table.deadlines.get_mut(&number) else {
            return false;
        };
        let before_ns = std::mem::replace(deadline, at_ns);
        if let Some(alarm) = table.remove(&(before_ns, number)) {
            table.insert((at_ns, number), alarm);
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
        let Some((number, at_ns, alarm)) = self.take_due(which, now_ns) else {
            return false;
        };
        M::begins(system);
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
                self.put_back(number, next_ns, Alarm::Every { period_ns, message });
            } else {
                self.cancel(TimerId(number));
            }
        });
        if let Err(caught) = rung {
            self.cancel(TimerId(number));
            panicked(caught);
        }
        true
    }

    fn take_due(&self, which: Which, now_ns: u64) -> Option<(u64, u64, Alarm<M>)> {
        let mut table = lock(&self.table);
        let (at_ns, number) = table.first(which).filter(|key| key.0 <= now_ns)?;
        let alarm = table.remove(&(at_ns, number))?;
        if !matches!(alarm, Alarm::Every { .. }) {
            table.deadlines.remove(&number);
        }
        Some((number, at_ns, alarm))
    }

    /// Puts an interval back, unless it was cancelled while it fired.
    fn put_back(&self, number: u64, at_ns: u64, alarm: Alarm<M>) {
        let mut table = lock(&self.table);
        if let Some(deadline) = table.deadlines.get_mut(&number) {
            *deadline = at_ns;
            table.insert((at_ns, number), alarm);
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
            let messages = std::mem::take(&mut table.messages);
            table.deadlines = table
                .limits
                .keys()
                .map(|(at_ns, number)| (*number, *at_ns))
                .collect();
            messages
        };
        for alarm in messages.into_values() {
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
            (
                std::mem::take(&mut table.limits),
                std::mem::take(&mut table.messages),
            )
        };
        for alarm in alarms.0.into_values().chain(alarms.1.into_values()) {
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
    use crate::services::alarm::{Action, Periodic};
    use crate::sync::{Arc, AtomicUsize};

    /// A message that calls a function of its test when it is sent.
    struct Rings<F>(F);

    impl<F: Fn() -> Interval + Send> Periodic for Rings<F> {
        fn name(&self) -> &'static str {
            "rings"
        }

        fn send_copy(&self) -> Interval {
            (self.0)()
        }
    }

    impl Delayed for Box<dyn Periodic> {
        type System = ();

        fn send(self) {
            let _ = self.send_copy();
        }
    }

    type TestTimers = Timers<Box<dyn Periodic>>;

    #[test]
    fn an_interval_that_fires_late_stays_on_its_grid() {
        let (timers, fired) = (TestTimers::default(), Arc::new(AtomicUsize::new(0)));
        let count = fired.clone();
        let message = Box::new(Rings(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Interval::Continue
        }));
        let period_ns = 10;
        timers.set(10, Alarm::Every { period_ns, message }, &());
        timers.fire_due(25, &(), |_| unreachable!("no alarm panics"));
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
        let message: Box<dyn Periodic> = Box::new(Rings(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Interval::End
        }));
        let (once, _) = timers.set(10, Alarm::Once(Action::Send(message)), &());
        assert!(timers.restart(once, 30));
        timers.fire_due(20, &(), |_| unreachable!("no alarm panics"));
        assert_eq!((fired.load(Ordering::Relaxed), timers.len()), (0, 1));
        timers.fire_due(30, &(), |_| unreachable!("no alarm panics"));
        assert_eq!((fired.load(Ordering::Relaxed), timers.len()), (1, 0));
        assert!(!timers.restart(once, 40));
    }

    #[test]
    fn an_interval_that_is_restarted_while_it_fires_goes_on() {
        let timers = Arc::new(TestTimers::default());
        let (id, again) = (Arc::new(Mutex::new(None)), timers.clone());
        let own = id.clone();
        let message = Box::new(Rings(move || {
            let own = lock(&own).expect("it is set");
            assert!(again.restart(own, 1_000));
            Interval::Continue
        }));
        let period_ns = 10;
        *lock(&id) = Some(timers.set(10, Alarm::Every { period_ns, message }, &()).0);
        timers.fire_due(10, &(), |_| unreachable!("no alarm panics"));
        assert_eq!((timers.next_ns(), timers.len()), (Some(20), 1));
        // The alarm refers to the timers that have it.
        timers.close(&(), |_| unreachable!("no alarm panics"));
    }
}
