//! Named timers: one for each actor and name, so that a start function that runs again does not set
//! a second one.

use crate::actor::{
    DelayedMessage, Header, Observation, Shared, Source, Table, Timer, Worker, observed,
};
use crate::api::{Call, Message, interval};
use crate::interned::Name;
use crate::services::Services;
use crate::services::{Action, ActorTable, Alarm, ExitAction, TimerId, ns, period_ns};
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// At this number of entries an actor's table is swept of timers that have fired, and again when
/// the number has doubled.
const SWEEP_MIN: usize = 16;

/// The named timers of one system. Only an actor's own turns set and cancel those of its names.
/// An actor's entry lasts until it ends, also when it is empty: its exit hook is registered once.
#[derive(Default)]
pub(crate) struct NamedTimers(Mutex<BTreeMap<u64, ActorTimers>>);

static NAMED_TIMERS: ActorTable<Arc<Shared>> = ActorTable {
    name: "named timers",
    forget: |system, actor, _| NamedTimers::of(system).end(system, actor),
};

/// The named timers of one actor.
#[derive(Default)]
struct ActorTimers {
    entries: BTreeMap<String, TimerEntry>,
    /// Number of entries after the last sweep.
    swept: usize,
}

/// A timer that was set. It may have fired since.
struct TimerEntry {
    spec: TimerSpec,
    timer: TimerId,
}

/// Two timers with equal values are the same.
#[derive(Clone, Copy, PartialEq, Eq)]
struct TimerSpec {
    schedule: Schedule,
    /// [`Message::NAME`]. The receiver has one message of this name, so no two are confused.
    message: Name,
    /// The receiver: its system, its number.
    to: (u64, u64),
}

/// When a timer fires.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Schedule {
    After { ns: u64 },
    Every { ns: u64 },
}

/// A named timer of an actor as data. It may have fired.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct NamedTimerData {
    pub(crate) name: String,
    pub(crate) timer: u64,
    pub(crate) schedule: Schedule,
    /// The name of the message, and the number of its receiver.
    pub(crate) message: String,
    pub(crate) to: u64,
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
        self.set(schedule, call, |call| interval(ns, call))
    }

    /// Sends `call` once, after `delay`, as [`Turn::after`](crate::Turn::after) does.
    ///
    /// If it is set already, with this delay, message and receiver, and has not fired, it continues
    /// unchanged: its deadline is not postponed. [`debounce`](NamedTimer::debounce) postpones it.
    /// Any other timer of this name is cancelled. It ends with this actor.
    pub fn after<M: Message>(self, delay: Duration, call: Call<'_, M>) -> Timer {
        let schedule = Schedule::After { ns: ns(delay) };
        self.set(schedule, call, |call| {
            Alarm::Once(Action::Send(call.into_delayed()))
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

    fn set<'c, M: Message>(
        self,
        schedule: Schedule,
        call: Call<'c, M>,
        alarm: impl FnOnce(Call<'c, M>) -> Alarm<DelayedMessage>,
    ) -> Timer {
        let to = call.target();
        let spec = TimerSpec {
            schedule,
            message: Name::new(M::NAME),
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
            let end = ExitAction::Forget(&NAMED_TIMERS, Box::default());
            let _hook = self.worker.with_me(|me| system.when_ended(me, end));
        }
        let timer = system.set_timer(schedule.ns(), alarm(call));
        let is_set = |timer| system.timers.is_set(timer);
        named.insert(
            actor,
            name,
            TimerEntry {
                spec,
                timer: timer.id(),
            },
            is_set,
        );
        timer
    }

    fn cancel_any(&self, actor: u64) -> bool {
        let system = &self.worker.system;
        let timer = NamedTimers::of(system).remove(actor, self.name);
        let was_set = timer.is_some_and(|timer| system.timers.cancel(timer, system));
        let source = Source::entry_of(Table::Timers, timer.as_ref());
        observed(Observation::TimerCancel, source, was_set)
    }
}

impl NamedTimers {
    pub(crate) fn of(services: &Services) -> &NamedTimers {
        services.extensions.part()
    }

    /// Those of an actor, in the order of their names. Called by its holder. A timer with a message
    /// to an actor of another system is left out.
    pub(crate) fn of_actor(&self, actor: &Header) -> Vec<NamedTimerData> {
        let system = actor.system.number;
        let table = lock(&self.0);
        let timers = table.get(&actor.id).into_iter();
        let entries = timers.flat_map(|timers| &timers.entries);
        let own = entries.filter(|(_, set)| set.spec.to.0 == system);
        own.map(|(name, set)| NamedTimerData {
            name: name.clone(),
            timer: set.timer.0,
            schedule: set.spec.schedule,
            message: set.spec.message.into(),
            to: set.spec.to.1,
        })
        .collect()
    }

    /// Gives an actor a timer that it had in another life of the system.
    pub(crate) fn restore(&self, actor: &Header, data: &NamedTimerData) {
        let system = &actor.system;
        if !self.has_actor(actor.id) {
            let end = ExitAction::Forget(&NAMED_TIMERS, Box::default());
            let _hook = system.when_ended(actor, end);
        }
        let spec = TimerSpec {
            schedule: data.schedule,
            message: Name::intern(&data.message),
            to: (system.number, data.to),
        };
        let timer = TimerId(data.timer);
        self.insert(actor.id, &data.name, TimerEntry { spec, timer }, |_| true);
    }

    fn has_actor(&self, actor: u64) -> bool {
        lock(&self.0).contains_key(&actor)
    }

    fn find(&self, actor: u64, name: &str, spec: TimerSpec) -> Option<TimerId> {
        let table = lock(&self.0);
        let set = table.get(&actor)?.entries.get(name)?;
        (set.spec == spec).then_some(set.timer)
    }

    fn get(&self, actor: u64, name: &str) -> Option<(TimerId, Schedule)> {
        let table = lock(&self.0);
        let set = table.get(&actor)?.entries.get(name)?;
        Some((set.timer, set.spec.schedule))
    }

    fn remove(&self, actor: u64, name: &str) -> Option<TimerId> {
        let mut table = lock(&self.0);
        let set = table.get_mut(&actor)?.entries.remove(name)?;
        Some(set.timer)
    }

    fn insert(&self, actor: u64, name: &str, set: TimerEntry, is_set: impl Fn(TimerId) -> bool) {
        let mut table = lock(&self.0);
        let timers = table.entry(actor).or_default();
        timers.entries.insert(name.to_owned(), set);
        if timers.entries.len() >= SWEEP_MIN.max(2 * timers.swept) {
            timers.entries.retain(|_, set| is_set(set.timer));
            timers.swept = timers.entries.len();
        }
    }

    /// The actor has ended: cancels its timers.
    fn end(&self, system: &Arc<Shared>, actor: u64) {
        let ended = lock(&self.0).remove(&actor).unwrap_or_default();
        for set in ended.entries.into_values() {
            system.timers.cancel(set.timer, system);
        }
    }
}

impl fmt::Debug for NamedTimer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamedTimer({:?})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64) -> TimerEntry {
        TimerEntry {
            spec: TimerSpec {
                schedule: Schedule::After { ns: 1 },
                message: Name::new("docs::Timed::tick"),
                to: (0, 0),
            },
            timer: TimerId(number),
        }
    }

    fn entries(timers: &NamedTimers) -> usize {
        lock(&timers.0)[&1].entries.len()
    }

    #[test]
    fn names_are_forgotten_when_their_timers_have_fired() {
        let timers = NamedTimers::default();
        for number in 0..1_000 {
            // The last two are set.
            let is_set = |TimerId(other)| other + 2 > number;
            timers.insert(1, &number.to_string(), entry(number), is_set);
            assert!(entries(&timers) < SWEEP_MIN);
        }
        assert!(timers.get(1, "998").is_some() && timers.get(1, "999").is_some());
    }

    #[test]
    fn no_timer_that_is_set_is_forgotten() {
        let timers = NamedTimers::default();
        (0..1_000).for_each(|number| {
            timers.insert(1, &number.to_string(), entry(number), |_| true);
        });
        assert_eq!(entries(&timers), 1_000);
    }
}
