//! [`Detector`]: the cycle candidates of a system, and the running detection pass.

use super::candidates::{Candidate, CandidateOverload, CycleCandidates, ScanQuota, Then};
use super::detection_pass::{DetectionPass, Progress};
use crate::actor::{Alarm, Header, Runnable, Shared, Worker, ns};
use crate::run::Ran;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use std::sync::TryLockError;

/// Time that a worker spends on a pass between two rounds, while many candidates wait.
const SLICE_NS: u64 = 200_000;

/// Finds the unreachable actors of a system.
#[derive(Default)]
pub(crate) struct Detector {
    candidates: Mutex<CycleCandidates>,
    /// Whether a worker is to run a pass.
    called: AtomicBool,
    /// The running pass. Locked by the worker that continues it.
    look: Mutex<Option<DetectionPass>>,
    /// Locked while actors become dying (U4).
    verdict: Mutex<()>,
    /// An upgrade waits for the verdict's lock.
    disputed: AtomicBool,
}

impl Detector {
    /// A live actor loses an address, and not its last (U1).
    pub(crate) fn candidates(actor: &Header) {
        let who = Candidate {
            id: actor.id,
            place: actor.place(),
        };
        let noted = Worker::of(&actor.system, |worker| worker.notes(who)).flatten();
        if noted.is_none() {
            let _nobodys = actor.system.detector.take_in(&actor.system, [who]);
        }
    }

    /// Adds candidates.
    pub(crate) fn take_in(
        &self,
        system: &Arc<Shared>,
        candidates: impl IntoIterator<Item = Candidate>,
    ) -> CandidateOverload {
        let (now_ns, wait_ns) = (system.oracle.now_ns(), ns(system.config.idle_after));
        let mut list = lock(&self.candidates);
        let then = list.take_in(candidates, now_ns, wait_ns);
        let overload = list.overload(now_ns);
        drop(list);
        self.does(system, then, now_ns);
        overload
    }

    fn does(&self, system: &Arc<Shared>, then: Then, now_ns: u64) {
        match then {
            Then::Nothing => {}
            Then::DetectionPass => self.call(system),
            Then::RingAt(at_ns) => {
                let shared = system.clone();
                let ring = move || {
                    let then = lock(&shared.detector.candidates).ring(at_ns);
                    shared.detector.does(&shared, then, at_ns);
                };
                let in_ns = at_ns.saturating_sub(now_ns);
                system.set_timer(in_ns, Alarm::Once(Box::new(ring)));
            }
        }
    }

    fn call(&self, system: &Shared) {
        // SeqCst: a worker that falls asleep has announced it before it loads this, and is woken if
        // it has not seen the store.
        self.called.store(true, Ordering::SeqCst);
        system.idle.wake_one();
    }

    /// Whether a worker is to run a pass.
    #[inline]
    pub(crate) fn is_calling(&self) -> bool {
        // SeqCst: pairs with the store in `call`: a worker announces its sleep before this load.
        self.called.load(Ordering::SeqCst)
    }

    /// Examines some actors, and ends some, between two runs. One worker at a time does this.
    pub(crate) fn care(&self, system: &Arc<Shared>) {
        let until_ns = system.oracle.now_ns() + self.patience_ns(system);
        while let Some(ending) = self.goes_on(system) {
            // No lock is held: this is user code.
            ending.into_iter().for_each(|actor| ends(system, actor));
            if !self.is_calling() || system.oracle.now_ns() >= until_ns {
                return;
            }
        }
    }

    /// Time that a worker spends on it. In a simulation, where no time passes meanwhile, it is one
    /// piece.
    fn patience_ns(&self, system: &Shared) -> u64 {
        match lock(&self.candidates).scan_quota() {
            ScanQuota::Slice if system.stage().is_none() => SLICE_NS,
            _ => 0,
        }
    }

    /// Runs one piece of the pass, if no other worker does; returns the actors that are to end.
    fn goes_on(&self, system: &Arc<Shared>) -> Option<Vec<Runnable>> {
        let ending = self.piece(system)?;
        // A `close` that found the pass locked has left the rest to this.
        if lock(&self.candidates).is_closed() {
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
        // Relaxed: a later call is seen by the next piece, because the lock decides.
        self.called.store(false, Ordering::Relaxed);
        let mut look = place.take().or_else(|| self.begins(system))?;
        let began_ns = system.oracle.now_ns();
        let (ending, progress) = look.goes_on(system);
        look.took_ns += system.oracle.now_ns() - began_ns;
        match progress {
            Progress::More => {
                *place = Some(look);
                self.called.store(true, Ordering::SeqCst);
            }
            Progress::Done => {
                let (now_ns, wait_ns) = (system.oracle.now_ns(), ns(system.config.idle_after));
                let findings = look.findings();
                let mut list = lock(&self.candidates);
                let then = list.end(findings, now_ns, wait_ns);
                let free = list.let_go(now_ns);
                drop(list);
                go_on(system, free);
                match then {
                    // No worker needs to be woken: this one is awake.
                    Then::DetectionPass => self.called.store(true, Ordering::SeqCst),
                    other => self.does(system, other, now_ns),
                }
            }
        }
        Some(ending)
    }

    fn begins(&self, system: &Arc<Shared>) -> Option<DetectionPass> {
        let mut list = lock(&self.candidates);
        let (candidates, reach) = list.begin()?;
        let free = list.let_go(system.oracle.now_ns());
        drop(list);
        go_on(system, free);
        Some(DetectionPass::at(&candidates, reach))
    }

    /// Throttles an actor that has made candidates under candidate overload: it runs again when
    /// enough of them were examined. It is given back if the overload is over.
    #[cold]
    pub(crate) fn holds_back(&self, system: &Shared, actor: Runnable) -> Option<Runnable> {
        let now_ns = system.oracle.now_ns();
        lock(&self.candidates).hold_back(actor, now_ns)
    }

    /// The system ends.
    pub(crate) fn close(&self, system: &Arc<Shared>) {
        let held_back = lock(&self.candidates).close();
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
        self.called.store(false, Ordering::Relaxed);
        // They are dying: only their end is left to do.
        let ending = look.into_iter().flat_map(DetectionPass::breaks_off);
        ending.for_each(|actor| system.schedule(actor));
    }

    /// Calls `body` while no verdict is open.
    pub(crate) fn after_verdict<R>(&self, body: impl FnOnce() -> R) -> R {
        // Relaxed: it only speeds up the verdict. The lock decides.
        self.disputed.store(true, Ordering::Relaxed);
        let _none = lock(&self.verdict);
        body()
    }

    /// Calls `body`, which commits or aborts a verdict.
    pub(super) fn in_verdict<R>(&self, body: impl FnOnce() -> R) -> R {
        let _verdict = lock(&self.verdict);
        self.disputed.store(false, Ordering::Relaxed);
        body()
    }

    /// Whether an upgrade waits for the verdict.
    pub(super) fn is_disputed(&self) -> bool {
        self.disputed.load(Ordering::Relaxed)
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
