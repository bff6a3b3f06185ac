//! [`DetachedHeaps`]: detached heaps, what is left of actors' heaps after their end, until nothing
//! refers to it (O9). See [README.md](README.md).

use super::detached_table::Table;
use super::gc_waker::{GcWaker, notified_after_ns};
use crate::actor::Shared;
use crate::actor::Worker;
use crate::services::Alarm;
use crate::sync::{Arc, AtomicBool, Mutex, MutexGuard, Ordering, lock};
use std::thread;
use vivant_heap::{DetachedHeap, HeapId, ObjectName, Retainers};

/// Work budget of one run by a worker, between two rounds of actors: objects scanned, or work of
/// equal cost; some ten to some hundred microseconds.
const PIECE: usize = 4096;

/// Work budget of a worker that finds no actor to run, in the same unit.
const QUANTUM: usize = 512;

/// Workers that have actors to run give detached heaps one part in this many of one worker's time;
/// twice that if two of them have work. If this many have work it is all of that worker's time, and
/// a worker that ends another heap runs it to completion at once.
const CROWD: usize = 10;

/// The detached heaps of a system.
#[derive(Default)]
pub(crate) struct DetachedHeaps {
    state: Mutex<State>,
    /// Whether a worker is to run them.
    called: AtomicBool,
    /// Whether one is due, for workers that have nothing else to do.
    owe: AtomicBool,
}

#[derive(Default)]
struct State {
    table: Table,
    care: Care,
    hours: Hours,
}

/// Whether a thread runs them.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Care {
    #[default]
    Nobody,
    /// A thread will: a timer is set for that time, or they have called.
    Later { at_ns: u64 },
    /// A thread runs them now. It sees those notified meanwhile.
    Now,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hours {
    /// There are timers and workers.
    #[default]
    Open,
    /// After shutdown: timers and workers are gone. A thread that releases something runs the
    /// detached heaps itself, to completion.
    Over,
}

impl DetachedHeaps {
    pub(crate) fn of(system: &Shared) -> &DetachedHeaps {
        system.extensions.part()
    }

    /// Takes in what is left of a heap that has ended. Called outside of turns.
    pub(super) fn take_in(system: &Arc<Shared>, orphan: DetachedHeap, bell: &GcWaker) {
        let orphans = DetachedHeaps::of(system);
        let now_ns = system.oracle.now_ns();
        let (number, due) = {
            let mut state = lock(&orphans.state);
            (state.table.number(), state.table.due(now_ns, CROWD))
        };
        let orphan = match orphan.has_work() && due == CROWD {
            true => orphan.drain_all(),
            false => Some(orphan),
        };
        let Some(orphan) = orphan else {
            bell.is_over();
            return;
        };
        bell.moves_to(system, number);
        let heard_ns = now_ns + notified_after_ns(system);
        let mut state = lock(&orphans.state);
        // A message put in before the waker moved has notified the actor. A message put in since
        // has notified this number, which may not have been in the table yet.
        if let Some(due_ns) = state.table.comes(number, orphan, now_ns, heard_ns) {
            DetachedHeaps::will_be_looked_at(system, state, due_ns);
        }
    }

    /// A message was put into this heap's empty inbox.
    pub(super) fn is_told(system: &Arc<Shared>, number: u64) {
        let now_ns = system.oracle.now_ns();
        let mut state = lock(&DetachedHeaps::of(system).state);
        let heard_ns = match state.care {
            // The sender may be a heap that this run frees.
            Care::Now => now_ns,
            Care::Nobody | Care::Later { .. } => now_ns + notified_after_ns(system),
        };
        if let Some(due_ns) = state.table.is_told(number, heard_ns) {
            DetachedHeaps::will_be_looked_at(system, state, due_ns);
        }
    }

    /// One is due at `due_ns`: makes sure that a thread runs it.
    fn will_be_looked_at(system: &Arc<Shared>, state: MutexGuard<'_, State>, due_ns: u64) {
        match (state.care, state.hours) {
            (Care::Now, _) => {}
            (_, Hours::Over) => {
                drop(state);
                DetachedHeaps::after_hours(system);
            }
            (Care::Later { at_ns }, Hours::Open) if at_ns <= due_ns => {}
            (Care::Nobody | Care::Later { .. }, Hours::Open) => {
                DetachedHeaps::will_care(system, state, Care::Nobody, 0);
            }
        }
    }

    /// Decides when the next run comes, while no thread runs detached heaps. `before` is the state
    /// before the run that has just ended, and `took_ns` its duration in nanoseconds.
    fn will_care(
        system: &Arc<Shared>,
        mut state: MutexGuard<'_, State>,
        before: Care,
        took_ns: u64,
    ) {
        let orphans = DetachedHeaps::of(system);
        let Some(next_ns) = state.table.next_ns() else {
            state.care = Care::Nobody;
            return;
        };
        let now_ns = system.oracle.now_ns();
        let due = state.table.due(now_ns, CROWD);
        let wanted_ns = match due {
            0 => next_ns,
            due => now_ns.saturating_add(took_ns.saturating_mul((CROWD - due) as u64)),
        };
        // Relaxed: a worker that reads the old value reads the new one the next time, or the timer
        // fires first.
        orphans.owe.store(due != 0, Ordering::Relaxed);
        if let Care::Later { at_ns } = before
            && now_ns < at_ns
            && at_ns <= wanted_ns
        {
            state.care = before;
            return;
        }
        let at_ns = wanted_ns;
        state.care = Care::Later { at_ns };
        drop(state);
        if at_ns <= now_ns {
            orphans.call(system);
            return;
        }
        let caller = system.clone();
        let ring = move || {
            // Another time may have been agreed upon.
            let care = lock(&DetachedHeaps::of(&caller).state).care;
            if care == (Care::Later { at_ns }) {
                DetachedHeaps::of(&caller).call(&caller);
            }
        };
        system.set_timer(at_ns - now_ns, Alarm::Once(Box::new(ring)));
    }

    fn call(&self, system: &Shared) {
        // SeqCst: a worker that falls asleep has announced it before it loads this, and is woken if
        // it has not seen the store.
        self.called.store(true, Ordering::SeqCst);
        system.idle.wake_one();
    }

    /// Whether a worker is to run detached heaps.
    #[inline]
    pub(crate) fn are_calling(&self) -> bool {
        // SeqCst: pairs with the store in `call`: a worker announces its sleep before this load.
        self.called.load(Ordering::SeqCst)
    }

    /// Runs a piece of what is due. Not in a turn, and not in a collection.
    pub(crate) fn care(system: &Arc<Shared>) {
        DetachedHeaps::care_by(system, PIECE);
        if DetachedHeaps::of(system).owe() {
            system.idle.wake_one();
        }
    }

    /// Like `care`, by a worker that has nothing else to do.
    pub(crate) fn help(system: &Arc<Shared>) {
        DetachedHeaps::care_by(system, QUANTUM);
    }

    /// Whether there is work for such a worker.
    #[inline]
    pub(crate) fn owe(&self) -> bool {
        // Relaxed: a worker that reads the old value reads the new one the next time, or the timer
        // fires first.
        self.owe.load(Ordering::Relaxed)
    }

    /// Like `care`, with a budget of `most`. After shutdown it runs everything to completion.
    pub(crate) fn care_by(system: &Arc<Shared>, most: usize) {
        let orphans = DetachedHeaps::of(system);
        // Relaxed: the lock decides.
        orphans.called.store(false, Ordering::Relaxed);
        orphans.owe.store(false, Ordering::Relaxed);
        let mut state = lock(&orphans.state);
        if state.care == Care::Now {
            return;
        }
        let before = std::mem::replace(&mut state.care, Care::Now);
        let clock = || system.oracle.now_ns();
        let (began_ns, mut work) = (clock(), most);
        loop {
            let now_ns = match state.hours {
                Hours::Open => clock(),
                Hours::Over => u64::MAX,
            };
            if state.hours == Hours::Over {
                work = usize::MAX;
            }
            let taken = match work {
                0 => None,
                _ => state.table.take(now_ns),
            };
            let Some(taken) = taken else { break };
            drop(state);
            let seen = taken.step(now_ns, &mut work, clock);
            let heard_ns = now_ns.saturating_add(notified_after_ns(system));
            state = lock(&orphans.state);
            state.table.put_back(seen, now_ns, heard_ns);
        }
        let took_ns = clock() - began_ns;
        DetachedHeaps::will_care(system, state, before, took_ns);
    }

    /// The system has ended: its timers and workers are gone.
    pub(crate) fn close(system: &Arc<Shared>) {
        lock(&DetachedHeaps::of(system).state).hours = Hours::Over;
        DetachedHeaps::care_by(system, usize::MAX);
    }

    /// A thread releases something that belongs to a system that has ended.
    #[cold]
    fn after_hours(system: &Arc<Shared>) {
        if Worker::with_current(|_| ()).is_none() {
            DetachedHeaps::care_by(system, usize::MAX);
            return;
        }
        // In a turn of another system, or in its collection, so not on this thread. If no thread
        // can be started, the next caller runs the detached heaps.
        let theirs = system.clone();
        let name = format!("{}-orphans", system.config.name);
        let _thread = thread::Builder::new()
            .name(name)
            .spawn(move || DetachedHeaps::care_by(&theirs, usize::MAX));
    }

    /// The retainers of an object of one of them; none if its owner is not among them.
    pub(crate) fn retainers(&self, owner: HeapId, of: ObjectName) -> Option<Retainers> {
        lock(&self.state).table.retainers(owner, of)
    }

    /// Number of detached heaps, without the heap that is being run.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).table.len()
    }
}
