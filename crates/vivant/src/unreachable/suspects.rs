//! [`Detector`]: who may have become unreachable, and when that is looked into.

use super::graph::Who;
use super::look::{Findings, Look, Progress, Reach};
use crate::alarm::{Alarm, ns};
use crate::cell::{self, Header, Ran, Runnable};
use crate::scheduler::{Scheduler, Worker};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use crate::system::Shared;
use std::mem;
use std::sync::TryLockError;

/// An actor that has lost an address, and not its last.
pub(crate) type Suspect = Who;

/// When twice as many wait, all but the last so many are looked at without delay: those have had time to become idle.
const MANY: usize = if cfg!(test) { 2 } else { 1_024 };

/// While so many wait, a worker stays at it for longer.
const BUSY: usize = MANY + MANY / 4;

/// So many are, however little came of the last looks: what the list may grow to.
const TOO_MANY: usize = 64 * MANY;

/// How long a worker stays at it between two rounds, while there are so many.
const URGENT_NS: u64 = 400_000;

/// At most so many in one look.
const AT_ONCE: usize = 4 * MANY;

/// Looks of which nothing comes take no more than this part of one worker's time.
const SHARE: u64 = 100;

/// Finds the actors of a system that nobody can reach.
#[derive(Default)]
pub(crate) struct Detector {
    list: Mutex<List>,
    /// Whether a worker is to look.
    called: AtomicBool,
    /// The look that has begun. Locked by whoever goes on with it.
    look: Mutex<Option<Look>>,
    /// Locked while actors are condemned (U4).
    verdict: Mutex<()>,
    /// Somebody waits for that.
    disputed: AtomicBool,
}

#[derive(Default)]
struct List {
    /// Not looked at since.
    fresh: Vec<Suspect>,
    /// Looked at while some of those about them ran (U5), or of too many.
    again: Vec<Suspect>,
    /// So many of these are due.
    due: usize,
    /// When there are so many, nobody waits for the timer.
    again_max: usize,
    call: Call,
    timer: Timer,
    /// What the last looks have cost is paid for by then.
    not_before_ns: u64,
    hours: Hours,
}

/// Whether anybody looks.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Call {
    /// When the timer rings, or there are many.
    #[default]
    Later,
    /// A worker will, or does: the older of the new ones.
    Now,
    /// All of them, and those that are to be looked at again.
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Timer {
    #[default]
    None,
    Set,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hours {
    #[default]
    Open,
    /// The system ends, and everybody with it.
    Over,
}

impl Detector {
    /// An actor, which is there, loses an address, and not the last (U1).
    pub(crate) fn suspects(actor: &Header) {
        let who = Who {
            id: actor.id,
            place: actor.place(),
        };
        let noted = Worker::of(&actor.system, |worker| worker.notes(who)).flatten();
        if noted.is_none() {
            actor.system.detector.take_in(&actor.system, [who]);
        }
    }

    /// These are suspects.
    pub(crate) fn take_in(
        &self,
        system: &Arc<Shared>,
        suspects: impl IntoIterator<Item = Suspect>,
    ) {
        let mut list = lock(&self.list);
        if list.hours == Hours::Over {
            return;
        }
        list.fresh.extend(suspects);
        if list.call == Call::Later && list.is_urgent(|| system.oracle.now_ns()) {
            list.call = Call::Now;
            drop(list);
            self.call(system);
        } else if list.timer == Timer::None {
            list.timer = Timer::Set;
            drop(list);
            Detector::rings_in(system, ns(system.config.idle_after));
        }
    }

    fn rings_in(system: &Arc<Shared>, in_ns: u64) {
        let shared = system.clone();
        let ring = move || shared.detector.rings(&shared);
        system.set_timer(in_ns, Alarm::Once(Box::new(ring)));
    }

    fn rings(&self, system: &Arc<Shared>) {
        let mut list = lock(&self.list);
        list.timer = Timer::None;
        let wait_ns = list.not_before_ns.saturating_sub(system.oracle.now_ns());
        if list.hours == Hours::Over || list.is_empty() {
            return;
        }
        if wait_ns > 0 {
            list.timer = Timer::Set;
            drop(list);
            Detector::rings_in(system, wait_ns);
            return;
        }
        list.call = Call::All;
        list.due = list.again.len();
        drop(list);
        self.call(system);
    }

    fn call(&self, system: &Shared) {
        // SeqCst: whoever falls asleep has announced it before it looks here, and is woken if it has not seen this.
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

    /// For how long a worker stays at it. In a simulation, where no time passes meanwhile, it is one piece.
    fn patience_ns(&self, system: &Shared) -> u64 {
        match lock(&self.list).fresh.len() {
            BUSY.. if system.simulated().is_none() => URGENT_NS,
            _ => 0,
        }
    }

    /// One piece of the look, if nobody else is at it: those that are to end.
    fn goes_on(&self, system: &Arc<Shared>) -> Option<Vec<Runnable>> {
        let mut place = match self.look.try_lock() {
            Ok(place) => place,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        // Relaxed: who calls after this is heard by the next, for the lock decides.
        self.called.store(false, Ordering::Relaxed);
        let mut look = place.take().or_else(|| self.begins())?;
        let began_ns = system.oracle.now_ns();
        let (ending, progress) = look.goes_on(system);
        look.took_ns += system.oracle.now_ns() - began_ns;
        match progress {
            Progress::More => {
                *place = Some(look);
                self.called.store(true, Ordering::SeqCst);
            }
            Progress::Done => self.ends(system, look.findings()),
        }
        Some(ending)
    }

    fn begins(&self) -> Option<Look> {
        let mut list = lock(&self.list);
        let fresh = match list.call {
            Call::Later => return None,
            Call::Now => list.fresh.len().saturating_sub(MANY),
            Call::All => list.fresh.len(),
        };
        let again = list.due.min(MANY);
        list.due -= again;
        let reach = match again {
            0 => Reach::Near,
            _ => Reach::Far,
        };
        let mut suspects: Vec<Suspect> = list.again.drain(..again).collect();
        suspects.extend(list.fresh.drain(..fresh.min(AT_ONCE)));
        Some(Look::at(&suspects, reach))
    }

    fn ends(&self, system: &Arc<Shared>, findings: Findings) {
        let now_ns = system.oracle.now_ns();
        let mut list = lock(&self.list);
        if list.hours == Hours::Over {
            return;
        }
        if findings.was_in_vain() {
            list.not_before_ns = now_ns + SHARE * findings.took_ns;
        }
        list.fresh.extend(findings.left);
        list.again.extend(findings.again);
        list.call = list.next(now_ns);
        if list.call != Call::Later {
            drop(list);
            self.called.store(true, Ordering::SeqCst);
        } else if !list.is_empty() && list.timer == Timer::None {
            list.timer = Timer::Set;
            let wait_ns = list.not_before_ns.saturating_sub(now_ns);
            drop(list);
            Detector::rings_in(system, wait_ns.max(ns(system.config.idle_after)));
        }
    }

    /// The system ends.
    pub(crate) fn close(&self, system: &Arc<Shared>) {
        let before = {
            let mut list = lock(&self.list);
            list.hours = Hours::Over;
            (mem::take(&mut list.fresh), mem::take(&mut list.again))
        };
        drop(before);
        let look = lock(&self.look).take();
        self.called.store(false, Ordering::Relaxed);
        // They have been condemned, and owe nobody more than their end.
        let ending = look.map(|mut look| look.take_ending());
        ending
            .into_iter()
            .flatten()
            .for_each(|actor| system.schedule(actor));
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

impl List {
    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.again.is_empty()
    }

    /// Whether there are so many that nobody waits for the timer.
    fn is_urgent(&self, now_ns: impl FnOnce() -> u64) -> bool {
        let count = self.fresh.len();
        count >= TOO_MANY || count >= 2 * MANY && now_ns() >= self.not_before_ns
    }

    /// A look has ended: whether another is to follow it.
    fn next(&mut self, now_ns: u64) -> Call {
        if self.due > 0 {
            return Call::All;
        }
        if self.call == Call::All {
            // Before all are looked at again, there are to be as many new ones.
            self.again_max = 2 * self.again.len();
        }
        if self.again.len() >= self.again_max.max(MANY) && now_ns >= self.not_before_ns {
            self.due = self.again.len();
            return Call::All;
        }
        match self.is_urgent(|| now_ns) {
            true => Call::Now,
            false => Call::Later,
        }
    }
}
