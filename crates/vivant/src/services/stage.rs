//! [`Stage`]: what a simulated system records of its turns, and the faults that it injects.

use super::alarm::ns;
use super::faults::Faults;
use super::turn_record::{BeginningTurn, RecordedTurn, Trace, TurnRecord, text_of};
use crate::failures::Injected;
use crate::message::MessageRole;
use crate::oracle::{Oracle, Simulated};
use crate::sync::{AtomicBool, Mutex, Ordering, lock};
use std::panic::panic_any;
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The stable name of supervisors: they are a part of the runtime, and faults do not hit them.
pub(crate) const SUPERVISOR: &str = "vivant::Supervisor";

/// The stable name of the actors of probes: they are a part of the test, and faults do not hit
/// them.
pub(crate) const PROBE: &str = "vivant::Probe";

pub(crate) struct Stage {
    faults: Faults,
    /// Whether faults have ended. Relaxed: the thread that drives the simulation sets and reads it.
    is_calm: AtomicBool,
    driver: ThreadId,
    record: Mutex<TurnRecord>,
    complaints: Mutex<Vec<String>>,
}

impl Stage {
    /// A stage that this thread drives.
    pub(crate) fn new(faults: Faults, trace: Trace) -> Stage {
        Stage {
            faults,
            is_calm: AtomicBool::new(false),
            driver: thread::current().id(),
            record: Mutex::new(TurnRecord::traced(trace)),
            complaints: Mutex::default(),
        }
    }

    /// No fault is injected from here on.
    pub(crate) fn calm(&self) {
        self.is_calm.store(true, Ordering::Relaxed);
    }

    /// The chance that decides on faults, if actors of the type with this stable name are hit.
    fn chance<'o>(&self, oracle: &'o Oracle, actor_type: &str) -> Option<&'o Simulated> {
        let is_hit = !self.is_calm.load(Ordering::Relaxed)
            && actor_type != PROBE
            && self.faults.hits(actor_type);
        oracle.simulation().filter(|_| is_hit)
    }

    /// Draws whether an actor of this type that was woken is delayed; returns the time until which
    /// it is.
    pub(crate) fn delayed_until(&self, actor_type: &str, oracle: &Oracle) -> Option<u64> {
        let chance = self.chance(oracle, actor_type)?;
        chance
            .happens(self.faults.delays)
            .then(|| chance.now_ns() + drawn(chance, self.faults.delay_by))
    }

    /// Called before each message is processed: counts the turn, and records and prints it if that
    /// is wanted.
    pub(crate) fn record_turn(
        &self,
        turn: &BeginningTurn<'_>,
        path: impl FnOnce() -> String,
        oracle: &Oracle,
    ) {
        // No lock is held while the program's `Debug` runs.
        let needs_arguments = lock(&self.record).needs_arguments();
        let text = needs_arguments.then(|| text_of(turn.arguments));
        let mut record = lock(&self.record);
        record.add(turn, text.as_deref(), oracle.now_ns());
        if let Some(text) = text.filter(|_| record.is_traced()) {
            record.print(turn, &path(), &text, oracle.now_ns());
        }
    }

    /// Called after `record_turn`: injects faults that the seed chooses.
    pub(crate) fn fault_before(
        &self,
        turn: &BeginningTurn<'_>,
        role: MessageRole,
        oracle: &Oracle,
    ) {
        // A supervisor is part of the runtime: faults hit the program's actors only.
        if !role.is_turn() || turn.behaviour.starts_with(SUPERVISOR) {
            return;
        }
        let Some(chance) = self.chance(oracle, turn.actor_type) else {
            return;
        };
        if chance.happens(self.faults.slow_turns) {
            oracle.advance_to(chance.now_ns() + drawn(chance, self.faults.slow_by));
        }
        if chance.happens(self.faults.panics) {
            panic_any(Injected);
        }
    }

    pub(crate) fn is_foreign(&self) -> bool {
        thread::current().id() != self.driver
    }

    pub(crate) fn complain(&self, what: String) {
        lock(&self.complaints).push(what);
    }

    pub(crate) fn complaints(&self) -> Vec<String> {
        lock(&self.complaints).clone()
    }

    /// Keeps a list of the turns from here on, of at most `turns`.
    pub(crate) fn record(&self, turns: usize) {
        lock(&self.record).record(turns);
    }

    pub(crate) fn recorded(&self) -> Vec<RecordedTurn> {
        lock(&self.record).take_list()
    }

    /// From here on arguments are part of the signature.
    pub(crate) fn sign_arguments(&self) {
        lock(&self.record).sign_arguments();
    }

    pub(crate) fn signature(&self) -> u64 {
        lock(&self.record).signature()
    }

    pub(crate) fn turns(&self) -> u64 {
        lock(&self.record).turns()
    }
}

/// A random duration up to `limit`.
fn drawn(chance: &Simulated, limit: Duration) -> u64 {
    let micros = ns(limit) / 1_000;
    chance.choose(micros as usize + 1) as u64 * 1_000
}
