//! The threads of a system: their start, wake-up and end, and the queue that a runnable actor is
//! put into.

use super::clock::ClockThread;
use super::memory::PrefaultThread;
use super::replacement::Replacement;
use super::runs_again;
use super::thread_pool::{THREADS_MAX, ThreadPool};
use crate::actor::{Runnable, Scheduler, Shared, Worker, WorkerClass};
use crate::actor::{Tenure, WorkerShared};
use crate::queues::RunQueue;
use crate::statistics::WorkerFacts;
use crate::sync::{Arc, AtomicBool, AtomicU64, Condvar, Mutex, Ordering, lock};
use std::any::Any;
use std::collections::BTreeMap;
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
    pub(super) all_shared: RwLock<Vec<Arc<WorkerShared>>>,
    /// The common queue: actors that threads other than workers have made runnable.
    pub(super) common: RunQueue<Runnable>,
    pub(super) clock: ClockThread,
    pub(super) memory: Arc<PrefaultThread>,
    pub(super) replacement: Replacement,
    /// The threads for actors that are declared to block.
    pub(super) blocking: ThreadPool,
    /// The threads for slow actors: only as many at the same time as leave processors for the
    /// workers.
    pub(super) slow: ThreadPool,
    /// Set once every actor has ended: workers leave instead of falling asleep.
    closing: AtomicBool,
    current: Mutex<usize>,
    left: Condvar,
    /// Messages processed by workers that have left.
    pub(super) turns_before: AtomicU64,
    /// Held by the thread that runs actors after shutdown, when the workers have left.
    after_shutdown: Mutex<()>,
}

impl Threads {
    /// The threads of this system, unless it is a simulation.
    pub(crate) fn of(system: &Shared) -> Option<&Threads> {
        let scheduler: &dyn Any = &*system.scheduler;
        scheduler.downcast_ref()
    }

    pub(crate) fn new(workers: usize) -> Threads {
        let all_shared = (0..workers)
            .map(|_| Arc::new(WorkerShared::new(Tenure::Regular)))
            .collect();
        Threads {
            regular: workers,
            all_shared: RwLock::new(all_shared),
            common: RunQueue::default(),
            clock: ClockThread::new(),
            memory: Arc::default(),
            replacement: Replacement::default(),
            blocking: ThreadPool::new("blocking", THREADS_MAX, |threads| &threads.blocking),
            slow: ThreadPool::new("slow", workers, |threads| &threads.slow),
            closing: AtomicBool::new(false),
            current: Mutex::new(0),
            left: Condvar::new(),
            turns_before: AtomicU64::new(0),
            after_shutdown: Mutex::new(()),
        }
    }

    /// Starts the workers and the clock. No actor runs before.
    pub(crate) fn open(&self, system: &Arc<Shared>) {
        for (number, worker_shared) in self.all_shared().into_iter().enumerate() {
            // A system with only some of its threads works with those; the missing thread has been
            // reported.
            let _reported = self.start_worker(system, worker_shared, number);
        }
        self.blocking.open(self, system);
        self.slow.open(self, system);
        let shared = system.clone();
        let name = format!("{}-clock", system.config.name);
        let _reported = self.start_thread(
            name,
            move |threads| threads.clock.run(&shared, threads),
            system,
        );
    }

    pub(super) fn all_shared(&self) -> Vec<Arc<WorkerShared>> {
        self.all_shared
            .read()
            .unwrap_or_else(crate::sync::PoisonError::into_inner)
            .clone()
    }

    /// Returns the number of surplus workers and blocking threads now, for inspection.
    pub(crate) fn surplus(&self) -> usize {
        self.replacement.surplus()
    }

    /// Returns the bytes that the workers have counted, for inspection.
    pub(crate) fn bytes_counted(&self) -> i64 {
        self.all_shared()
            .iter()
            .map(|worker_shared| worker_shared.bytes.now())
            .sum()
    }

    pub(crate) fn workers(&self) -> usize {
        self.regular
    }

    /// Returns the number of messages that workers have processed, for inspection.
    pub(crate) fn turns(&self) -> u64 {
        let now: u64 = self
            .all_shared()
            .iter()
            .map(|worker_shared| worker_shared.turns())
            .sum();
        now + self.turns_before.load(Ordering::Relaxed)
    }

    /// Returns the ids of the actors with a turn on a worker now, each with the milliseconds that
    /// its turn has run, for inspection.
    pub(crate) fn running(&self, now_ms: u64) -> BTreeMap<u64, u64> {
        let runs = |worker_shared: &Arc<WorkerShared>| worker_shared.watch.runs(now_ms);
        self.all_shared().iter().filter_map(runs).collect()
    }

    /// Returns what each regular worker has done and how long it has slept, for inspection.
    pub(crate) fn facts(&self, now_ns: u64) -> Vec<WorkerFacts> {
        let facts = |worker_shared: &Arc<WorkerShared>| WorkerFacts {
            turns: worker_shared.turns(),
            busy: Duration::from_nanos(now_ns.saturating_sub(worker_shared.rest.slept_ns(now_ns))),
        };
        let all_shared = self.all_shared();
        let regular = all_shared
            .iter()
            .filter(|worker_shared| worker_shared.tenure == Tenure::Regular);
        regular.map(facts).collect()
    }

    pub(super) fn start_worker(
        &self,
        system: &Arc<Shared>,
        worker_shared: Arc<WorkerShared>,
        number: usize,
    ) -> Started {
        let shared = system.clone();
        let name = format!("{}-worker-{number}", system.config.name);
        self.start_thread(
            name,
            move |threads| threads.work(&Worker::new(shared, Some(worker_shared))),
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
                if let Some(threads) = Threads::of(&self.0) {
                    *lock(&threads.current) -= 1;
                    threads.left.notify_all();
                }
            }
        }
        *lock(&self.current) += 1;
        let shared = system.clone();
        #[cfg(test)]
        let bug = crate::injected_fault::planted();
        let started = thread::Builder::new().name(name).spawn(move || {
            #[cfg(test)]
            crate::injected_fault::inherit(bug);
            let current = Present(shared);
            if let Some(threads) = Threads::of(&current.0) {
                body(threads);
            }
        });
        match started {
            Ok(_) => Started::Yes,
            Err(error) => {
                // The closure was dropped before it made its `Present`.
                *lock(&self.current) -= 1;
                self.left.notify_all();
                system.reports.thread_failed(&error);
                Started::No
            }
        }
    }

    /// Pushes work from outside to the common queue, and wakes a sleeper for it.
    fn inject(&self, actor: Runnable, system: &Arc<Shared>) {
        system.oracle.tick();
        self.common.push(actor);
        system.idle.wake_one();
    }

    pub(super) fn is_closed(&self) -> bool {
        // Acquire: pairs with the Release in `close`.
        self.closing.load(Ordering::Acquire)
    }

    /// Ends the threads; returns the number of threads that had not left within `limit`. They leave
    /// when their turn ends.
    pub(crate) fn close(&self, system: &Arc<Shared>, limit: Duration) -> usize {
        // Release: pairs with the Acquire in `is_closed`.
        self.closing.store(true, Ordering::Release);
        system.idle.sleepers.wake_all();
        self.blocking.close();
        self.slow.close();
        self.clock.close();
        self.memory.close();
        let current = lock(&self.current);
        let within = |current: &mut usize| *current > 0;
        let (current, _) = self
            .left
            .wait_timeout_while(current, limit, within)
            .unwrap_or_else(crate::sync::PoisonError::into_inner);
        let still_running = *current;
        drop(current);
        self.run_after_shutdown(system);
        still_running
    }

    /// After shutdown, once the workers have left, the thread that makes an actor runnable runs it.
    /// That run only lets the actor end, because by then each has a shutdown signal. One thread at
    /// a time, and never recursively.
    pub(super) fn run_after_shutdown(&self, system: &Arc<Shared>) {
        let worker = Worker::new(system.clone(), None);
        loop {
            let guard = match self.after_shutdown.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            Worker::enter(&worker, |worker| {
                while let Some(actor) = self.common.pop() {
                    let ran = crate::run::run(actor, worker, worker.system.config.budget);
                    if let Some(actor) = runs_again(ran, system) {
                        self.common.push(actor);
                    }
                }
            });
            drop(guard);
            // Another thread may have pushed between the last pop and the unlock, and found the
            // lock taken.
            if self.common.is_empty() {
                return;
            }
        }
    }
}

impl Scheduler for Threads {
    fn schedule(&self, actor: Runnable, system: &Arc<Shared>) {
        match actor.worker_class() {
            WorkerClass::Blocking => self.blocking.schedule(actor, self, system),
            WorkerClass::Slow => self.slow.schedule(actor, self, system),
            WorkerClass::Workers | WorkerClass::Candidate => self.inject(actor, system),
        }
        if self.is_closed() {
            self.run_after_shutdown(system);
        }
    }

    fn timer_is_nearer(&self, at_ns: u64) {
        self.clock.timer_is_nearer(at_ns);
    }

    fn heap_begins(&self, system: &Arc<Shared>) {
        self.start_prefault_thread(system);
    }

    fn step(&self, _: &Arc<Shared>, _: u64) -> bool {
        false
    }

    fn each_queued(&self, _: &mut dyn FnMut(Runnable) -> Runnable) {}

    fn run_ready(&self, _: &Arc<Shared>) -> u64 {
        0
    }
}
