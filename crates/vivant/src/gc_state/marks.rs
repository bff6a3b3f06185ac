//! [`Marks`]: the concurrent marks of actors' heaps, for workers that have nothing else to do (H7).
//! See [README.md](README.md).

use crate::actor::Shared;
use crate::actor::{AddressRef, CellRef};
use crate::oracle::Oracle;
use crate::sync::{Arc, AtomicUsize, Mutex, MutexGuard, Ordering, lock};
use std::collections::VecDeque;
use vivant_heap::{Marker, Progress};

/// Objects scanned before a worker looks again whether an actor wants to run: some 10 to 20
/// microseconds.
const QUANTUM: usize = 512;

/// The concurrent marks of a system.
#[derive(Default)]
pub(crate) struct Marks {
    running: Mutex<VecDeque<Arc<Mark>>>,
    /// Length of the list, read without the lock.
    count: AtomicUsize,
}

/// A concurrent mark.
pub(super) struct Mark {
    marker: Marker,
    cell: CellRef,
    /// Sends the actor the message that everything is marked.
    through: fn(AddressRef),
}

/// Whether a worker has found work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Helped {
    Some,
    #[default]
    Nothing,
}

impl Marks {
    pub(crate) fn of(system: &Shared) -> &Marks {
        system.extensions.part()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Mark>>> {
        lock(&self.running)
    }

    /// A mark has begun: workers that have nothing to do may help.
    pub(super) fn begins(
        system: &Shared,
        marker: Marker,
        cell: CellRef,
        through: fn(AddressRef),
    ) -> Arc<Mark> {
        let mark = Arc::new(Mark {
            marker,
            cell,
            through,
        });
        Marks::of(system).goes_on(system, &mark);
        mark
    }

    /// There is work for helpers of this mark, although a helper may have found everything marked:
    /// a turn that ran then has logged more. A worker that found no packet, because another held it
    /// and has put it back since, may sleep, so this wakes one.
    pub(super) fn goes_on(&self, system: &Shared, mark: &Arc<Mark>) {
        {
            let mut running = self.lock();
            if !running.iter().any(|other| Arc::ptr_eq(other, mark)) {
                running.push_back(mark.clone());
                // SeqCst: pairs with the load in `wants_help`. Either the worker that falls asleep
                // sees this store, or the look for sleeping workers, below, sees that worker.
                self.count.store(running.len(), Ordering::SeqCst);
            }
        }
        system.idle.wake_one();
    }

    /// A mark is over, or needs no more help.
    pub(super) fn ends(&self, mark: &Arc<Mark>) {
        let mut running = self.lock();
        running.retain(|other| !Arc::ptr_eq(other, mark));
        // Relaxed: a worker that reads the old value looks in vain.
        self.count.store(running.len(), Ordering::Relaxed);
    }

    /// Like `goes_on`, if there are packets to take.
    pub(super) fn is_left(&self, system: &Shared, mark: &Arc<Mark>) {
        if mark.marker.needs_help() {
            self.goes_on(system, mark);
        }
    }

    /// Whether any mark runs.
    #[inline]
    pub(crate) fn are_running(&self) -> bool {
        // Relaxed: a worker that reads the old value reads the new one the next time.
        self.count.load(Ordering::Relaxed) != 0
    }

    /// Whether a worker that has announced its sleep would find work. A thread that puts packets
    /// back after this load finds the worker asleep, and wakes it (A5).
    pub(crate) fn wants_help(&self) -> bool {
        // SeqCst: pairs with the store in `goes_on`.
        self.count.load(Ordering::SeqCst) != 0
            && self.lock().iter().any(|mark| mark.marker.needs_help())
    }

    /// Scans a few objects of one mark, in round-robin order.
    pub(crate) fn help(&self, system: &Shared) -> Helped {
        self.help_by(system, QUANTUM)
    }

    /// Like `help`, with a limit of `objects`.
    pub(crate) fn help_by(&self, system: &Shared, objects: usize) -> Helped {
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
                    self.ends(&mark);
                    mark.cell.upgrade().into_iter().for_each(mark.through);
                }
                Progress::Over => self.ends(&mark),
            }
            return Helped::Some;
        }
        Helped::Nothing
    }

    /// The mark that has waited longest.
    fn next(&self) -> Option<Arc<Mark>> {
        let mut running = self.lock();
        let mark = running.pop_front()?;
        running.push_back(mark.clone());
        Some(mark)
    }
}
