//! [`Stage`]: what a simulated system records of its turns, and the faults that it injects.

use super::alarm::ns;
use super::faults::Faults;
use crate::failures::Injected;
use crate::message::MessageRole;
use crate::oracle::{Oracle, Simulated};
use crate::sync::{AtomicBool, Mutex, Ordering, lock};
use std::fmt;
use std::mem;
use std::panic::panic_any;
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The stable name of supervisors: they are a part of the runtime, and faults do not hit them.
pub(crate) const SUPERVISOR: &str = "vivant::Supervisor";

pub(crate) struct Stage {
    faults: Faults,
    /// Whether faults have ended. Relaxed: the thread that drives the simulation sets and reads it.
    is_calm: AtomicBool,
    driver: ThreadId,
    record: Mutex<Record>,
    complaints: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Record {
    turns: u64,
    signature: u64,
    /// The first turns, if they are recorded.
    list: Vec<RecordedTurn>,
    recorded_max: usize,
}

/// A turn in the list of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RecordedTurn {
    actor: u64,
    behaviour: &'static str,
    at_ns: u64,
}

impl fmt::Display for RecordedTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = Duration::from_nanos(self.at_ns);
        write!(f, "actor {}: {} at {at:?}", self.actor, self.behaviour)
    }
}

impl Stage {
    /// A stage that this thread drives.
    pub(crate) fn new(faults: Faults) -> Stage {
        Stage {
            faults,
            is_calm: AtomicBool::new(false),
            driver: thread::current().id(),
            record: Mutex::default(),
            complaints: Mutex::default(),
        }
    }

    /// No fault is injected from here on.
    pub(crate) fn calm(&self) {
        self.is_calm.store(true, Ordering::Relaxed);
    }

    /// The chance that decides on faults, if actors of the type with this stable name are hit.
    fn chance<'o>(&self, oracle: &'o Oracle, actor_type: &str) -> Option<&'o Simulated> {
        let is_hit = !self.is_calm.load(Ordering::Relaxed) && self.faults.hits(actor_type);
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

    /// Called before each message is processed: counts the turn, and injects faults that the seed
    /// chooses.
    pub(crate) fn fault_before(
        &self,
        name: &'static str,
        role: MessageRole,
        (actor, actor_type): (u64, &'static str),
        oracle: &Oracle,
    ) {
        {
            let mut record = lock(&self.record);
            record.turns += 1;
            let bytes = name.bytes().chain(actor.to_le_bytes());
            record.signature = bytes.fold(record.signature, fnv1a);
            if record.list.len() < record.recorded_max {
                record.list.push(RecordedTurn {
                    actor,
                    behaviour: name,
                    at_ns: oracle.now_ns(),
                });
            }
        }
        // A supervisor is part of the runtime: faults hit the program's actors only.
        if !role.is_turn() || name.starts_with(SUPERVISOR) {
            return;
        }
        let Some(chance) = self.chance(oracle, actor_type) else {
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

    /// Records the turns from here on, at most so many.
    pub(crate) fn record(&self, turns: usize) {
        lock(&self.record).recorded_max = turns;
    }

    pub(crate) fn recorded(&self) -> Vec<RecordedTurn> {
        mem::take(&mut lock(&self.record).list)
    }

    pub(crate) fn signature(&self) -> u64 {
        lock(&self.record).signature
    }

    pub(crate) fn turns(&self) -> u64 {
        lock(&self.record).turns
    }
}

/// A random duration up to `limit`.
fn drawn(chance: &Simulated, limit: Duration) -> u64 {
    let micros = ns(limit) / 1_000;
    chance.choose(micros as usize + 1) as u64 * 1_000
}

/// Adds one byte to a 64-bit FNV-1a hash.
fn fnv1a(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}
