//! Named timers: one for each actor and name, so that a start function that runs again does not set
//! a second one.

use crate::actor::{Observation, Source, Table, Timer, Worker, observed};
use crate::api::{Call, Message, interval};
use crate::services::Services;
use crate::services::{Alarm, TimerId, ns, period_ns};
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The named timers of one system. Only an actor's own turns set and cancel those of its names; the
/// clock removes those that have fired.
#[derive(Default)]
pub(crate) struct NamedTimers(Mutex<TimerTable>);

#[derive(Default)]
struct TimerTable {
    next_number: u64,
    /// An actor's entry lasts until it ends, also when it is empty: its exit hook is registered
    /// once.
    actors: BTreeMap<u64, BTreeMap<String, TimerEntry>>,
}

/// A timer that was set, or is just being set.
struct TimerEntry {
    number: u64,
    spec: TimerSpec,
    timer: Option<TimerId>,
}

/// Two timers with equal values are the same.
#[derive(Clone, Copy, PartialEq, Eq)]
struct TimerSpec {
    schedule: Schedule,
    /// [`Message::NAME`]. The receiver has one message of this name, so no two are confused.
    message: &'static str,
    /// The receiver: its system, its number.
    to: (u64, u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Schedule {
    After { ns: u64 },
    Every { ns: u64 },
}

impl Schedule {
    fn ns(self) -> u64 {
        let (Schedule::After { ns } | Schedule::Every { ns }) = self;
        ns
    }
}

/// One of the actor's timers, by name; made by [`Turn::timer`](crate::Turn::timer).
///
/// ```
/// use std::time::Duration;
/// use vivant::prelude::*;
///
/// #[derive(Actor)] struct Cache { entries: Vec<u64> }
/// #[behaviours] impl Cache {
///     #[start] fn new(t: &Turn<Self>) -> Self {
///         t.timer("sweep").every(Duration::from_secs(60), t.me().sweep());
///         Cache { entries: Vec::new() }
///     }
///     fn sweep(&mut self) { self.entries.clear() }
///     fn be_quiet(&mut self, t: &Turn<Self>) -> bool { t.timer("sweep").cancel() }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let cache = Cache::spawn(&system);
/// assert!(cache.be_quiet().ask_blocking()?);
/// assert_eq!(system.inspect().timers, 0);
/// # Ok(()) }
/// ```
#[must_use = "it does nothing until it is set: `.every(…)`, `.after(…)`, or restarted or cancelled"]
pub struct NamedTimer<'t> {
    worker: &'t Worker,
    name: &'t str,
}

impl<'t> NamedTimer<'t> {
    pub(super) fn new(worker: &'t Worker, name: &'t str) -> NamedTimer<'t> {
        NamedTimer { worker, name }
    }
    /// Sends `call` periodically, as [`Turn::every`](crate::Turn::every) does.
    ///
    /// If it is set already, with this period, message and receiver, it continues unchanged: with
    /// the time of its next tick, and with its old arguments. Any other timer of this name is
    /// cancelled first. It ends with this actor.
    ///
    /// Costs a lock of the system's named timers, and what setting a timer costs.
    ///
    /// # Panics
    ///
    /// If `period` is zero.
    #[track_caller]
    pub fn every<M: Message>(self, period: Duration, call: Call<'_, M>) -> Timer
    where
        M::Args: Clone + Send,
    {
        let ns = period_ns(period);
        let schedule = Schedule::Every { ns };
        self.set(schedule, call, |call, finished| {
            interval(ns, call, finished)
        })
    }

    /// Sends `call` once, after `delay`, as [`Turn::after`](crate::Turn::after) does.
    ///
    /// If it is set already, with this delay, message and receiver, and has not fired, it continues
    /// unchanged: its deadline is not postponed. [`debounce`](NamedTimer::debounce) postpones it.
    /// Any other timer of this name is cancelled. It ends with this actor.
    pub fn after<M: Message>(self, delay: Duration, call: Call<'_, M>) -> Timer {
        let schedule = Schedule::After { ns: ns(delay) };
        self.set(schedule, call, |call, finished| {
            Alarm::Once(Box::new(move || {
                finished();
                call.send();
            }))
        })
    }

    /// Sends `call` once, when `delay` has passed without another call of `debounce` for this name.
    /// So of calls in quick succession only the last has an effect, with its own arguments. Any
    /// other timer of this name is cancelled. A message that it has sent is processed all the same,
    /// also if it is still in the mailbox. It ends with this actor.
    ///
    /// ```
    /// use std::time::Duration;
    /// use vivant::prelude::*;
    ///
    /// #[derive(Actor)] struct Draft { text: String, saved: usize }
    /// #[behaviours] impl Draft {
    ///     /// Saves when nothing was typed for two seconds.
    ///     fn type_in(&mut self, t: &Turn<Self>, text: String) {
    ///         self.text += &text;
    ///         t.timer("save").debounce(Duration::from_secs(2), t.me().save());
    ///     }
    ///     fn save(&mut self) { self.saved = self.text.len() }
    ///     fn saved(&self) -> usize { self.saved }
    /// }
    /// # let simulation = vivant::simulation::Simulation::new(1);
    /// # let draft = simulation.system().spawn(Draft { text: String::new(), saved: 0 });
    /// # draft.type_in("a".into()).send();
    /// # simulation.run_for(Duration::from_millis(1_500));
    /// # draft.type_in("b".into()).send();
    /// # simulation.run_for(Duration::from_millis(1_500));
    /// # assert_eq!(draft.saved().ask_blocking(), Ok(0));
    /// # simulation.run();
    /// # assert_eq!(draft.saved().ask_blocking(), Ok(2));
    /// ```
    pub fn debounce<M: Message>(self, delay: Duration, call: Call<'_, M>) -> Timer {
        self.cancel_any(self.worker.with_me(|me| me.id));
        self.after(delay, call)
    }

    /// Cancels the timer; false when none of this name is set.
    pub fn cancel(self) -> bool {
        self.cancel_any(self.worker.with_me(|me| me.id))
    }

    /// Starts the timer anew, as [`Timer::restart`](crate::Timer::restart) does. False when none of
    /// this name is set, or it has fired. A message that it has sent is processed all the same,
    /// also if it is still in the mailbox.
    ///
    /// ```
    /// use std::time::Duration;
    /// use vivant::prelude::*;
    ///
    /// #[derive(Actor)] struct Lease { is_over: bool }
    /// #[behaviours] impl Lease {
    ///     #[start] fn new(t: &Turn<Self>) -> Self {
    ///         t.timer("end").after(Duration::from_secs(2), t.me().end());
    ///         Lease { is_over: false }
    ///     }
    ///     /// False if it is too late.
    ///     fn renew(&self, t: &Turn<Self>) -> bool { t.timer("end").restart() }
    ///     fn end(&mut self) { self.is_over = true }
    ///     fn is_over(&self) -> bool { self.is_over }
    /// }
    /// # let simulation = vivant::simulation::Simulation::new(1);
    /// # let lease = Lease::spawn(simulation.system());
    /// # simulation.run_for(Duration::from_millis(1_500));
    /// # assert_eq!(lease.renew().ask_blocking(), Ok(true));
    /// # simulation.run_for(Duration::from_millis(1_500));
    /// # assert_eq!(lease.is_over().ask_blocking(), Ok(false));
    /// # simulation.run();
    /// # assert_eq!(lease.is_over().ask_blocking(), Ok(true));
    /// # assert_eq!(lease.renew().ask_blocking(), Ok(false));
    /// ```
    pub fn restart(self) -> bool {
        let (system, actor) = (&self.worker.system, self.worker.with_me(|me| me.id));
        let timer = NamedTimers::of(system).get(actor, self.name);
        let was_set =
            timer.is_some_and(|(timer, schedule)| system.restart_timer(timer, schedule.ns()));
        let source = Source::entry_of(Table::Timers, timer.as_ref().map(|(timer, _)| timer));
        observed(Observation::TimerRestart, source, was_set)
    }

    fn set<M: Message>(
        self,
        schedule: Schedule,
        call: Call<'_, M>,
        alarm: impl FnOnce(Call<'static, M>, Box<dyn Fn() + Send>) -> Alarm,
    ) -> Timer {
        let to = call.target();
        let spec = TimerSpec {
            schedule,
            message: M::NAME,
            to: (to.system.number, to.id),
        };
        let (system, name) = (&self.worker.system, self.name);
        let named = NamedTimers::of(system);
        let actor = self.worker.with_me(|me| me.id);
        let found = named.find(actor, name, spec);
        let source = Source::entry_of(Table::Timers, found.as_ref());
        let is_set = found.is_some_and(|timer| system.timers.is_set(timer));
        if observed(Observation::TimerSet, source, is_set)
            && let Some(timer) = found
        {
            return Timer::new(system.clone(), timer, schedule.ns());
        }
        self.cancel_any(actor);
        if !named.has_actor(actor) {
            let end = move |services: &Services| NamedTimers::of(services).end(services, actor);
            let _hook = self.worker.with_me(|me| system.when_ended(me, end));
        }
        // Recorded first: it may fire before this turn continues.
        let number = named.insert(actor, name, spec);
        let finished = {
            let (system, name) = (Arc::downgrade(system), name.to_owned());
            move || {
                if let Some(system) = system.upgrade() {
                    NamedTimers::of(&system).forget(actor, &name, number);
                }
            }
        };
        let timer = system.set_timer(schedule.ns(), alarm(call.into_owned(), Box::new(finished)));
        named.set_id(actor, name, number, timer.id());
        timer
    }

    fn cancel_any(&self, actor: u64) -> bool {
        let system = &self.worker.system;
        let timer = NamedTimers::of(system).remove(actor, self.name);
        let was_set = timer.is_some_and(|timer| system.timers.cancel(timer));
        let source = Source::entry_of(Table::Timers, timer.as_ref());
        observed(Observation::TimerCancel, source, was_set)
    }
}

impl NamedTimers {
    fn of(services: &Services) -> &NamedTimers {
        services.extensions.part()
    }

    fn has_actor(&self, actor: u64) -> bool {
        lock(&self.0).actors.contains_key(&actor)
    }

    fn find(&self, actor: u64, name: &str, spec: TimerSpec) -> Option<TimerId> {
        let table = lock(&self.0);
        let set = table.actors.get(&actor)?.get(name)?;
        set.timer.filter(|_| set.spec == spec)
    }

    fn get(&self, actor: u64, name: &str) -> Option<(TimerId, Schedule)> {
        let table = lock(&self.0);
        let set = table.actors.get(&actor)?.get(name)?;
        Some((set.timer?, set.spec.schedule))
    }

    fn remove(&self, actor: u64, name: &str) -> Option<TimerId> {
        let mut table = lock(&self.0);
        table.actors.get_mut(&actor)?.remove(name)?.timer
    }

    fn insert(&self, actor: u64, name: &str, spec: TimerSpec) -> u64 {
        let mut table = lock(&self.0);
        let number = table.next_number;
        table.next_number += 1;
        let timer = None;
        let set = TimerEntry {
            number,
            spec,
            timer,
        };
        let timers = table.actors.entry(actor).or_default();
        timers.insert(name.to_owned(), set);
        number
    }

    fn set_id(&self, actor: u64, name: &str, number: u64, timer: TimerId) {
        let mut table = lock(&self.0);
        let set = table.actors.get_mut(&actor).and_then(|it| it.get_mut(name));
        if let Some(set) = set.filter(|set| set.number == number) {
            set.timer = Some(timer);
        }
    }

    /// It has fired for the last time.
    fn forget(&self, actor: u64, name: &str, number: u64) {
        let mut table = lock(&self.0);
        if let Some(timers) = table.actors.get_mut(&actor)
            && timers.get(name).is_some_and(|set| set.number == number)
        {
            timers.remove(name);
        }
    }

    /// The actor has ended: cancels its timers.
    fn end(&self, services: &Services, actor: u64) {
        let timers = lock(&self.0).actors.remove(&actor).unwrap_or_default();
        for timer in timers.into_values().filter_map(|set| set.timer) {
            services.timers.cancel(timer);
        }
    }
}

impl fmt::Debug for NamedTimer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamedTimer({:?})", self.name)
    }
}
