//! [`Detector`]: who may have become unreachable, and when that is looked into.

use super::graph::Who;
use super::look::{Findings, Look, Progress, Reach};
use crate::alarm::{Alarm, ns};
use crate::cell::Header;
use crate::scheduler::{Scheduler, Worker};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, PoisonError, lock};
use crate::system::Shared;
use std::mem;
use std::sync::TryLockError;

/// An actor that has lost an address, and not its last.
pub(crate) type Suspect = Who;

/// So many are looked at without delay.
const MANY: usize = if cfg!(test) { 2 } else { 1_024 };

/// So many are, however little came of the last looks: what the list may grow to.
const TOO_MANY: usize = 64 * MANY;

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
    /// A worker will, or does: only the new ones.
    Now,
    /// And those that are to be looked at again.
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

    /// Looks at some actors, between two runs. One worker at a time.
    pub(crate) fn care(&self, system: &Arc<Shared>) {
        let mut place = match self.look.try_lock() {
            Ok(place) => place,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        // Relaxed: who calls after this is heard by the next, for the lock decides.
        self.called.store(false, Ordering::Relaxed);
        let Some(mut look) = place.take().or_else(|| self.begins()) else {
            return;
        };
        let began_ns = system.oracle.now_ns();
        let progress = look.goes_on(system);
        look.took_ns += system.oracle.now_ns() - began_ns;
        match progress {
            Progress::More => {
                *place = Some(look);
                self.called.store(true, Ordering::SeqCst);
            }
            Progress::Done => self.ends(system, look.findings()),
        }
    }

    fn begins(&self) -> Option<Look> {
        let mut list = lock(&self.list);
        let reach = match list.call {
            Call::Later => return None,
            Call::Now => Reach::Near,
            Call::All => Reach::Far,
        };
        let mut suspects = match reach {
            Reach::Near => Vec::new(),
            Reach::Far => mem::take(&mut list.again),
        };
        let fresh = list.fresh.len().min(AT_ONCE);
        suspects.extend(list.fresh.drain(..fresh));
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
        list.again.extend(findings.again);
        list.call = Call::Later;
        if list.is_urgent(|| now_ns) {
            list.call = Call::Now;
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
    pub(crate) fn close(&self) {
        let before = {
            let mut list = lock(&self.list);
            list.hours = Hours::Over;
            (mem::take(&mut list.fresh), mem::take(&mut list.again))
        };
        drop(before);
        let mut look = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        *look = None;
        self.called.store(false, Ordering::Relaxed);
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

impl List {
    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.again.is_empty()
    }

    /// Whether there are so many that nobody waits for the timer.
    fn is_urgent(&self, now_ns: impl FnOnce() -> u64) -> bool {
        let count = self.fresh.len();
        count >= TOO_MANY || count >= MANY && now_ns() >= self.not_before_ns
    }
}
