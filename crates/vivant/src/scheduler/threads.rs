//! Worker threads: local queues first, the common queue every so often, then stealing, then sleep.

use super::blocking::BlockingPool;
use super::clock::Clock;
use super::handover::Handover;
use super::run_queue::RunQueue;
use super::seat::{Seat, Tenure};
use super::sleep::{CondvarParker, Park, Sleepers, Withdrawn};
use super::worker::Worker;
use crate::actor::Pool;
use crate::cell::{self, CellRef, Ran};
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, lock};
use crate::system::Shared;
use std::sync::{RwLock, TryLockError};
use std::thread;
use std::time::Duration;

/// Every so many actors a worker looks at the common queue before its own, so that what came from outside cannot wait
/// for ever (T6). Prime, so that it does not beat with a program's own rhythm.
const COMMON_EVERY: u32 = 61;

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
    pub(super) common: RunQueue,
    pub(super) sleepers: Sleepers<CondvarParker>,
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

    /// Marks the actor's next run: the caller has just turned it from idle to queued.
    pub(crate) fn schedule(&self, cell: CellRef) {
        let system = cell.system.clone();
        if cell.class.pool == Pool::Blocking {
            self.blocking.schedule(cell, self, &system);
        } else {
            match Worker::of(&system, |worker| worker.seat().cloned()).flatten() {
                // One waiting actor runs right after this turn, on warm caches; the clock sees to it that a long turn
                // does not keep it. Waking another worker costs more than most turns.
                Some(seat) => {
                    if seat.queue.push(cell) > 1 {
                        self.sleepers.wake_one();
                    }
                }
                None => {
                    system.oracle.tick();
                    self.common.push(cell);
                    self.sleepers.wake_one();
                }
            }
        }
        if self.is_closed() {
            self.run_after_hours(&system);
        }
    }

    /// A worker's life.
    fn work(&self, worker: &std::rc::Rc<Worker>) {
        let Some(seat) = worker.seat().cloned() else {
            return;
        };
        Worker::enter(worker, |worker| {
            let mut round = 0_u32;
            loop {
                if seat.tenure == Tenure::Surplus && self.handover.may_retire() {
                    break self.leave(&seat);
                }
                round = round.wrapping_add(1);
                match self.next(&seat, round) {
                    Some(cell) => {
                        if let Ran::Requeue(cell) =
                            cell::run(cell, worker, worker.system.config.budget)
                        {
                            seat.queue.push(cell);
                        }
                    }
                    None if self.is_closed() => break self.leave(&seat),
                    None => self.sleep(&seat, worker),
                }
            }
        });
    }

    /// The next actor to run: from this worker's queue, the common one, or another worker's.
    fn next(&self, seat: &Seat, round: u32) -> Option<CellRef> {
        let own = || seat.queue.pop();
        let common = || self.common.pop();
        let near = if round.is_multiple_of(COMMON_EVERY) {
            common().or_else(own)
        } else {
            own().or_else(common)
        };
        near.or_else(|| self.steal(seat))
    }

    fn steal(&self, thief: &Seat) -> Option<CellRef> {
        for victim in self.seats() {
            if std::ptr::eq(&*victim, thief) {
                continue;
            }
            let mut loot = victim.queue.steal();
            if let Some(first) = loot.pop_front() {
                if !loot.is_empty() {
                    seat_more(thief, loot, &self.sleepers);
                }
                return Some(first);
            }
        }
        None
    }

    /// W1: announces, looks a last time, sleeps.
    fn sleep(&self, seat: &Seat, worker: &Worker) {
        self.sleepers.announce(&seat.parker);
        let stays_awake = self.has_work() || self.is_closed();
        if !stays_awake || self.sleepers.withdraw(&seat.parker) == Withdrawn::TokenComes {
            seat.parker.park();
        }
        // Also after a sleep that was only announced: the clock may have gone to rest on the strength of it (K1).
        worker.system.oracle.tick();
        self.clock.rouse();
    }

    /// Whether any queue holds an actor.
    pub(super) fn has_work(&self) -> bool {
        !self.common.is_empty() || self.seats().iter().any(|seat| !seat.queue.is_empty())
    }

    /// A worker goes: what it had queued is for the others.
    pub(super) fn leave(&self, seat: &Arc<Seat>) {
        let mut seats = self
            .seats
            .write()
            .unwrap_or_else(crate::sync::PoisonError::into_inner);
        seats.retain(|other| !Arc::ptr_eq(other, seat));
        drop(seats);
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
                while let Some(cell) = self.common.pop() {
                    if let Ran::Requeue(cell) = cell::run(cell, worker, worker.system.config.budget)
                    {
                        self.common.push(cell);
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

/// Keeps what was stolen beyond the first, and lets another worker help if it is much.
fn seat_more(
    thief: &Seat,
    loot: std::collections::VecDeque<CellRef>,
    sleepers: &Sleepers<CondvarParker>,
) {
    let much = loot.len() > 1;
    thief.queue.extend(loot);
    if much {
        sleepers.wake_one();
    }
}
