//! A run queue: a lock around two lists, and a count that is read without the lock.
//!
//! Woken actors leave it first in, first out. **Newborn** actors, which have not run yet, leave it
//! last in, first out: so a tree of actors is run depth first, few of them are alive at once, and
//! they are in caches. Steals take the oldest, which have most of the tree below them (Blumofe and
//! Leiserson 1999). `pop_oldest` keeps it fair (F2).

use crate::sync::{AtomicUsize, Mutex, Ordering, lock};
use std::collections::VecDeque;

/// An entry of a run queue.
pub(crate) trait QueueEntry {
    /// Returns true if it has not run yet.
    fn is_newborn(&self) -> bool;
}

/// Limit of the entries of a list that one steal takes.
const STEAL_MAX: usize = 128;

pub(crate) struct RunQueue<T> {
    lists: Mutex<PriorityLists<T>>,
    /// Number of entries; changed under the lock.
    count: AtomicUsize,
}

pub(crate) struct PriorityLists<T> {
    woken: VecDeque<T>,
    newborn: VecDeque<T>,
    /// The list of the oldest entry taken last.
    last: ListKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ListKind {
    Woken,
    Newborn,
}

impl<T> Default for PriorityLists<T> {
    fn default() -> Self {
        PriorityLists {
            woken: VecDeque::new(),
            newborn: VecDeque::new(),
            last: ListKind::Woken,
        }
    }
}

impl<T: QueueEntry> PriorityLists<T> {
    fn push(&mut self, actor: T) {
        if actor.is_newborn() {
            self.newborn.push_back(actor);
        } else {
            self.woken.push_back(actor);
        }
    }

    fn pop_oldest(&mut self) -> Option<T> {
        self.last = match self.last {
            ListKind::Woken => ListKind::Newborn,
            ListKind::Newborn => ListKind::Woken,
        };
        match self.last {
            ListKind::Woken => self.woken.pop_front().or_else(|| self.newborn.pop_front()),
            ListKind::Newborn => self.newborn.pop_front().or_else(|| self.woken.pop_front()),
        }
    }

    fn len(&self) -> usize {
        self.woken.len() + self.newborn.len()
    }
}

impl<T> Default for RunQueue<T> {
    fn default() -> Self {
        RunQueue {
            lists: Mutex::default(),
            count: AtomicUsize::new(0),
        }
    }
}

impl<T: QueueEntry> RunQueue<T> {
    fn change<R>(&self, body: impl FnOnce(&mut PriorityLists<T>) -> R) -> R {
        let mut lists = lock(&self.lists);
        let result = body(&mut lists);
        // Relaxed: a hint for readers without the lock.
        self.count.store(lists.len(), Ordering::Relaxed);
        result
    }

    /// Puts `actor` at the end of its list; returns the number of entries now.
    pub(crate) fn push(&self, actor: T) -> usize {
        self.change(|lists| {
            lists.push(actor);
            lists.len()
        })
    }

    /// Takes the newest newborn, or else the actor woken first.
    pub(crate) fn pop(&self) -> Option<T> {
        if self.waiting() == 0 {
            return None;
        }
        self.change(|lists| lists.newborn.pop_back().or_else(|| lists.woken.pop_front()))
    }

    /// Takes the oldest of one list and of the other alternately (F2).
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
        lock(&self.lists).len() == 0
    }

    /// Takes the older half of each list.
    pub(crate) fn steal(&self) -> PriorityLists<T> {
        if self.waiting() == 0 {
            return PriorityLists::default();
        }
        self.change(|lists| {
            let older = |list: &mut VecDeque<T>| {
                let half = list.len().div_ceil(2).min(STEAL_MAX);
                list.drain(..half).collect()
            };
            PriorityLists {
                woken: older(&mut lists.woken),
                newborn: older(&mut lists.newborn),
                last: ListKind::Woken,
            }
        })
    }

    /// Takes all entries.
    pub(crate) fn take_all(&self) -> PriorityLists<T> {
        self.change(std::mem::take)
    }

    /// Appends `more`.
    pub(crate) fn extend(&self, more: PriorityLists<T>) {
        self.change(|lists| {
            lists.woken.extend(more.woken);
            lists.newborn.extend(more.newborn);
        });
    }
}
