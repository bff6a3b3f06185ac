//! The pool for actors that are declared to block: threads on demand, each running one actor at a time (T6).

use super::threads::{Started, Threads};
use super::worker::Worker;
use crate::cell::{self, Ran, Runnable};
use crate::observe;
use crate::sync::{Arc, Condvar, Mutex, PoisonError, lock};
use crate::system::Shared;
use std::collections::VecDeque;
use std::time::Duration;

/// More actors that block at once than this wait for each other.
const THREADS_MAX: usize = 512;

/// An idle thread of this pool leaves after so long.
const IDLE_MAX: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct BlockingPool {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Runnable>,
    threads: usize,
    idle: usize,
    open: Open,
}

#[derive(Default, PartialEq, Eq)]
enum Open {
    #[default]
    Yes,
    No,
}

impl BlockingPool {
    pub(super) fn schedule(&self, cell: Runnable, threads: &Threads, system: &Arc<Shared>) {
        let mut state = lock(&self.state);
        if state.open == Open::No && state.threads == 0 {
            // After hours there is no pool: the actor only has to end.
            threads.common.push(cell);
            return;
        }
        state.queue.push_back(cell);
        if state.idle >= state.queue.len() || state.threads >= THREADS_MAX {
            self.work.notify_one();
            return;
        }
        state.threads += 1;
        let number = state.threads;
        drop(state);
        let shared = system.clone();
        let name = format!("{}-blocking-{number}", system.config.name);
        let serve = move |threads: &Threads| threads.blocking.serve(&shared, threads);
        if threads.start_thread(name, serve, system) == Started::No {
            self.without_thread(threads);
        }
    }

    /// The operating system refused a thread: if there is no other, the workers do what they can.
    fn without_thread(&self, threads: &Threads) {
        let mut state = lock(&self.state);
        state.threads -= 1;
        if state.threads == 0 {
            for actor in std::mem::take(&mut state.queue) {
                threads.common.push(actor);
            }
            drop(state);
            threads.sleepers.wake_one();
        }
    }

    /// A thread's life: it leaves when it was idle for long, or when the pool has closed and nothing is queued.
    fn serve(&self, system: &Arc<Shared>, threads: &Threads) {
        let worker = Worker::new(system.clone(), None);
        Worker::enter(&worker, |worker| {
            while let Some(cell) = self.next() {
                system.oracle.tick();
                threads.clock.rouse();
                let ran = cell::run(cell, worker, system.config.budget);
                observe::rests(worker);
                if let Ran::Requeue(cell) = ran {
                    self.schedule(cell, threads, system);
                }
            }
        });
    }

    fn next(&self) -> Option<Runnable> {
        let mut state = lock(&self.state);
        loop {
            if let Some(cell) = state.queue.pop_front() {
                return Some(cell);
            }
            if state.open == Open::No {
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
        lock(&self.state).open = Open::No;
        self.work.notify_all();
    }
}
