//! Pools of threads beside the workers, started on demand, each thread running one actor at a time
//! (T6): one pool for actors that are declared to block, one for slow actors, which have had long
//! turns.

use super::runs_again;
use super::threads::{Started, Threads};
use crate::actor::{Runnable, Scheduler, Shared, Worker};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::observe;
use crate::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, lock};
use std::collections::VecDeque;
use std::time::Duration;

/// Limit of the threads of a pool. More actors that block at the same time wait for each other.
pub(super) const THREADS_MAX: usize = 512;

/// If actors wait and none was taken out of the queue for this long, the pool gets one thread more
/// than its limit: the running actors may wait for an actor in the queue.
const STALLED_MS: u64 = 100;

/// An idle thread of this pool leaves after this time.
const IDLE_MAX: Duration = Duration::from_secs(10);

pub(super) struct ThreadPool {
    /// Part of its threads' names.
    name: &'static str,
    threads_max: usize,
    /// Returns this pool, for its threads.
    of: fn(&Threads) -> &ThreadPool,
    state: Mutex<PoolState>,
    work: Condvar,
}

#[derive(Default)]
struct PoolState {
    queue: VecDeque<Runnable>,
    threads: usize,
    idle: usize,
    /// The coarse millisecond at which an actor was last taken out of the queue, or the queue was
    /// empty.
    last_taken_ms: u64,
    mode: PoolMode,
}

#[derive(Default, PartialEq, Eq)]
enum PoolMode {
    /// Actors wait for the system to open.
    #[default]
    Opening,
    Open,
    Closed,
}

impl ThreadPool {
    pub(super) fn new(
        name: &'static str,
        threads_max: usize,
        of: fn(&Threads) -> &ThreadPool,
    ) -> ThreadPool {
        ThreadPool {
            name,
            threads_max,
            of,
            state: Mutex::default(),
            work: Condvar::new(),
        }
    }

    pub(super) fn schedule(&self, cell: Runnable, threads: &Threads, system: &Arc<Shared>) {
        let mut state = lock(&self.state);
        if state.mode == PoolMode::Closed && state.threads == 0 {
            // After shutdown there is no pool: the actor only has to end.
            threads.common.push(cell);
            return;
        }
        if state.queue.is_empty() {
            state.last_taken_ms = system.oracle.coarse_ms();
        }
        state.queue.push_back(cell);
        let waits = state.mode == PoolMode::Opening;
        #[cfg(test)]
        let waits = waits && !is_planted(InjectedFault::RunBeforeOpen);
        if waits {
            return;
        }
        if state.idle >= state.queue.len() || state.threads >= self.threads_max {
            self.work.notify_one();
            return;
        }
        self.add_thread(state, threads, system);
    }

    /// Begins to run actors.
    pub(super) fn open(&self, threads: &Threads, system: &Arc<Shared>) {
        let waiting = {
            let mut state = lock(&self.state);
            state.mode = PoolMode::Open;
            state.queue.len()
        };
        for _ in 0..waiting.min(self.threads_max) {
            self.add_thread(lock(&self.state), threads, system);
        }
    }

    fn add_thread(
        &self,
        mut state: MutexGuard<'_, PoolState>,
        threads: &Threads,
        system: &Arc<Shared>,
    ) {
        state.threads += 1;
        let number = state.threads;
        drop(state);
        let shared = system.clone();
        let name = format!("{}-{}-{number}", system.config.name, self.name);
        let of = self.of;
        let serve = move |threads: &Threads| of(threads).serve(&shared, threads);
        if threads.start_thread(name, serve, system) == Started::No {
            self.thread_refused(threads, system);
        }
    }

    /// One tick of the watchdog: actors that wait for others of this pool must run at some time.
    pub(super) fn watch(&self, threads: &Threads, system: &Arc<Shared>) {
        let now_ms = system.oracle.coarse_ms();
        let mut state = lock(&self.state);
        let is_stalled = now_ms.saturating_sub(state.last_taken_ms) >= STALLED_MS;
        if !state.queue.is_empty() && is_stalled && state.threads < THREADS_MAX {
            state.last_taken_ms = now_ms;
            self.add_thread(state, threads, system);
        }
    }

    /// The operating system refused a thread: if the pool has no other, the workers run its actors.
    fn thread_refused(&self, threads: &Threads, system: &Shared) {
        let mut state = lock(&self.state);
        state.threads -= 1;
        if state.threads == 0 {
            for actor in std::mem::take(&mut state.queue) {
                threads.common.push(actor);
            }
            drop(state);
            system.idle.sleepers.wake_one();
        }
    }

    /// The loop of a thread. It leaves after a long idle time, or when the pool has closed and its
    /// queue is empty.
    fn serve(&self, system: &Arc<Shared>, threads: &Threads) {
        let worker = Worker::new(system.clone(), None);
        Worker::enter(&worker, |worker| {
            worker.published(|| {
                while let Some(cell) = worker.waits(|| self.next(system)) {
                    system.oracle.tick();
                    threads.clock.rouse();
                    let ran = crate::run::run(cell, worker, system.config.budget);
                    observe::flush(&worker.meters);
                    if let Some(cell) = runs_again(ran, system) {
                        threads.schedule(cell, system);
                    }
                }
            })
        });
    }

    fn next(&self, system: &Shared) -> Option<Runnable> {
        let mut state = lock(&self.state);
        loop {
            if let Some(cell) = state.queue.pop_front() {
                state.last_taken_ms = system.oracle.coarse_ms();
                return Some(cell);
            }
            if state.mode == PoolMode::Closed {
                break;
            }
            state.idle += 1;
            let (guard, waited) = self
                .work
                .wait_timeout(state, IDLE_MAX)
                .unwrap_or_else(PoisonError::into_inner);
            state = guard;
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() {
                break;
            }
        }
        state.threads -= 1;
        None
    }

    pub(super) fn is_idle(&self) -> bool {
        let state = lock(&self.state);
        state.queue.is_empty() && state.idle == state.threads
    }

    pub(super) fn close(&self) {
        lock(&self.state).mode = PoolMode::Closed;
        self.work.notify_all();
    }
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::api::birth;
    use crate::injected_fault::must_catch;
    use crate::prelude::*;
    use crate::system::SystemBuilder;

    #[derive(Actor)]
    #[actor(blocking)]
    struct Blocks;

    #[behaviours]
    impl Blocks {
        fn answer(&mut self) -> u64 {
            7
        }
    }

    fn no_thread_before_the_system_is_open() {
        let shared = System::builder().workers(1).on_threads();
        let address: Address<Blocks> = Address::to_actor(birth::<Blocks>(&shared, Some(Blocks)));
        let answer = address.answer().ask();
        {
            let threads = Threads::of(&shared).expect("it has threads");
            let state = lock(&threads.blocking.state);
            assert_eq!((state.threads, state.queue.len()), (0, 1));
        }
        let system = SystemBuilder::open(shared);
        assert_eq!(system.block_on(answer), Ok(7));
    }

    #[test]
    fn an_actor_waits_until_the_system_is_open() {
        no_thread_before_the_system_is_open();
    }

    #[test]
    fn an_actor_that_does_not_wait_is_noticed() {
        let test = no_thread_before_the_system_is_open;
        must_catch(InjectedFault::RunBeforeOpen, test);
    }
}
