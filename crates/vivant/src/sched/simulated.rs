//! The simulated scheduler. One step is one choice.

use super::faults::Faults;
use crate::actor::{Injected, Kind, Runnable, Shared, Worker, ns};
use crate::api::Actor;
use crate::gc_state::{DetachedHeaps, Helped, Marks};
use crate::oracle::{Oracle, Simulated};
use crate::run::{Budget, Ran, run};
use crate::supervision::Supervisor;
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::future::Future;
use std::panic::panic_any;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread::{self, ThreadId};
use std::time::Duration;
use vivant_heap::CountAudit;

/// Limit of messages in one run of a chosen actor; the number is drawn each time.
pub(crate) const RUN_MAX: usize = 8;

/// Limit of objects of a mark that are scanned in one step.
const HELP_MAX: usize = 300;

pub(crate) struct SimulatedScheduler {
    faults: Faults,
    driver: ThreadId,
    play: Mutex<Play>,
    complaints: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Play {
    /// Runnable, in the order in which they became runnable.
    ready: Vec<Runnable>,
    /// Runnable, but delayed until a time, by number of the delay (R5).
    held_back: BTreeMap<(u64, u64), Runnable>,
    delays: u64,
    turns: u64,
    signature: u64,
}

impl SimulatedScheduler {
    pub(crate) fn new(faults: Faults) -> SimulatedScheduler {
        SimulatedScheduler {
            faults,
            driver: thread::current().id(),
            play: Mutex::default(),
            complaints: Mutex::default(),
        }
    }

    pub(crate) fn schedule(&self, cell: Runnable, oracle: &Oracle) {
        if self.is_foreign() {
            self.complain(format!(
                "{} was made runnable by another thread",
                cell.path()
            ));
        }
        let held_back_until = oracle.simulation().and_then(|chance| {
            chance
                .happens(self.faults.delays)
                .then(|| chance.now_ns() + drawn(chance, self.faults.delay_by))
        });
        let mut play = lock(&self.play);
        match held_back_until {
            None => play.ready.push(cell),
            Some(until_ns) => {
                play.delays += 1;
                let key = (until_ns, play.delays);
                play.held_back.insert(key, cell);
            }
        }
    }

    /// Runs a piece of a detection pass, if that is due and the seed chooses it; else runs one
    /// actor that the seed chooses; if none can run, moves time to the next event before
    /// `until_ns`. False: nothing is left to do.
    pub(crate) fn step(&self, system: &Arc<Shared>, until_ns: u64) -> bool {
        let Some(chance) = system.oracle.simulation() else {
            return false;
        };
        if system.detector.is_calling() && (self.is_quiet() || chance.choose(2) == 0) {
            system.detector.care(system);
            return true;
        }
        let marks = Marks::of(system);
        // Marks are done before time passes: they take no virtual time.
        let helps = marks.are_running() && (self.is_quiet() || chance.choose(4) == 0);
        if helps && marks.help_by(system, 1 + chance.choose(HELP_MAX)) == Helped::Some {
            return true;
        }
        // Detached heaps that are due are run before time passes too.
        if DetachedHeaps::of(system).are_calling() && (self.is_quiet() || chance.choose(4) == 0) {
            DetachedHeaps::care_by(system, 1 + chance.choose(HELP_MAX));
            return true;
        }
        let chosen = {
            let mut play = lock(&self.play);
            let count = play.ready.len();
            (count > 0).then(|| play.ready.swap_remove(chance.choose(count)))
        };
        match chosen {
            Some(cell) => {
                let budget = Budget {
                    messages: 1 + chance.choose(RUN_MAX) as u32,
                    ms: u64::MAX / 2,
                };
                self.run_cell(system, cell, budget);
                true
            }
            None => self.pass_time(system, chance, until_ns),
        }
    }

    /// Whether no actor is runnable.
    fn is_quiet(&self) -> bool {
        lock(&self.play).ready.is_empty()
    }

    fn run_cell(&self, system: &Arc<Shared>, cell: Runnable, budget: Budget) {
        let worker = Worker::new(system.clone(), None);
        if let Ran::Requeue(cell) = Worker::enter(&worker, |worker| run(cell, worker, budget)) {
            lock(&self.play).ready.push(cell);
        }
        if let Err(fault) = CountAudit::check() {
            assert!(thread::panicking(), "up to turn {}: {fault}", self.turns());
        }
        assert!(
            !worker.has_left() || thread::panicking(),
            "T1: what a step left is with the worker"
        );
    }

    fn pass_time(&self, system: &Arc<Shared>, chance: &Simulated, until_ns: u64) -> bool {
        let held_back = lock(&self.play)
            .held_back
            .first_key_value()
            .map(|(key, _)| key.0);
        let next = held_back.into_iter().chain(system.timers.next_ns()).min();
        let Some(next_ns) = next.filter(|next_ns| *next_ns <= until_ns) else {
            return false;
        };
        system.oracle.advance_to(next_ns);
        let now_ns = chance.now_ns();
        {
            let mut play = lock(&self.play);
            while let Some(entry) = play
                .held_back
                .first_entry()
                .filter(|entry| entry.key().0 <= now_ns)
            {
                let cell = entry.remove();
                play.ready.push(cell);
            }
        }
        system.fire_due();
        true
    }

    /// Runs all runnable actors, without time passing and regardless of delays by faults: for
    /// shutdown. Returns the number of steps.
    pub(crate) fn run_ready(&self, system: &Arc<Shared>) -> u64 {
        let mut steps = 0;
        loop {
            {
                let mut play = lock(&self.play);
                let held_back = std::mem::take(&mut play.held_back);
                play.ready.extend(held_back.into_values());
                if play.ready.is_empty() {
                    return steps;
                }
            }
            self.step(system, 0);
            steps += 1;
        }
    }

    /// Polls `future` between steps until it is ready; `None` when nothing is left to run.
    pub(crate) fn run_until<F: Future>(
        &self,
        system: &Arc<Shared>,
        future: F,
    ) -> Option<F::Output> {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return Some(value);
            }
            if !self.step(system, u64::MAX) {
                return None;
            }
        }
    }

    /// Called before each message is processed: counts the turn, and injects faults that the seed
    /// chooses.
    pub(crate) fn fault_before(&self, kind: &'static Kind, actor: u64, oracle: &Oracle) {
        {
            let mut play = lock(&self.play);
            play.turns += 1;
            let bytes = kind.name.bytes().chain(actor.to_le_bytes());
            play.signature = bytes.fold(play.signature, fnv1a);
        }
        // A supervisor is part of the runtime: faults hit the program's actors only.
        if !kind.role.is_turn() || kind.name.starts_with(Supervisor::NAME) {
            return;
        }
        let Some(chance) = oracle.simulation() else {
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

    pub(crate) fn signature(&self) -> u64 {
        lock(&self.play).signature
    }

    pub(crate) fn turns(&self) -> u64 {
        lock(&self.play).turns
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
