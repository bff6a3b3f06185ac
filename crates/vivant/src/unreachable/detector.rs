//! [`Detector`]: the suspects of a system, and the look that is going on.

use super::look::{Look, Progress};
use super::suspects::{Crowd, Suspect, Suspects, Then, Zeal};
use crate::alarm::{Alarm, ns};
use crate::cell::{self, Header, Ran, Runnable};
use crate::scheduler::{Scheduler, Worker};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use crate::system::Shared;
use std::sync::TryLockError;

/// How long a worker stays at it between two rounds, while there are many suspects.
const SLICE_NS: u64 = 200_000;

/// Finds the actors of a system that nobody can reach.
#[derive(Default)]
pub(crate) struct Detector {
    suspects: Mutex<Suspects>,
    /// Whether a worker is to look.
    called: AtomicBool,
    /// The look that has begun. Locked by whoever goes on with it.
    look: Mutex<Option<Look>>,
    /// Locked while actors are condemned (U4).
    verdict: Mutex<()>,
    /// Somebody waits for that.
    disputed: AtomicBool,
}

impl Detector {
    /// An actor, which is there, loses an address, and not the last (U1).
    pub(crate) fn suspects(actor: &Header) {
        let who = Suspect {
            id: actor.id,
            place: actor.place(),
        };
        let noted = Worker::of(&actor.system, |worker| worker.notes(who)).flatten();
        if noted.is_none() {
            let _nobodys = actor.system.detector.take_in(&actor.system, [who]);
        }
    }

    /// These are suspects.
    pub(crate) fn take_in(
        &self,
        system: &Arc<Shared>,
        suspects: impl IntoIterator<Item = Suspect>,
    ) -> Crowd {
        let (now_ns, wait_ns) = (system.oracle.now_ns(), ns(system.config.idle_after));
        let mut list = lock(&self.suspects);
        let then = list.take_in(suspects, now_ns, wait_ns);
        let crowd = list.crowd(now_ns);
        drop(list);
        self.does(system, then, now_ns);
        crowd
    }

    fn does(&self, system: &Arc<Shared>, then: Then, now_ns: u64) {
        match then {
            Then::Nothing => {}
            Then::Look => self.call(system),
            Then::RingAt(at_ns) => {
                let shared = system.clone();
                let ring = move || {
                    let then = lock(&shared.detector.suspects).ring(at_ns);
                    shared.detector.does(&shared, then, at_ns);
                };
                let in_ns = at_ns.saturating_sub(now_ns);
                system.set_timer(in_ns, Alarm::Once(Box::new(ring)));
            }
        }
    }

    fn call(&self, system: &Shared) {
        // SeqCst: whoever falls asleep has announced it before it looks here, and is woken if it
        // has not seen this.
        self.called.store(true, Ordering::SeqCst);
        if let Scheduler::Threads(threads) = &system.scheduler {
            threads.wake_one();
        }
    }

    /// Whether a worker is to look.
    #[inline]
    pub(crate) fn is_calling(&self) -> bool {
        // SeqCst: as in `call`.
        self.called.load(Ordering::SeqCst)
    }

    /// Looks at some actors, and ends some, between two runs. One worker at a time looks.
    pub(crate) fn care(&self, system: &Arc<Shared>) {
        let until_ns = system.oracle.now_ns() + self.patience_ns(system);
        while let Some(ending) = self.goes_on(system) {
            // No lock is held: this is the user's code.
            ending.into_iter().for_each(|actor| ends(system, actor));
            if !self.is_calling() || system.oracle.now_ns() >= until_ns {
                return;
            }
        }
    }

    /// For how long a worker stays at it. In a simulation, where no time passes meanwhile, it is
    /// one piece.
    fn patience_ns(&self, system: &Shared) -> u64 {
        match lock(&self.suspects).zeal() {
            Zeal::Slice if system.simulated().is_none() => SLICE_NS,
            _ => 0,
        }
    }

    /// One piece of the look, if nobody else is at it: those that are to end.
    fn goes_on(&self, system: &Arc<Shared>) -> Option<Vec<Runnable>> {
        let ending = self.piece(system)?;
        // Whoever closed while the look was locked has left it to this.
        if lock(&self.suspects).is_closed() {
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
        // Relaxed: who calls after this is heard by the next, for the lock decides.
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
                let mut list = lock(&self.suspects);
                let then = list.end(findings, now_ns, wait_ns);
                let free = list.let_go(now_ns);
                drop(list);
                go_on(system, free);
                match then {
                    // By whoever is awake: this worker is.
                    Then::Look => self.called.store(true, Ordering::SeqCst),
                    other => self.does(system, other, now_ns),
                }
            }
        }
        Some(ending)
    }

    fn begins(&self, system: &Arc<Shared>) -> Option<Look> {
        let mut list = lock(&self.suspects);
        let (suspects, reach) = list.begin()?;
        let free = list.let_go(system.oracle.now_ns());
        drop(list);
        go_on(system, free);
        Some(Look::at(&suspects, reach))
    }

    /// An actor has made suspects, which crowd, and wants to run on: it does when that many have
    /// been looked at. It is given back if they do not crowd any more.
    #[cold]
    pub(crate) fn holds_back(&self, system: &Shared, actor: Runnable) -> Option<Runnable> {
        let now_ns = system.oracle.now_ns();
        lock(&self.suspects).hold_back(actor, now_ns)
    }

    /// The system ends.
    pub(crate) fn close(&self, system: &Arc<Shared>) {
        let held_back = lock(&self.suspects).close();
        go_on(system, held_back);
        self.breaks_off(system);
    }

    /// Nobody goes on with the look. Not waited for: it may be that user's code has it
    /// (`Acquainted`), and does not come back.
    fn breaks_off(&self, system: &Arc<Shared>) {
        let look = match self.look.try_lock() {
            Ok(mut place) => place.take(),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().take(),
            Err(TryLockError::WouldBlock) => return,
        };
        self.called.store(false, Ordering::Relaxed);
        // They have been condemned, and owe nobody more than their end.
        let ending = look.into_iter().flat_map(Look::breaks_off);
        ending.for_each(|actor| system.schedule(actor));
    }

    /// Calls `body` while nobody is condemned, or let off.
    pub(crate) fn after_verdict<R>(&self, body: impl FnOnce() -> R) -> R {
        // Relaxed: only to be let in sooner. The lock decides.
        self.disputed.store(true, Ordering::Relaxed);
        let _none = lock(&self.verdict);
        body()
    }

    /// Calls `body`, which condemns actors, and lets them off if not all can be.
    pub(super) fn in_verdict<R>(&self, body: impl FnOnce() -> R) -> R {
        let _verdict = lock(&self.verdict);
        self.disputed.store(false, Ordering::Relaxed);
        body()
    }

    /// Somebody waits for the verdict.
    pub(super) fn is_disputed(&self) -> bool {
        self.disputed.load(Ordering::Relaxed)
    }
}

/// They were held back. Not beside the worker that looks.
fn go_on(system: &Arc<Shared>, free: Vec<Runnable>) {
    for actor in free {
        match &system.scheduler {
            Scheduler::Threads(threads) => threads.schedule_elsewhere(actor, system),
            Scheduler::Simulated(_) => system.schedule(actor),
        }
    }
}

/// The last run of an actor that is condemned.
fn ends(system: &Arc<Shared>, actor: Runnable) {
    let by_worker = |worker: &Worker| worker.has_rounds() && actor.lane().is_for_workers();
    if Worker::of(system, by_worker) != Some(true) {
        system.schedule(actor);
        return;
    }
    let _ended = Worker::with_current(|worker| {
        if let Ran::Requeue(actor) = cell::run(actor, worker, system.config.budget) {
            system.schedule(actor);
        }
    });
}
