//! [`DetachedHeaps`]: the heaps of ended actors, which exist until nothing refers to their objects
//! (O9). See [README.md](README.md).

use super::detached_table::{Changed, DetachedHeapTable};
use super::gc_waker::{GcWaker, notified_after_ns};
use super::group_candidates::GroupCandidates;
use crate::actor::{Shared, Worker, recorder};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
#[cfg(test)]
use crate::phase::NO_PHASE;
use crate::phase::Phase;
use crate::services::{Action, Alarm, SystemCall};
use crate::sync::{Arc, AtomicBool, Mutex, MutexGuard, Ordering, lock};
use std::task::Waker;
use std::thread;
use vivant_heap::{DetachedHeap, FinishedHeaps, Member, Sharer, Visit};

/// Work budget of one run by a worker, between two rounds of actors: objects scanned, or work of
/// equal cost; some ten to some hundred microseconds.
const RUN_BUDGET: usize = 4096;

/// Work budget of a run by a worker that finds no actor to run, in the same unit.
const IDLE_BUDGET: usize = 512;

/// While actors are runnable, the due detached heaps together get one worker's time times their
/// number, divided by this. If this many are due they get all of it, and a worker that ends another
/// heap runs it to completion at once.
const OVERLOAD_COUNT: usize = 10;

/// The detached heaps of a system.
#[derive(Default)]
pub(crate) struct DetachedHeaps {
    state: Mutex<DetachedState>,
    /// Whether a worker is to run them.
    run_requested: AtomicBool,
    /// Whether one is due. Read by workers that find no actor to run.
    has_due: AtomicBool,
}

#[derive(Default)]
struct DetachedState {
    table: DetachedHeapTable,
    runner: RunnerState,
    shutdown: ShutdownState,
}

/// Whether a thread runs them.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum RunnerState {
    #[default]
    Idle,
    /// A thread will: a timer is set for that time, or a run is requested.
    Scheduled { at_ns: u64 },
    /// A thread runs them now. It also runs those notified meanwhile.
    Running,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum ShutdownState {
    /// There are timers and workers.
    #[default]
    Running,
    /// After shutdown: timers and workers are gone. A thread that releases something runs the
    /// detached heaps itself, to completion.
    ShutDown,
}

/// Calls for a group mark. No lock is held.
fn call_if(changed: Changed, system: &Arc<Shared>) {
    if changed == Changed::Yes {
        GroupCandidates::call_for_detached(system);
    }
}

/// A run is due, at this time. It may have been rescheduled since.
static RUN_DETACHED_HEAPS: SystemCall<Arc<Shared>> = SystemCall {
    name: "detached heaps",
    call: |system, [at_ns, _]| {
        let detached_heaps = DetachedHeaps::of(system);
        let runner = lock(&detached_heaps.state).runner;
        if runner == (RunnerState::Scheduled { at_ns }) {
            detached_heaps.request_run(system);
        }
    },
};

/// A heap that no cut captures enters the phase of the system, and notices that its image is given
/// up. Else the coordinator of the cut captures it.
fn enter_phase(system: &Shared, heap: &mut DetachedHeap) {
    // First the phase: if another cut begins behind this line, its recorder is there.
    let phase = system.passes.now().phase().number();
    #[cfg(test)]
    if is_planted(InjectedFault::EarlyRelease) {
        return heap.enter_phase(NO_PHASE);
    }
    if heap.phase() != phase && (recorder(system).is_none() || system.is_closing()) {
        heap.enter_phase(phase);
    }
}

/// Adds the heaps of an image that have no state, in the phase of the actor that has got one.
pub(crate) fn add_detached(system: &Arc<Shared>, heaps: FinishedHeaps, phase: Phase) {
    for (_, mut heap) in heaps.detached() {
        let waker = GcWaker::of_detached();
        heap.wake_by(Waker::from(waker.clone()));
        heap.enter_phase(phase.number());
        system.scheduler.heap_begins(system);
        DetachedHeaps::add(system, heap, &waker);
    }
}

impl DetachedHeaps {
    pub(crate) fn of(system: &Shared) -> &DetachedHeaps {
        system.extensions.part()
    }

    /// Adds the heap of an actor that has ended. Called outside of turns.
    pub(super) fn add(system: &Arc<Shared>, heap: DetachedHeap, waker: &GcWaker) {
        let detached_heaps = DetachedHeaps::of(system);
        let now_ns = system.oracle.now_ns();
        let (number, due) = {
            let mut state = lock(&detached_heaps.state);
            (
                state.table.next_number(),
                state.table.due(now_ns, OVERLOAD_COUNT),
            )
        };
        let heap = match heap.has_work() && due == OVERLOAD_COUNT {
            true => heap.drain_all(),
            false => Some(heap),
        };
        let Some(heap) = heap else {
            waker.close();
            return;
        };
        waker.move_to_detached(system, number);
        let drain_by_ns = now_ns + notified_after_ns(system);
        let mut state = lock(&detached_heaps.state);
        // A message put in before the waker moved has scheduled an idle check of the actor. A
        // message put in since has notified this number, which may not have been in the table yet.
        let due_ns = state.table.add(number, heap, now_ns, drain_by_ns);
        let changed = state.table.take_changed();
        match due_ns {
            Some(due_ns) => DetachedHeaps::ensure_run(system, state, due_ns),
            None => drop(state),
        }
        call_if(changed, system);
    }

    /// Those with imports and exports, in the order in which their actors ended.
    pub(crate) fn sharing(&self) -> Vec<u64> {
        lock(&self.state).table.sharing().collect()
    }

    /// No cut is being taken any more: all enter the phase of the system, and no image of them is
    /// written.
    pub(crate) fn no_cut(system: &Arc<Shared>) {
        for number in DetachedHeaps::of(system).numbers() {
            let held = DetachedHeaps::hold(system, number, |heap| {
                enter_phase(system, heap);
                heap.write_image(0);
            });
            if held == Visit::Active {
                // It does so before its next step.
                DetachedHeaps::notify(system, number);
            }
        }
    }

    /// All of them.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        lock(&self.state).table.numbers().collect()
    }

    /// Visits one of them, for a group mark, unless a thread runs it or it is freed.
    pub(crate) fn visit(
        system: &Arc<Shared>,
        number: u64,
        visit: &mut dyn FnMut(Member<'_>),
    ) -> Visit {
        DetachedHeaps::hold(system, number, |heap| visit(heap.sharer().member()))
    }

    /// Calls `body` with one of them, unless a thread runs it or it is freed.
    pub(crate) fn hold(
        system: &Arc<Shared>,
        number: u64,
        body: impl FnOnce(&mut DetachedHeap),
    ) -> Visit {
        let detached_heaps = DetachedHeaps::of(system);
        let taken = lock(&detached_heaps.state).table.take_for_visit(number);
        let mut taken = match taken {
            Ok(taken) => taken,
            Err(failed) => return failed,
        };
        // Outside of the lock: the body may send deltas to detached heaps, which notifies them.
        body(taken.heap());
        let mut state = lock(&detached_heaps.state);
        let due_ns = state.table.put_back_visited(taken);
        let changed = state.table.take_changed();
        match due_ns {
            Some(due_ns) => DetachedHeaps::ensure_run(system, state, due_ns),
            None => drop(state),
        }
        call_if(changed, system);
        Visit::Done
    }

    /// A message was put into this heap's empty inbox.
    pub(super) fn notify(system: &Arc<Shared>, number: u64) {
        let now_ns = system.oracle.now_ns();
        let mut state = lock(&DetachedHeaps::of(system).state);
        let drain_by_ns = match state.runner {
            // The sender may be a heap that this run frees.
            RunnerState::Running => now_ns,
            RunnerState::Idle | RunnerState::Scheduled { .. } => now_ns + notified_after_ns(system),
        };
        if let Some(due_ns) = state.table.notify(number, drain_by_ns) {
            DetachedHeaps::ensure_run(system, state, due_ns);
        }
    }

    /// One is due at `due_ns`: makes sure that a thread runs it.
    fn ensure_run(system: &Arc<Shared>, state: MutexGuard<'_, DetachedState>, due_ns: u64) {
        match (state.runner, state.shutdown) {
            (RunnerState::Running, _) => {}
            (_, ShutdownState::ShutDown) => {
                drop(state);
                DetachedHeaps::run_after_shutdown(system);
            }
            (RunnerState::Scheduled { at_ns }, ShutdownState::Running) if at_ns <= due_ns => {}
            (RunnerState::Idle | RunnerState::Scheduled { .. }, ShutdownState::Running) => {
                DetachedHeaps::schedule_next_run(system, state, RunnerState::Idle, 0);
            }
        }
    }

    /// Decides when the next run comes, while no thread runs detached heaps. `before` is the state
    /// before the run that has just ended, and `took_ns` its duration in nanoseconds.
    fn schedule_next_run(
        system: &Arc<Shared>,
        mut state: MutexGuard<'_, DetachedState>,
        before: RunnerState,
        took_ns: u64,
    ) {
        let detached_heaps = DetachedHeaps::of(system);
        let Some(next_ns) = state.table.next_ns() else {
            state.runner = RunnerState::Idle;
            return;
        };
        let now_ns = system.oracle.now_ns();
        let due = state.table.due(now_ns, OVERLOAD_COUNT);
        let wanted_ns = match due {
            0 => next_ns,
            due => now_ns.saturating_add(took_ns.saturating_mul((OVERLOAD_COUNT - due) as u64)),
        };
        // Relaxed: a worker that reads the old value reads the new one the next time, or the timer
        // fires first.
        detached_heaps.has_due.store(due != 0, Ordering::Relaxed);
        if let RunnerState::Scheduled { at_ns } = before
            && now_ns < at_ns
            && at_ns <= wanted_ns
        {
            state.runner = before;
            return;
        }
        let at_ns = wanted_ns;
        state.runner = RunnerState::Scheduled { at_ns };
        drop(state);
        if at_ns <= now_ns {
            detached_heaps.request_run(system);
            return;
        }
        let action = Action::Call(&RUN_DETACHED_HEAPS, [at_ns, 0]);
        system.set_timer(at_ns - now_ns, Alarm::Once(action));
    }

    fn request_run(&self, system: &Shared) {
        // SeqCst: a worker that falls asleep has announced it before it loads this, and is woken if
        // it has not seen the store.
        self.run_requested.store(true, Ordering::SeqCst);
        system.idle.wake_one();
    }

    /// Whether a worker is to run detached heaps.
    #[inline]
    pub(crate) fn is_run_requested(&self) -> bool {
        // SeqCst: pairs with the store in `request_run`: a worker announces its sleep before this
        // load.
        self.run_requested.load(Ordering::SeqCst)
    }

    /// Runs due detached heaps until the work budget is used up. Not in a turn, and not in a
    /// collection.
    pub(crate) fn run(system: &Arc<Shared>) {
        DetachedHeaps::run_with_budget(system, RUN_BUDGET);
        if DetachedHeaps::of(system).has_due() {
            system.idle.wake_one();
        }
    }

    /// Like `run`, by a worker that finds no actor to run.
    pub(crate) fn run_when_idle(system: &Arc<Shared>) {
        DetachedHeaps::run_with_budget(system, IDLE_BUDGET);
    }

    /// Whether there is work for such a worker.
    #[inline]
    pub(crate) fn has_due(&self) -> bool {
        // Relaxed: a worker that reads the old value reads the new one the next time, or the timer
        // fires first.
        self.has_due.load(Ordering::Relaxed)
    }

    /// Like `run`, with a budget of `most`. After shutdown it runs everything to completion.
    pub(crate) fn run_with_budget(system: &Arc<Shared>, most: usize) {
        let detached_heaps = DetachedHeaps::of(system);
        // Relaxed: the lock decides.
        detached_heaps.run_requested.store(false, Ordering::Relaxed);
        detached_heaps.has_due.store(false, Ordering::Relaxed);
        let mut state = lock(&detached_heaps.state);
        if state.runner == RunnerState::Running {
            return;
        }
        let before = std::mem::replace(&mut state.runner, RunnerState::Running);
        let clock = || system.oracle.now_ns();
        let (began_ns, mut work) = (clock(), most);
        loop {
            let now_ns = match state.shutdown {
                ShutdownState::Running => clock(),
                ShutdownState::ShutDown => u64::MAX,
            };
            if state.shutdown == ShutdownState::ShutDown {
                work = usize::MAX;
            }
            let taken = match work {
                0 => None,
                _ => state.table.take(now_ns),
            };
            let Some(mut taken) = taken else { break };
            drop(state);
            // L6: it may have been detached behind the line.
            Worker::of(system, Worker::enter_pass_between_runs);
            enter_phase(system, taken.heap());
            let stepped = taken.step(now_ns, &mut work, clock);
            let drain_by_ns = now_ns.saturating_add(notified_after_ns(system));
            state = lock(&detached_heaps.state);
            state.table.put_back(stepped, now_ns, drain_by_ns);
        }
        let took_ns = clock() - began_ns;
        let changed = state.table.take_changed();
        DetachedHeaps::schedule_next_run(system, state, before, took_ns);
        call_if(changed, system);
    }

    /// The system has ended: its timers and workers are gone.
    pub(crate) fn close(system: &Arc<Shared>) {
        lock(&DetachedHeaps::of(system).state).shutdown = ShutdownState::ShutDown;
        DetachedHeaps::no_cut(system);
        DetachedHeaps::run_with_budget(system, usize::MAX);
    }

    /// The number of objects that are left though nothing outside of detached heaps can release
    /// them. Called when no thread runs a group mark any more: the check needs its sums.
    pub(crate) fn leaked_objects(system: &Shared) -> usize {
        lock(&DetachedHeaps::of(system).state)
            .table
            .leaked_objects()
    }

    /// A thread has released an object of a system that has ended.
    #[cold]
    fn run_after_shutdown(system: &Arc<Shared>) {
        if Worker::with_current(|_| ()).is_none() {
            DetachedHeaps::run_with_budget(system, usize::MAX);
            return;
        }
        // In a turn of another system, or in its collection, so not on this thread. If no thread
        // can be started, the next caller runs the detached heaps.
        let shared = system.clone();
        let name = format!("{}-detached", system.config.name);
        let _thread = thread::Builder::new()
            .name(name)
            .spawn(move || DetachedHeaps::run_with_budget(&shared, usize::MAX));
    }

    /// Passes each of them to `ask`, until it has an answer.
    pub(crate) fn find<T>(&self, ask: impl FnMut(&mut dyn Sharer) -> Option<T>) -> Option<T> {
        lock(&self.state).table.find(ask)
    }

    /// Number of detached heaps.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).table.len()
    }
}
