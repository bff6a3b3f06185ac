//! Worker threads: local queues first, the common queue every so often, then stealing, then sleep.

use super::blocking::BlockingPool;
use super::clock::Clock;
use super::handover::{Handover, NEGLECTED_MS};
use super::offer::{Pace, Patience, Surplus};
use super::round::{First, Round, Sources};
use super::run_queue::RunQueue;
use super::seat::{Seat, Tenure};
use super::sleep::{CondvarParker, Park, Sleepers, Withdrawn};
use super::thief::{Thief, Verdict};
use super::worker::Worker;
use crate::actor::Pool;
use crate::cell::{self, Ran, Runnable, catch};
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, lock};
use crate::system::Shared;
use std::sync::{RwLock, TryLockError};
use std::thread;
use std::time::Duration;

/// Whether the operating system gave a thread. If not, that was reported.
#[must_use]
#[derive(PartialEq, Eq)]
pub(super) enum Started {
    Yes,
    No,
}

/// The threads of a system, and the queues they share.
pub(crate) struct Threads {
    pub(super) regular: usize,
    pub(super) seats: RwLock<Vec<Arc<Seat>>>,
    /// What threads outside the pool have made runnable.
    pub(super) common: RunQueue<Runnable>,
    pub(super) sleepers: Sleepers<CondvarParker>,
    patience: Patience,
    pub(super) clock: Clock,
    pub(super) handover: Handover,
    pub(super) blocking: BlockingPool,
    /// Set once every actor has ended: workers leave instead of falling asleep.
    closing: AtomicBool,
    present: Mutex<usize>,
    left: Condvar,
    /// Held by the thread that runs actors after the workers have left.
    after_hours: Mutex<()>,
}

/// What a worker remembers from run to run.
struct Habits {
    round: Round,
    pace: Pace,
    thief: Thief,
}

impl Threads {
    pub(crate) fn new(workers: usize) -> Threads {
        let seats = (0..workers)
            .map(|_| Arc::new(Seat::new(Tenure::Regular)))
            .collect();
        Threads {
            regular: workers,
            seats: RwLock::new(seats),
            common: RunQueue::default(),
            sleepers: Sleepers::new(),
            patience: Patience::new(),
            clock: Clock::new(),
            handover: Handover::default(),
            blocking: BlockingPool::default(),
            closing: AtomicBool::new(false),
            present: Mutex::new(0),
            left: Condvar::new(),
            after_hours: Mutex::new(()),
        }
    }

    /// Starts the workers and the clock.
    pub(crate) fn open(&self, system: &Arc<Shared>) {
        for (number, seat) in self.seats().into_iter().enumerate() {
            // A system that gets some of its threads works with those; that one is missing has been reported.
            let _reported = self.seat_worker(system, seat, number);
        }
        let shared = system.clone();
        let name = format!("{}-clock", system.config.name);
        let _reported = self.start_thread(
            name,
            move |threads| threads.clock.keep(&shared, threads),
            system,
        );
    }

    pub(super) fn seats(&self) -> Vec<Arc<Seat>> {
        self.seats
            .read()
            .unwrap_or_else(crate::sync::PoisonError::into_inner)
            .clone()
    }

    /// How many surplus workers and blocking threads there are now, for inspection.
    pub(crate) fn surplus(&self) -> usize {
        self.handover.surplus()
    }

    /// What the workers have counted, for inspection.
    pub(crate) fn bytes_counted(&self) -> i64 {
        self.seats().iter().map(|seat| seat.bytes.now()).sum()
    }

    pub(crate) fn workers(&self) -> usize {
        self.regular
    }

    pub(super) fn seat_worker(
        &self,
        system: &Arc<Shared>,
        seat: Arc<Seat>,
        number: usize,
    ) -> Started {
        let shared = system.clone();
        let name = format!("{}-worker-{number}", system.config.name);
        self.start_thread(
            name,
            move |threads| threads.work(&Worker::new(shared, Some(seat))),
            system,
        )
    }

    /// Starts a thread that counts as present until `body` returns or unwinds.
    pub(super) fn start_thread(
        &self,
        name: String,
        body: impl FnOnce(&Threads) + Send + 'static,
        system: &Arc<Shared>,
    ) -> Started {
        struct Present(Arc<Shared>);
        impl Drop for Present {
            fn drop(&mut self) {
                if let Some(threads) = self.0.threads() {
                    *lock(&threads.present) -= 1;
                    threads.left.notify_all();
                }
            }
        }
        *lock(&self.present) += 1;
        let shared = system.clone();
        let started = thread::Builder::new().name(name).spawn(move || {
            let present = Present(shared);
            if let Some(threads) = present.0.threads() {
                body(threads);
            }
        });
        match started {
            Ok(_) => Started::Yes,
            Err(error) => {
                // The closure was dropped before it made its `Present`.
                *lock(&self.present) -= 1;
                self.left.notify_all();
                system.reports.thread_failed(&error);
                Started::No
            }
        }
    }

    /// Puts an actor that was just woken where it will be run.
    #[inline]
    pub(crate) fn schedule(&self, actor: Runnable, worker: Option<&Worker>, system: &Arc<Shared>) {
        match worker.and_then(Worker::seat) {
            Some(seat) if actor.class.pool == Pool::Workers => self.wake_beside(seat, actor),
            _ => self.schedule_elsewhere(actor, system),
        }
    }

    /// The caller is no worker of this system, or the actor does not run on one.
    #[cold]
    fn schedule_elsewhere(&self, actor: Runnable, system: &Arc<Shared>) {
        if actor.class.pool == Pool::Blocking {
            self.blocking.schedule(actor, self, system);
        } else {
            self.inject(actor, system);
        }
        if self.is_closed() {
            self.run_after_hours(system);
        }
    }

    /// Work from outside: somebody who sleeps is woken for it.
    fn inject(&self, actor: Runnable, system: &Arc<Shared>) {
        system.oracle.tick();
        self.common.push(actor);
        self.sleepers.wake_one();
    }

    /// A turn of this worker has woken `actor`: it runs next, here, on warm caches. Who was to run next before waits in
    /// the queue.
    #[inline]
    fn wake_beside(&self, seat: &Seat, actor: Runnable) {
        let Some(displaced) = seat.woken.put(actor) else {
            return;
        };
        let waiting = seat.queue.push(displaced) as u64;
        let work_ns = waiting * u64::from(seat.run_ns.load(Ordering::Relaxed));
        if work_ns >= self.patience.ns() {
            self.offer();
        }
    }

    /// Wakes somebody for what waits in this worker's queue.
    #[cold]
    fn offer(&self) {
        if self.sleepers.asleep() > 0 {
            self.patience.offers();
            self.sleepers.wake_one();
        }
    }

    /// A worker's life.
    fn work(&self, worker: &std::rc::Rc<Worker>) {
        let Some(seat) = worker.seat().cloned() else {
            return;
        };
        Worker::enter(worker, |worker| {
            let now_ns = worker.system.oracle.now_ns();
            let mut habits = Habits {
                round: Round::new(),
                pace: Pace::default(),
                thief: Thief::woken(now_ns, &self.patience),
            };
            // One catch around all runs until a panic, for a catch around each would cost a tenth of a short run.
            while let Err(caught) = catch(|| self.run_actors(worker, &seat, &mut habits)) {
                let _ended = cell::rescue(worker, caught);
            }
            seat.count_dropped();
            self.leave(&seat);
        });
        worker.system.bytes.inherit(&seat.bytes);
        if self.is_closed() {
            // What this worker left, nobody else may be there to run.
            self.run_after_hours(&worker.system);
        }
    }

    /// Runs one actor after the other until it is time to leave. Panics of their turns pass through.
    fn run_actors(&self, worker: &Worker, seat: &Seat, habits: &mut Habits) {
        let budget = worker.system.config.budget;
        let oracle = &worker.system.oracle;
        loop {
            let first = habits.round.next(oracle.coarse_ms());
            if first != First::Woken {
                if self.may_retire(seat) {
                    return;
                }
                seat.count_dropped();
                self.between_rounds(seat, habits, oracle.now_ns());
            }
            let next = self
                .near(seat, first)
                .or_else(|| self.far(seat, &mut habits.thief, worker));
            match next {
                Some(actor) => {
                    if let Ran::Requeue(actor) = cell::run_to_panic(actor, worker, budget) {
                        seat.queue.push(actor);
                    }
                }
                // Who is woken by this is to end.
                None if seat.has_dropped() => seat.count_dropped(),
                None if self.is_closed() => return,
                None => {
                    habits.thief.rests(&self.patience);
                    self.sleep(seat, worker);
                    if self.may_retire(seat) {
                        return;
                    }
                    let now_ns = oracle.now_ns();
                    habits.pace.woke(now_ns, seat.turns());
                    habits.thief = Thief::woken(now_ns, &self.patience);
                }
            }
        }
    }

    fn may_retire(&self, seat: &Seat) -> bool {
        seat.tenure == Tenure::Surplus && self.handover.may_retire()
    }

    fn between_rounds(&self, seat: &Seat, habits: &mut Habits, now_ns: u64) {
        self.look(seat, &mut habits.pace, habits.round.ran(), now_ns);
        self.judge(seat, &mut habits.thief, now_ns);
    }

    /// A look at the clock, between two rounds: offers what has waited for long.
    fn look(&self, seat: &Seat, pace: &mut Pace, runs: u32, now_ns: u64) {
        let queued = seat.queue.waiting();
        let (mean_ns, surplus) = pace.look(now_ns, runs, queued, self.patience.ns());
        seat.run_ns
            .store(mean_ns.min(u64::from(u32::MAX)) as u32, Ordering::Relaxed);
        if let Some(turns) = pace.turns_per_ms(now_ns, seat.turns()) {
            seat.turns_per_ms.store(turns, Ordering::Relaxed);
        }
        if surplus == Surplus::Lasting && seat.is_worth_sharing() {
            self.offer();
        }
    }

    /// Whether what this worker does is worth a second worker; if not, its queue goes to the first.
    fn judge(&self, seat: &Seat, thief: &mut Thief, now_ns: u64) {
        let others = || {
            let regular = |other: &Arc<Seat>| other.tenure == Tenure::Regular;
            let before = |other: &Arc<Seat>| !std::ptr::eq(&**other, seat);
            let seats = self.seats().into_iter();
            seats.take_while(before).filter(regular).collect()
        };
        let Verdict::GiveTo(other) = thief.verdict(seat, others, now_ns, &self.patience) else {
            return;
        };
        self.put_back(seat);
        other.queue.extend(seat.queue.take_all());
        // It may have fallen asleep since.
        self.sleepers.wake(&other.parker);
        if self.is_closed() {
            // Or left its seat: it did so upon closing, and gave its queue up before this one was put there.
            self.common.extend(other.queue.take_all());
        }
    }

    /// The next actor from this worker's own places, or the common queue.
    #[inline]
    fn near(&self, seat: &Seat, first: First) -> Option<Runnable> {
        self.sources(seat).next(first)
    }

    fn sources<'s>(&'s self, seat: &'s Seat) -> Sources<'s, Runnable> {
        Sources {
            woken: &seat.woken,
            own: &seat.queue,
            common: &self.common,
        }
    }

    /// The slot's actor must wait like any other.
    fn put_back(&self, seat: &Seat) {
        self.sources(seat).put_back();
    }

    /// Somebody else's actor.
    fn far(&self, seat: &Seat, thief: &mut Thief, worker: &Worker) -> Option<Runnable> {
        let now_ns = worker.system.oracle.now_ns();
        if !thief.is_hungry(now_ns, &self.patience) {
            return None;
        }
        let (loot, victim) = self.steal(seat, worker.system.oracle.coarse_ms())?;
        thief.stole(victim, seat, now_ns);
        Some(loot)
    }

    fn steal(&self, thief: &Seat, now_ms: u64) -> Option<(Runnable, Arc<Seat>)> {
        for victim in self.seats() {
            if std::ptr::eq(&*victim, thief) {
                continue;
            }
            let held_up = victim.watch.runs_since(now_ms) >= NEGLECTED_MS;
            if !held_up && !victim.is_worth_sharing() {
                continue;
            }
            thief.queue.extend(victim.queue.steal());
            let first = thief.queue.pop_oldest();
            let woken = || if held_up { victim.woken.take() } else { None };
            let first = first.or_else(woken);
            if let Some(first) = first {
                return Some((first, victim));
            }
        }
        None
    }

    /// W1: announces, looks a last time, sleeps. The own queue is looked at too: a thief may have given its loot back. What
    /// waits in the queues of others is theirs: they are awake, and offer it or are relieved of it by the clock.
    fn sleep(&self, seat: &Seat, worker: &Worker) {
        self.sleepers.announce(&seat.parker);
        let stays_awake = !self.common.is_empty() || !seat.queue.is_empty() || self.is_closed();
        if !stays_awake || self.sleepers.withdraw(&seat.parker) == Withdrawn::TokenComes {
            seat.parker.park();
        }
        // Also after a sleep that was only announced: the clock may have gone to rest on the strength of it (K1).
        worker.system.oracle.tick();
        self.clock.rouse();
    }

    /// Whether any queue holds an actor.
    pub(super) fn has_work(&self) -> bool {
        !self.common.is_empty() || self.seats().iter().any(|seat| seat.has_waiting())
    }

    /// A worker goes: what it had queued is for the others.
    pub(super) fn leave(&self, seat: &Seat) {
        let mut seats = self
            .seats
            .write()
            .unwrap_or_else(crate::sync::PoisonError::into_inner);
        seats.retain(|other| !std::ptr::eq(&**other, seat));
        drop(seats);
        self.put_back(seat);
        self.common.extend(seat.queue.take_all());
        // Also if its own queue was empty: it may have been woken for work that it now leaves to another.
        if self.has_work() {
            self.sleepers.wake_one();
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        // Acquire: pairs with the Release in `close`.
        self.closing.load(Ordering::Acquire)
    }

    /// Sends the threads home; returns how many had not gone within `limit`. They leave when their turn ends.
    pub(crate) fn close(&self, system: &Arc<Shared>, limit: Duration) -> usize {
        // Release: pairs with the Acquire in `is_closed`.
        self.closing.store(true, Ordering::Release);
        self.sleepers.wake_all();
        self.blocking.close();
        self.clock.close();
        let present = lock(&self.present);
        let within = |present: &mut usize| *present > 0;
        let (present, _) = self
            .left
            .wait_timeout_while(present, limit, within)
            .unwrap_or_else(crate::sync::PoisonError::into_inner);
        let left_behind = *present;
        drop(present);
        self.run_after_hours(system);
        left_behind
    }

    /// Once the workers have left, whoever makes an actor runnable runs it: only to let it end, for by then each is
    /// told to shut down. One thread at a time, and never recursively.
    fn run_after_hours(&self, system: &Arc<Shared>) {
        let worker = Worker::new(system.clone(), None);
        loop {
            let alone = match self.after_hours.try_lock() {
                Ok(alone) => alone,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            Worker::enter(&worker, |worker| {
                while let Some(actor) = self.common.pop() {
                    let ran = cell::run(actor, worker, worker.system.config.budget);
                    if let Ran::Requeue(actor) = ran {
                        self.common.push(actor);
                    }
                }
            });
            drop(alone);
            // Somebody may have pushed between the last pop and the unlock, and found the lock taken.
            if self.common.is_empty() {
                return;
            }
        }
    }
}
