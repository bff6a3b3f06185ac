//! Counters and histograms, for the `metrics` crate. Labels are names of types, behaviours and
//! reasons: never of actors.
//!
//! Each system requests each handle once from the recorder: so the recorder has to be installed
//! before the system is built. Every worker counts turns by itself and updates the recorder at
//! intervals, because all workers would otherwise write to one counter for each turn. Counts are
//! exact when no worker runs.
//!
//! Durations of turns are sampled: of a behaviour every 16th turn on a worker, and the first one in
//! each millisecond.

use crate::failures::{Cause, Report, catch};
use crate::oracle::Oracle;
use crate::statistics::PauseKind;
use crate::sync::{Arc, Mutex, lock};
use metrics::{Counter, Histogram, Unit, counter, describe_counter, describe_histogram, histogram};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ptr;
use std::rc::Rc;

/// Limit of turns of a behaviour that a worker counts before it updates the recorder.
const FLUSH_EVERY: u32 = 16;

/// Descriptions that the recorder shows beside the numbers.
fn describe() {
    describe_counter!("vivant_turns_total", "Turns that began");
    describe_histogram!(
        "vivant_turn_seconds",
        Unit::Seconds,
        "Time of sampled turns"
    );
    describe_histogram!(
        "vivant_mailbox_wait_seconds",
        Unit::Seconds,
        "How long the messages of sampled turns had waited, to a millisecond"
    );
    describe_histogram!(
        "vivant_pause_seconds",
        Unit::Seconds,
        "How long heaps kept their actors from running"
    );
    describe_counter!("vivant_spawned_total", "Actors that were made");
    describe_counter!("vivant_ended_total", "Actors that have ended");
    describe_counter!(
        "vivant_restarts_total",
        "Starts of supervised actors after their first"
    );
    describe_counter!(
        "vivant_dead_letters_total",
        "Messages that were not processed"
    );
    describe_counter!(
        "vivant_panics_total",
        "Turns, hooks and drops that have panicked"
    );
    describe_counter!(
        "vivant_failures_total",
        "Failures that actors have declared themselves"
    );
    describe_counter!(
        "vivant_slow_turns_total",
        "Turns that held a worker for longer than the limit"
    );
    describe_counter!(
        "vivant_large_turns_total",
        "Turns that allocated more than the limit"
    );
}

/// The stable name of an actor's type, or of a behaviour.
type TypeOrBehaviour = &'static str;

/// The handles of one system.
pub(crate) struct SystemMeters {
    turns: Mutex<BTreeMap<(TypeOrBehaviour, TypeOrBehaviour), Arc<TurnMeters>>>,
    pauses: Mutex<BTreeMap<(TypeOrBehaviour, PauseKind), Arc<Histogram>>>,
    spawned: Mutex<BTreeMap<TypeOrBehaviour, Arc<Counter>>>,
    ended: Mutex<BTreeMap<(TypeOrBehaviour, &'static str), Arc<Counter>>>,
}

struct TurnMeters {
    total: Counter,
    seconds: Histogram,
    wait_seconds: Histogram,
}

impl SystemMeters {
    pub(crate) fn new() -> SystemMeters {
        describe();
        SystemMeters {
            turns: Mutex::default(),
            pauses: Mutex::default(),
            spawned: Mutex::default(),
            ended: Mutex::default(),
        }
    }

    fn turns_of(&self, type_name: TypeOrBehaviour, behaviour: TypeOrBehaviour) -> Arc<TurnMeters> {
        shared(&self.turns, (type_name, behaviour), || {
            let labels = [("actor_type", type_name), ("behaviour", behaviour)];
            TurnMeters {
                total: counter!("vivant_turns_total", &labels),
                seconds: histogram!("vivant_turn_seconds", &labels),
                wait_seconds: histogram!("vivant_mailbox_wait_seconds", &labels),
            }
        })
    }

    fn pauses_of(&self, type_name: TypeOrBehaviour, kind: PauseKind) -> Arc<Histogram> {
        shared(&self.pauses, (type_name, kind), || {
            let labels = [("actor_type", type_name), ("kind", kind.name())];
            histogram!("vivant_pause_seconds", &labels)
        })
    }

    fn spawns_of(&self, type_name: TypeOrBehaviour) -> Arc<Counter> {
        shared(
            &self.spawned,
            type_name,
            || counter!("vivant_spawned_total", "actor_type" => type_name),
        )
    }

    fn ends_of(&self, type_name: TypeOrBehaviour, reason: &'static str) -> Arc<Counter> {
        shared(&self.ended, (type_name, reason), || {
            let labels = [("actor_type", type_name), ("reason", reason)];
            counter!("vivant_ended_total", &labels)
        })
    }
}

/// The value under `key`; a missing one is made by `make`. That calls the recorder, which is user
/// code: so no lock is held.
fn shared<K: Ord, V>(map: &Mutex<BTreeMap<K, Arc<V>>>, key: K, make: impl FnOnce() -> V) -> Arc<V> {
    let known = lock(map).get(&key).cloned();
    known.unwrap_or_else(|| {
        let made = Arc::new(make());
        lock(map).entry(key).or_insert(made).clone()
    })
}

/// The counts of one worker for one behaviour.
struct BehaviourCount {
    type_name: TypeOrBehaviour,
    behaviour: TypeOrBehaviour,
    meters: Arc<TurnMeters>,
    /// Turns not passed to the recorder yet.
    unflushed: Cell<u32>,
    /// The coarse millisecond of the last sample.
    sampled_ms: Cell<u64>,
}

impl BehaviourCount {
    fn is_of(&self, type_name: TypeOrBehaviour, behaviour: TypeOrBehaviour) -> bool {
        ptr::eq(self.behaviour, behaviour) && ptr::eq(self.type_name, type_name)
    }

    /// Counts a turn; returns whether it is to be timed.
    fn add(&self, now_ms: u64) -> bool {
        let unflushed = self.unflushed.get() + 1;
        self.unflushed.set(unflushed);
        unflushed >= FLUSH_EVERY || self.sampled_ms.get() != now_ms
    }

    fn flush(&self) {
        let unflushed = self.unflushed.take();
        if unflushed > 0 {
            self.meters.total.increment(unflushed.into());
        }
    }
}

/// The counts of one worker.
#[derive(Default)]
pub(crate) struct WorkerMeters {
    last: RefCell<Option<Rc<BehaviourCount>>>,
    counts_by_behaviour: RefCell<BTreeMap<(TypeOrBehaviour, TypeOrBehaviour), Rc<BehaviourCount>>>,
}

impl WorkerMeters {
    /// Counts a turn; returns its count, if it is to be timed.
    #[inline]
    fn counts(
        &self,
        type_name: TypeOrBehaviour,
        behaviour: TypeOrBehaviour,
        system: &SystemMeters,
        now_ms: u64,
    ) -> Option<Rc<BehaviourCount>> {
        if let Some(last) = &*self.last.borrow()
            && last.is_of(type_name, behaviour)
        {
            return last.add(now_ms).then(|| last.clone());
        }
        let count = self.count(type_name, behaviour, system);
        self.last.replace(Some(count.clone()));
        count.add(now_ms).then_some(count)
    }

    fn count(
        &self,
        type_name: TypeOrBehaviour,
        behaviour: TypeOrBehaviour,
        system: &SystemMeters,
    ) -> Rc<BehaviourCount> {
        let key = (type_name, behaviour);
        if let Some(known) = self.counts_by_behaviour.borrow().get(&key) {
            return known.clone();
        }
        let count = Rc::new(BehaviourCount {
            type_name,
            behaviour,
            meters: system.turns_of(type_name, behaviour),
            unflushed: Cell::new(0),
            sampled_ms: Cell::new(u64::MAX),
        });
        self.counts_by_behaviour
            .borrow_mut()
            .insert(key, count.clone());
        count
    }

    /// Passes all outstanding counts to the recorder.
    pub(crate) fn flush(&self) {
        for count in self.counts_by_behaviour.borrow().values() {
            count.flush();
        }
    }
}

impl Drop for WorkerMeters {
    fn drop(&mut self) {
        // At the end of a thread: a panic of the recorder must not abort it.
        let _panic = catch(|| self.flush());
    }
}

/// A timed turn, until this is dropped.
pub(super) struct TimedTurn<'w> {
    oracle: &'w Oracle,
    count: Rc<BehaviourCount>,
    began_ns: u64,
}

impl Drop for TimedTurn<'_> {
    fn drop(&mut self) {
        let ns = self.oracle.now_ns() - self.began_ns;
        self.count.meters.seconds.record(ns as f64 / 1e9);
    }
}

/// A turn that is to be timed.
pub(super) struct TurnToTime(Rc<BehaviourCount>);

/// Counts a turn.
#[inline]
pub(super) fn turn(
    type_name: TypeOrBehaviour,
    behaviour: TypeOrBehaviour,
    (worker, system): (&WorkerMeters, &SystemMeters),
    oracle: &Oracle,
) -> Option<TurnToTime> {
    let now_ms = oracle.coarse_ms();
    worker
        .counts(type_name, behaviour, system, now_ms)
        .map(TurnToTime)
}

impl TurnToTime {
    pub(super) fn start(self, sent_ms: u32, oracle: &Oracle) -> TimedTurn<'_> {
        let TurnToTime(count) = self;
        let now_ms = oracle.coarse_ms();
        count.sampled_ms.set(now_ms);
        count.flush();
        let waited_ms = (now_ms as u32).wrapping_sub(sent_ms);
        // The clock was read a moment before the stamp.
        let is_early = waited_ms > u32::MAX / 2;
        let waited_ms = if is_early { 0 } else { waited_ms };
        count.meters.wait_seconds.record(f64::from(waited_ms) / 1e3);
        TimedTurn {
            oracle,
            count,
            began_ns: oracle.now_ns(),
        }
    }
}

impl SystemMeters {
    pub(super) fn paused(&self, type_name: TypeOrBehaviour, kind: PauseKind, ns: u64) {
        self.pauses_of(type_name, kind).record(ns as f64 / 1e9);
    }

    pub(super) fn spawned(&self, type_name: TypeOrBehaviour) {
        self.spawns_of(type_name).increment(1);
    }

    pub(super) fn ended(&self, type_name: TypeOrBehaviour, reason: &'static str) {
        self.ends_of(type_name, reason).increment(1);
    }
}

pub(super) fn restarted(type_name: TypeOrBehaviour) {
    counter!("vivant_restarts_total", "actor_type" => type_name).increment(1);
}

pub(super) fn dead_letter(type_name: TypeOrBehaviour, behaviour: TypeOrBehaviour, cause: Cause) {
    let labels = [
        ("actor_type", type_name),
        ("behaviour", behaviour),
        ("cause", cause.name()),
    ];
    counter!("vivant_dead_letters_total", &labels).increment(1);
}

pub(super) fn report(report: &Report) {
    let (name, actor, behaviour) = match report {
        Report::SlowTurn {
            actor, behaviour, ..
        } => ("vivant_slow_turns_total", actor.as_str(), *behaviour),
        Report::LargeTurn {
            actor, behaviour, ..
        } => ("vivant_large_turns_total", actor.as_str(), *behaviour),
        Report::Panicked(panic) => ("vivant_panics_total", panic.actor(), panic.behaviour()),
        Report::Failed { actor, why } => ("vivant_failures_total", actor.as_str(), why.behaviour),
        Report::GaveUp { .. }
        | Report::LargeContainer { .. }
        | Report::Leaked { .. }
        | Report::Overdue { .. }
        | Report::StateNotRestored { .. }
        | Report::UnusedCollector { .. }
        | Report::ThreadFailed { .. } => return,
    };
    let actor_type = type_in(actor).to_owned();
    counter!(name, "actor_type" => actor_type, "behaviour" => behaviour.as_str()).increment(1);
}

/// The type in a path: without the numbers behind it.
fn type_in(path: &str) -> &str {
    let mut name = path;
    while let Some((before, number)) = name.rsplit_once('/')
        && (number == "…" || number.bytes().all(|byte| byte.is_ascii_digit()))
    {
        name = before;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_with_its_type() {
        assert_eq!(type_in("bank::Account/3/1"), "bank::Account");
        assert_eq!(type_in("a/b/12/…/7"), "a/b");
        assert_eq!(type_in("a timer"), "a timer");
    }
}
