//! [`ConcurrentMarks`]: the running concurrent marks of actors' heaps. Workers without actors to
//! run help them (H7). See [README.md](README.md).

use crate::actor::Shared;
use crate::actor::{AddressRef, CellRef};
use crate::oracle::Oracle;
use crate::sync::{Arc, AtomicUsize, Mutex, MutexGuard, Ordering, lock};
use std::collections::VecDeque;
use vivant_heap::{Marker, Progress};

/// Objects that a helper scans before it looks for actors again: some 10 to 20 microseconds.
const HELP_BUDGET: usize = 512;

/// The concurrent marks of a system.
#[derive(Default)]
pub(crate) struct ConcurrentMarks {
    running: Mutex<VecDeque<Arc<RunningMark>>>,
    /// Length of the list, read without the lock.
    count: AtomicUsize,
}

/// A concurrent mark.
pub(super) struct RunningMark {
    marker: Marker,
    cell: CellRef,
    /// Sends the actor the message that everything is marked.
    send_continue: fn(AddressRef),
}

/// Whether a worker without actors to run has found other work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum IdleWork {
    Done,
    #[default]
    None,
}

impl ConcurrentMarks {
    pub(crate) fn of(system: &Shared) -> &ConcurrentMarks {
        system.extensions.part()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<RunningMark>>> {
        lock(&self.running)
    }

    /// A mark has begun: workers without actors to run may help.
    pub(super) fn start(
        system: &Shared,
        marker: Marker,
        cell: CellRef,
        send_continue: fn(AddressRef),
    ) -> Arc<RunningMark> {
        let mark = Arc::new(RunningMark {
            marker,
            cell,
            send_continue,
        });
        ConcurrentMarks::of(system).enlist(system, &mark);
        mark
    }

    /// Puts the mark on the list, if it is not there: a helper that found everything marked has
    /// removed it, and a turn has flushed its SATB buffer since. Wakes one worker: a worker that
    /// found no packet, because another held it and has put it back since, may sleep.
    pub(super) fn enlist(&self, system: &Shared, mark: &Arc<RunningMark>) {
        {
            let mut running = self.lock();
            if !running.iter().any(|other| Arc::ptr_eq(other, mark)) {
                running.push_back(mark.clone());
                // SeqCst: pairs with the load in `wants_help`. Either the worker that falls asleep
                // sees this store, or the `wake_one` below sees that worker.
                self.count.store(running.len(), Ordering::SeqCst);
            }
        }
        system.idle.wake_one();
    }

    /// Takes a mark off the list: it has ended, or needs no more help.
    pub(super) fn remove(&self, mark: &Arc<RunningMark>) {
        let mut running = self.lock();
        running.retain(|other| !Arc::ptr_eq(other, mark));
        // Relaxed: a worker that reads the old value finds no packet.
        self.count.store(running.len(), Ordering::Relaxed);
    }

    /// Like `enlist`, if there are packets to take.
    pub(super) fn enlist_if_needed(&self, system: &Shared, mark: &Arc<RunningMark>) {
        if mark.marker.needs_help() {
            self.enlist(system, mark);
        }
    }

    /// Whether any mark runs.
    #[inline]
    pub(crate) fn any_running(&self) -> bool {
        // Relaxed: a worker that reads the old value reads the new one the next time.
        self.count.load(Ordering::Relaxed) != 0
    }

    /// Whether a worker that has announced its sleep would find work. A thread that puts packets
    /// back after this load finds the worker asleep, and wakes it (A5).
    pub(crate) fn wants_help(&self) -> bool {
        // SeqCst: pairs with the store in `enlist`.
        self.count.load(Ordering::SeqCst) != 0
            && self.lock().iter().any(|mark| mark.marker.needs_help())
    }

    /// Scans a few objects of one mark, in round-robin order.
    pub(crate) fn help(&self, system: &Shared) -> IdleWork {
        self.help_by(system, HELP_BUDGET)
    }

    /// Like `help`, with a limit of `objects`.
    pub(crate) fn help_by(&self, system: &Shared, objects: usize) -> IdleWork {
        for _ in 0..self.count.load(Ordering::Relaxed) {
            let Some(mark) = self.next() else { break };
            let oracle: &Oracle = &system.oracle;
            let began_ns = oracle.now_ns();
            let progress = mark.marker.work(objects);
            mark.marker.add_spent_ns(oracle.now_ns() - began_ns);
            match progress {
                Progress::NoWork => continue,
                Progress::More => {
                    // There is enough for two.
                    if mark.marker.has_spare_work() {
                        system.idle.wake_one();
                    }
                }
                Progress::Drained => {
                    self.remove(&mark);
                    mark.cell.upgrade().into_iter().for_each(mark.send_continue);
                }
                Progress::Over => self.remove(&mark),
            }
            return IdleWork::Done;
        }
        IdleWork::None
    }

    /// The mark that has waited longest.
    fn next(&self) -> Option<Arc<RunningMark>> {
        let mut running = self.lock();
        let mark = running.pop_front()?;
        running.push_back(mark.clone());
        Some(mark)
    }
}
