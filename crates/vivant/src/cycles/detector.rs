//! [`Detector`]: the running detection pass of a system.

use super::detection_pass::{DetectionPass, Progress};
use crate::actor::{Runnable, Shared, Worker};
use crate::candidates::{ScanQuota, Then};
use crate::run::Ran;
use crate::services::ns;
use crate::sync::{Arc, Mutex};
use std::sync::TryLockError;

/// Time that a worker spends on a pass between two rounds, while many candidates wait.
const SLICE_NS: u64 = 200_000;

/// Finds the unreachable actors of a system.
#[derive(Default)]
pub(crate) struct Detector {
    /// The running pass. Locked by the worker that continues it.
    look: Mutex<Option<DetectionPass>>,
}

impl Detector {
    pub(crate) fn of(system: &Shared) -> &Detector {
        system.extensions.part()
    }

    /// Examines some actors, and ends some, between two runs. One worker at a time does this.
    pub(crate) fn care(&self, system: &Arc<Shared>) {
        let until_ns = system.oracle.now_ns() + self.patience_ns(system);
        while let Some(ending) = self.goes_on(system) {
            // No lock is held: this is user code.
            ending.into_iter().for_each(|actor| ends(system, actor));
            if !system.candidates.are_calling() || system.oracle.now_ns() >= until_ns {
                return;
            }
        }
    }

    /// Time that a worker spends on it. In a simulation, where no time passes meanwhile, it is one
    /// piece.
    fn patience_ns(&self, system: &Shared) -> u64 {
        match system.candidates.list().scan_quota() {
            ScanQuota::Slice if system.stage().is_none() => SLICE_NS,
            _ => 0,
        }
    }

    /// Runs one piece of the pass, if no other worker does; returns the actors that are to end.
    fn goes_on(&self, system: &Arc<Shared>) -> Option<Vec<Runnable>> {
        let ending = self.piece(system)?;
        // A `close` that found the pass locked has left the rest to this.
        if system.candidates.list().is_closed() {
            self.breaks_off(system);
        }
        Some(ending)
    }

    fn piece(&self, system: &Arc<Shared>) -> Option<Vec<Runnable>> {
        let mut place = match self.look.try_lock() {
            Ok(place) => place,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        system.candidates.is_heard();
        let mut look = place.take().or_else(|| self.begins(system))?;
        let began_ns = system.oracle.now_ns();
        let (ending, progress) = look.goes_on(system);
        look.took_ns += system.oracle.now_ns() - began_ns;
        match progress {
            Progress::More => {
                *place = Some(look);
                system.candidates.call();
            }
            Progress::Done => {
                let (now_ns, wait_ns) = (system.oracle.now_ns(), ns(system.config.idle_after));
                let findings = look.findings();
                let mut list = system.candidates.list();
                let then = list.end(findings, now_ns, wait_ns);
                let free = list.let_go(now_ns);
                drop(list);
                go_on(system, free);
                match then {
                    // No worker needs to be woken: this one is awake.
                    Then::DetectionPass => system.candidates.call(),
                    other => system.after_candidates(other, now_ns),
                }
            }
        }
        Some(ending)
    }

    fn begins(&self, system: &Arc<Shared>) -> Option<DetectionPass> {
        let mut list = system.candidates.list();
        let (candidates, reach) = list.begin()?;
        let free = list.let_go(system.oracle.now_ns());
        drop(list);
        go_on(system, free);
        Some(DetectionPass::at(&candidates, reach))
    }

    /// Throttles an actor that has made candidates under candidate overload: it runs again when
    /// enough of them were examined. It is given back if the overload is over.
    #[cold]
    pub(crate) fn holds_back(system: &Shared, actor: Runnable) -> Option<Runnable> {
        let now_ns = system.oracle.now_ns();
        system.candidates.list().hold_back(actor, now_ns)
    }

    /// The system ends.
    pub(crate) fn close(&self, system: &Arc<Shared>) {
        let held_back = system.candidates.list().close();
        go_on(system, held_back);
        self.breaks_off(system);
    }

    /// Ends the pass. Does not wait for its lock: user code (`TraceReferences`) may hold it and not
    /// return.
    fn breaks_off(&self, system: &Arc<Shared>) {
        let look = match self.look.try_lock() {
            Ok(mut place) => place.take(),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().take(),
            Err(TryLockError::WouldBlock) => return,
        };
        system.candidates.is_heard();
        // They are dying: only their end is left to do.
        let ending = look.into_iter().flat_map(DetectionPass::breaks_off);
        ending.for_each(|actor| system.schedule(actor));
    }
}

/// Schedules throttled actors. Not by the worker that runs the pass.
fn go_on(system: &Arc<Shared>, free: Vec<Runnable>) {
    for actor in free {
        system.scheduler.schedule(actor, system);
    }
}

/// The last run of a dying actor.
fn ends(system: &Arc<Shared>, actor: Runnable) {
    let by_worker = |worker: &Worker| worker.has_rounds() && actor.worker_class().is_for_workers();
    if Worker::of(system, by_worker) != Some(true) {
        system.schedule(actor);
        return;
    }
    let _ended = Worker::with_current(|worker| {
        if let Ran::Requeue(actor) = crate::run::run(actor, worker, system.config.budget) {
            system.schedule(actor);
        }
    });
}
