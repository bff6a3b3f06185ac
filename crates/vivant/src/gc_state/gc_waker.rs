//! [`GcWaker`]: the GC waker of a heap. It is woken when a message is put into the heap's empty
//! count inbox. See [README.md](README.md).

use super::detached_heaps::DetachedHeaps;
use crate::actor::Shared;
use crate::actor::Timer;
use crate::actor::{AddressRef, CellRef};
use crate::services::Alarm;
use crate::services::ns;
use crate::sync::{Arc, Mutex, lock};
use std::mem;
use std::task::Wake;

/// The delay in nanoseconds after which a notified heap drains its inbox.
pub(super) fn notified_after_ns(system: &Shared) -> u64 {
    vivant_heap::notified_after_ns(ns(system.config.idle_after))
}

/// The waker of one heap, for as long as the heap exists. Any thread may wake it, at any time: in a
/// turn, in the middle of another heap's collection, after the system has ended. So all it does is
/// to set a timer.
pub(super) struct GcWaker(Mutex<Home>);

/// Where the heap is.
enum Home {
    Actor {
        cell: CellRef,
        /// Sends the actor an idle check.
        ask: fn(AddressRef),
        /// The scheduled idle check. Set until the waker is re-armed: the check will read the
        /// inbox, so wakes need not schedule another one.
        asked: Option<Asked>,
    },
    /// Among the system's detached heaps, with this number.
    Orphan { system: Arc<Shared>, number: u64 },
    /// Everything is freed, or is about to be.
    Nowhere,
}

/// A scheduled idle check.
struct Asked {
    timer: Timer,
    at_ns: u64,
}

/// The target of a wake.
enum Told {
    Orphan(Arc<Shared>, u64),
    /// An idle check after this many nanoseconds.
    Actor(u64),
}

impl GcWaker {
    /// The waker of an actor's heap.
    pub(super) fn of(cell: CellRef, ask: fn(AddressRef)) -> Arc<GcWaker> {
        let asked = None;
        Arc::new(GcWaker(Mutex::new(Home::Actor { cell, ask, asked })))
    }

    /// Schedules an idle check in `in_ns` nanoseconds, unless one is due before that.
    pub(super) fn ask(&self, in_ns: u64) {
        let mut home = lock(&self.0);
        let Home::Actor { cell, ask, asked } = &mut *home else {
            return;
        };
        let system = &cell.system;
        let at_ns = system.oracle.now_ns().saturating_add(in_ns);
        if asked.as_ref().is_some_and(|asked| asked.at_ns <= at_ns) {
            return;
        }
        // Weak: an actor that has ended or is unreachable needs no idle check.
        let (me, ask) = (cell.clone(), *ask);
        let ring = move || me.upgrade().into_iter().for_each(ask);
        let timer = system.set_timer(in_ns, Alarm::Once(Box::new(ring)));
        if let Some(later) = asked.replace(Asked { timer, at_ns }) {
            // If the timer has fired meanwhile, the actor handles two idle checks.
            later.timer.cancel();
        }
    }

    /// Re-arms the waker, before the actor reads its inbox: a message put in after that wakes it
    /// again.
    pub(super) fn listens(&self) {
        let asked = match &mut *lock(&self.0) {
            Home::Actor { asked, .. } => asked.take(),
            _ => None,
        };
        // The timer has fired, as a rule. Not if the idle check was one of an earlier incarnation.
        if let Some(asked) = asked {
            asked.timer.cancel();
        }
    }

    /// The actor has ended, and other heaps hold objects of it.
    pub(super) fn moves_to(&self, system: &Arc<Shared>, number: u64) {
        let system = system.clone();
        self.leaves(Home::Orphan { system, number });
    }

    /// The actor has ended, and no other heap holds an object of it.
    pub(super) fn is_over(&self) {
        self.leaves(Home::Nowhere);
    }

    fn leaves(&self, home: Home) {
        // Dropped outside the lock: it may be the last reference to a cell.
        let before = mem::replace(&mut *lock(&self.0), home);
        if let Home::Actor {
            asked: Some(asked), ..
        } = &before
        {
            asked.timer.cancel();
        }
    }

    fn ring(&self) {
        let told = match &*lock(&self.0) {
            Home::Orphan { system, number } => Told::Orphan(system.clone(), *number),
            Home::Actor { cell, .. } => Told::Actor(notified_after_ns(&cell.system)),
            Home::Nowhere => return,
        };
        match told {
            Told::Orphan(system, number) => DetachedHeaps::is_told(&system, number),
            // Has no effect if the heap is detached in between: then its inbox is read on
            // detaching.
            Told::Actor(in_ns) => self.ask(in_ns),
        }
    }
}

impl Wake for GcWaker {
    fn wake(self: Arc<Self>) {
        self.ring();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ring();
    }
}
