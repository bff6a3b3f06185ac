//! A run queue: first in, first out; a lock around a ring, and a count that is read without the lock.

use crate::cell::Runnable;
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};
use std::collections::VecDeque;

/// A thief takes at most this many at once.
const STEAL_MAX: usize = 128;

#[derive(Default)]
pub(crate) struct RunQueue {
    actors: Mutex<VecDeque<Runnable>>,
    /// How many there are; changed under the lock.
    count: AtomicUsize,
}

impl RunQueue {
    /// Puts `actor` at the end; returns how many wait now.
    pub(crate) fn push(&self, actor: Runnable) -> usize {
        let mut actors = lock(&self.actors);
        actors.push_back(actor);
        let count = actors.len();
        // Relaxed, here and below: a hint for those who do not lock.
        self.count.store(count, Ordering::Relaxed);
        count
    }

    pub(crate) fn pop(&self) -> Option<Runnable> {
        if self.len() == 0 {
            return None;
        }
        let mut actors = lock(&self.actors);
        let first = actors.pop_front();
        self.count.store(actors.len(), Ordering::Relaxed);
        first
    }

    /// About how many wait: one load.
    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether none waits, by the lock: what a sleeper needs to know (W1).
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.actors).is_empty()
    }

    /// Takes the older half, oldest first.
    pub(crate) fn steal(&self) -> VecDeque<Runnable> {
        if self.len() == 0 {
            return VecDeque::new();
        }
        let mut actors = lock(&self.actors);
        let half = actors.len().div_ceil(2).min(STEAL_MAX);
        let loot = actors.drain(..half).collect();
        self.count.store(actors.len(), Ordering::Relaxed);
        loot
    }

    /// Takes everything.
    pub(crate) fn take_all(&self) -> VecDeque<Runnable> {
        let mut actors = lock(&self.actors);
        self.count.store(0, Ordering::Relaxed);
        std::mem::take(&mut *actors)
    }

    pub(crate) fn extend(&self, more: VecDeque<Runnable>) {
        let mut actors = lock(&self.actors);
        actors.extend(more);
        self.count.store(actors.len(), Ordering::Relaxed);
    }
}
