//! The simulated scheduler. One step is one choice.

use super::runs_again;
use crate::actor::LastStates;
use crate::actor::{Runnable, Scheduler, Shared, Worker};
use crate::config::RunBudget;
use crate::cycles::Detector;
use crate::gc_state::{ConcurrentMarks, DetachedHeaps, IdleWork};
use crate::oracle::Simulated;
use crate::run::run;
use crate::services::Stage;
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::thread;
use vivant_heap::CountAudit;

/// Limit of messages in one run of a chosen actor; the number is drawn each time.
pub(crate) const RUN_MAX: usize = 8;

/// Limit of objects of a mark that are scanned in one step.
const HELP_MAX: usize = 300;

#[derive(Default)]
pub(crate) struct SimulatedScheduler(Mutex<SimulatedQueues>);

#[derive(Default)]
struct SimulatedQueues {
    /// Runnable, in the order in which they became runnable.
    ready: Vec<Runnable>,
    /// Runnable, but delayed until a time, by number of the delay (R5).
    delayed: BTreeMap<(u64, u64), Runnable>,
    delays: u64,
}

impl SimulatedScheduler {
    /// Whether no actor is runnable.
    fn is_idle(&self) -> bool {
        lock(&self.0).ready.is_empty()
    }

    fn run_cell(&self, system: &Arc<Shared>, cell: Runnable, budget: RunBudget) {
        let worker = Worker::new(system.clone(), None);
        let ran = Worker::enter(&worker, |worker| run(cell, worker, budget));
        if let Some(cell) = runs_again(ran, system) {
            lock(&self.0).ready.push(cell);
        }
        if let Err(fault) = CountAudit::check() {
            assert!(thread::panicking(), "up to turn {}: {fault}", turns(system));
        }
        assert!(
            !worker.has_next_step() || thread::panicking(),
            "T1: what a step left is with the worker"
        );
    }

    fn pass_time(&self, system: &Arc<Shared>, chance: &Simulated, until_ns: u64) -> bool {
        let delayed = lock(&self.0)
            .delayed
            .first_key_value()
            .map(|(key, _)| key.0);
        let next = delayed.into_iter().chain(system.timers.next_ns()).min();
        let Some(next_ns) = next.filter(|next_ns| *next_ns <= until_ns) else {
            return false;
        };
        system.oracle.advance_to(next_ns);
        let now_ns = chance.now_ns();
        {
            let mut queues = lock(&self.0);
            while let Some(entry) = queues
                .delayed
                .first_entry()
                .filter(|entry| entry.key().0 <= now_ns)
            {
                let cell = entry.remove();
                queues.ready.push(cell);
            }
        }
        system.fire_due();
        true
    }
}

/// The number of turns that have run.
fn turns(system: &Shared) -> u64 {
    system.stage().map_or(0, Stage::turns)
}

impl Scheduler for SimulatedScheduler {
    fn schedule(&self, cell: Runnable, system: &Arc<Shared>) {
        let stage = system.stage();
        if let Some(stage) = stage.filter(|stage| stage.is_foreign()) {
            stage.complain(format!(
                "{} was made runnable by another thread",
                cell.path()
            ));
        }
        let delayed_until =
            stage.and_then(|stage| stage.delayed_until(cell.class.name, &system.oracle));
        let mut queues = lock(&self.0);
        match delayed_until {
            None => queues.ready.push(cell),
            Some(until_ns) => {
                queues.delays += 1;
                let key = (until_ns, queues.delays);
                queues.delayed.insert(key, cell);
            }
        }
    }

    fn timer_is_nearer(&self, _: u64) {}

    fn heap_begins(&self, _: &Arc<Shared>) {}

    /// Runs a piece of a detection pass, if that is due and the seed chooses it; else runs one
    /// actor that the seed chooses; if none can run, moves time to the next event before
    /// `until_ns`. False: nothing is left to do.
    fn step(&self, system: &Arc<Shared>, until_ns: u64) -> bool {
        let Some(chance) = system.oracle.simulation() else {
            return false;
        };
        if system.candidates.is_pass_requested() && (self.is_idle() || chance.choose(2) == 0) {
            Detector::of(system).run(system);
            return true;
        }
        // Last states are loaded before time passes: that takes no virtual time.
        let loads = LastStates::of(system);
        if loads.any_waits()
            && (self.is_idle() || chance.choose(4) == 0)
            && let Some(load) = loads.next_waiting(|count| chance.choose(count))
        {
            load();
            return true;
        }
        let marks = ConcurrentMarks::of(system);
        // Marks are helped until they are done before time passes: they take no virtual time.
        let helps = marks.any_running() && (self.is_idle() || chance.choose(4) == 0);
        if helps && marks.help_by(system, 1 + chance.choose(HELP_MAX)) == IdleWork::Done {
            return true;
        }
        // Detached heaps that are due are run before time passes too.
        if DetachedHeaps::of(system).is_run_requested() && (self.is_idle() || chance.choose(4) == 0)
        {
            DetachedHeaps::run_with_budget(system, 1 + chance.choose(HELP_MAX));
            return true;
        }
        let chosen = {
            let mut queues = lock(&self.0);
            let count = queues.ready.len();
            (count > 0).then(|| queues.ready.swap_remove(chance.choose(count)))
        };
        match chosen {
            Some(cell) => {
                let budget = RunBudget {
                    messages: 1 + chance.choose(RUN_MAX) as u32,
                    ms: u64::MAX / 2,
                };
                self.run_cell(system, cell, budget);
                true
            }
            None => self.pass_time(system, chance, until_ns),
        }
    }

    fn each_queued(&self, body: &mut dyn FnMut(Runnable) -> Runnable) {
        // Taken out meanwhile: `body` may wake other actors.
        let ready = std::mem::take(&mut lock(&self.0).ready);
        let ready: Vec<_> = ready.into_iter().map(&mut *body).collect();
        let delayed = std::mem::take(&mut lock(&self.0).delayed);
        let delayed: Vec<_> = delayed
            .into_iter()
            .map(|(at, actor)| (at, body(actor)))
            .collect();
        let mut queues = lock(&self.0);
        let woken = std::mem::replace(&mut queues.ready, ready);
        queues.ready.extend(woken);
        queues.delayed.extend(delayed);
    }

    fn run_ready(&self, system: &Arc<Shared>) -> u64 {
        let mut steps = 0;
        loop {
            {
                let mut queues = lock(&self.0);
                let delayed = std::mem::take(&mut queues.delayed);
                queues.ready.extend(delayed.into_values());
                if queues.ready.is_empty() {
                    return steps;
                }
            }
            self.step(system, 0);
            steps += 1;
        }
    }
}
