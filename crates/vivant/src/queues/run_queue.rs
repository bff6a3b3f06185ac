//! A run queue: a lock around two lanes (lists), and a count that is read without the lock.
//!
//! Woken actors leave it first in, first out. **Newborn** actors, which have not run yet, leave it
//! last in, first out: so a tree of actors is run depth first, few of them are alive at once, and
//! they are in caches. Thieves take the oldest, which have most of the tree below them (Blumofe and
//! Leiserson 1999). `pop_oldest` keeps it fair (F2).

use crate::sync::{AtomicUsize, Mutex, Ordering, lock};
use std::collections::VecDeque;

/// An entry of a run queue.
pub(crate) trait Waiting {
    /// Returns true if it has not run yet.
    fn is_newborn(&self) -> bool;
}

/// Limit of the entries of a lane that a thief takes at once.
const STEAL_MAX: usize = 128;

pub(crate) struct RunQueue<T> {
    lanes: Mutex<PriorityLists<T>>,
    /// Number of entries; changed under the lock.
    count: AtomicUsize,
}

pub(crate) struct PriorityLists<T> {
    woken: VecDeque<T>,
    newborn: VecDeque<T>,
    /// The lane of the oldest entry taken last.
    last: WorkerClass,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkerClass {
    Woken,
    Newborn,
}

impl<T> Default for PriorityLists<T> {
    fn default() -> Self {
        PriorityLists {
            woken: VecDeque::new(),
            newborn: VecDeque::new(),
            last: WorkerClass::Woken,
        }
    }
}

impl<T: Waiting> PriorityLists<T> {
    fn push(&mut self, actor: T) {
        if actor.is_newborn() {
            self.newborn.push_back(actor);
        } else {
            self.woken.push_back(actor);
        }
    }

    fn pop_oldest(&mut self) -> Option<T> {
        self.last = match self.last {
            WorkerClass::Woken => WorkerClass::Newborn,
            WorkerClass::Newborn => WorkerClass::Woken,
        };
        match self.last {
            WorkerClass::Woken => self.woken.pop_front().or_else(|| self.newborn.pop_front()),
            WorkerClass::Newborn => self.newborn.pop_front().or_else(|| self.woken.pop_front()),
        }
    }

    fn len(&self) -> usize {
        self.woken.len() + self.newborn.len()
    }
}

impl<T> Default for RunQueue<T> {
    fn default() -> Self {
        RunQueue {
            lanes: Mutex::default(),
            count: AtomicUsize::new(0),
        }
    }
}

impl<T: Waiting> RunQueue<T> {
    fn change<R>(&self, body: impl FnOnce(&mut PriorityLists<T>) -> R) -> R {
        let mut lanes = lock(&self.lanes);
        let result = body(&mut lanes);
        // Relaxed: a hint for readers without the lock.
        self.count.store(lanes.len(), Ordering::Relaxed);
        result
    }

    /// Puts `actor` at the end of its lane; returns the number of entries now.
    pub(crate) fn push(&self, actor: T) -> usize {
        self.change(|lanes| {
            lanes.push(actor);
            lanes.len()
        })
    }

    /// Takes the newest newborn, or else the actor woken first.
    pub(crate) fn pop(&self) -> Option<T> {
        if self.waiting() == 0 {
            return None;
        }
        self.change(|lanes| lanes.newborn.pop_back().or_else(|| lanes.woken.pop_front()))
    }

    /// Takes the oldest of the one lane and of the other in turn (F2).
    pub(crate) fn pop_oldest(&self) -> Option<T> {
        if self.waiting() == 0 {
            return None;
        }
        self.change(PriorityLists::pop_oldest)
    }

    /// Returns about how many actors wait: one load.
    #[inline]
    pub(crate) fn waiting(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Returns true if the queue is empty, by the lock: a sleeper needs this (W1).
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.lanes).len() == 0
    }

    /// Takes the older half of each lane.
    pub(crate) fn steal(&self) -> PriorityLists<T> {
        if self.waiting() == 0 {
            return PriorityLists::default();
        }
        self.change(|lanes| {
            let older = |worker_class: &mut VecDeque<T>| {
                let half = worker_class.len().div_ceil(2).min(STEAL_MAX);
                worker_class.drain(..half).collect()
            };
            PriorityLists {
                woken: older(&mut lanes.woken),
                newborn: older(&mut lanes.newborn),
                last: WorkerClass::Woken,
            }
        })
    }

    /// Takes all entries.
    pub(crate) fn take_all(&self) -> PriorityLists<T> {
        self.change(std::mem::take)
    }

    /// Appends `more`.
    pub(crate) fn extend(&self, more: PriorityLists<T>) {
        self.change(|lanes| {
            lanes.woken.extend(more.woken);
            lanes.newborn.extend(more.newborn);
        });
    }
}
