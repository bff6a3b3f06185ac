//! Falling asleep and waking without lost wake-ups and without polling (invariants W1–W3,
//! `README.md`).

use crate::sync::{Arc, AtomicUsize, Condvar, Mutex, Ordering, lock};

/// How a worker's thread sleeps. The portable form is [`CondvarParker`]; a platform may have a
/// cheaper one.
pub(crate) trait Park {
    /// Sleeps until there is a token, and takes it. A token that came earlier is not lost.
    fn park(&self);
    /// Leaves a token.
    fn unpark(&self);
}

/// A token behind a lock: works wherever `std` does.
pub(crate) struct CondvarParker {
    token: Mutex<bool>,
    changed: Condvar,
}

impl CondvarParker {
    pub(crate) fn new() -> Self {
        CondvarParker {
            token: Mutex::new(false),
            changed: Condvar::new(),
        }
    }
}

impl Park for CondvarParker {
    fn park(&self) {
        let mut token = lock(&self.token);
        while !*token {
            token = self
                .changed
                .wait(token)
                .unwrap_or_else(crate::sync::PoisonError::into_inner);
        }
        *token = false;
    }

    fn unpark(&self) {
        *lock(&self.token) = true;
        self.changed.notify_one();
    }
}

/// The state of a worker that announced its sleep and found work in its last check.
#[must_use]
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Withdrawn {
    /// It is awake and in no list.
    Awake,
    /// Another thread has chosen it: its token is there or on its way, and must be taken with
    /// `park`.
    TokenComes,
}

/// The list of workers that sleep, or are about to.
pub(crate) struct Sleepers<P> {
    /// Length of `list`. The sender of work reads it without the lock.
    asleep: AtomicUsize,
    list: Mutex<Vec<Arc<P>>>,
}

impl<P: Park> Sleepers<P> {
    pub(crate) fn new() -> Self {
        Sleepers {
            asleep: AtomicUsize::new(0),
            list: Mutex::new(Vec::new()),
        }
    }

    /// Returns the number of workers that sleep, or are about to.
    pub(crate) fn asleep(&self) -> usize {
        self.asleep.load(Ordering::SeqCst)
    }

    /// W1: a worker announces that it is about to sleep, *before* its last check of the queues.
    pub(crate) fn announce(&self, parker: &Arc<P>) {
        let mut list = lock(&self.list);
        list.push(parker.clone());
        // The check that follows locks each queue. A push after that check locks the queue later,
        // so the pushing thread sees this store. SeqCst is not needed for that, but keeps the
        // argument independent of how queues are built.
        self.asleep.store(list.len(), Ordering::SeqCst);
    }

    /// The last check found work: the worker stays awake.
    pub(crate) fn withdraw(&self, parker: &Arc<P>) -> Withdrawn {
        let mut list = lock(&self.list);
        let Some(at) = list.iter().position(|other| Arc::ptr_eq(other, parker)) else {
            return Withdrawn::TokenComes;
        };
        list.remove(at);
        self.asleep.store(list.len(), Ordering::SeqCst);
        Withdrawn::Awake
    }

    /// W2: called after work was posted. Wakes one sleeper, if there is one. The worker that fell
    /// asleep last is chosen first, so that caches stay warm and the others stay asleep.
    pub(crate) fn wake_one(&self) {
        if self.asleep() == 0 {
            return;
        }
        let chosen = {
            let mut list = lock(&self.list);
            let chosen = list.pop();
            self.asleep.store(list.len(), Ordering::SeqCst);
            chosen
        };
        if let Some(parker) = chosen {
            parker.unpark();
        }
    }

    /// W2: called after work was posted that only this worker will find. Wakes it, if it sleeps or
    /// is about to.
    pub(crate) fn wake(&self, parker: &Arc<P>) {
        // Both cases are right. If the worker is in the list, it has announced, and is chosen. If
        // it is not, its last check is still to come, after the caller's post.
        if self.withdraw(parker) == Withdrawn::Awake {
            parker.unpark();
        }
    }

    /// Wakes all workers.
    pub(crate) fn wake_all(&self) {
        let all = {
            let mut list = lock(&self.list);
            self.asleep.store(0, Ordering::SeqCst);
            std::mem::take(&mut *list)
        };
        for parker in all {
            parker.unpark();
        }
    }
}
