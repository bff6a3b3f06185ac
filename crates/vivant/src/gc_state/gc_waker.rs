//! [`GcWaker`]: the GC waker of a heap. It is woken when a message is put into the heap's empty
//! count inbox. See [README.md](README.md).

use super::detached_heaps::DetachedHeaps;
use crate::actor::{CellRef, DelayedMessage, Envelope, Shared, Timer};
use crate::services::ns;
use crate::services::{Action, Alarm};
use crate::sync::{Arc, Mutex, lock};
use std::mem;
use std::task::Wake;

/// The delay in nanoseconds after which a notified heap drains its inbox.
pub(super) fn notified_after_ns(system: &Shared) -> u64 {
    vivant_heap::notified_after_ns(ns(system.config.idle_after))
}

/// The waker of one heap, for as long as the heap exists. Any thread may wake it, at any time: in a
/// turn, in the middle of another heap's collection, after the system has ended. So a wake only
/// sets a timer.
pub(super) struct GcWaker(Mutex<WakeTarget>);

/// What a wake acts on.
enum WakeTarget {
    Actor {
        cell: CellRef,
        /// Makes an idle check for the actor.
        check: fn() -> Envelope,
        /// The scheduled idle check. Set until the waker is re-armed: the check will read the
        /// inbox, so wakes need not schedule another one.
        scheduled: Option<ScheduledCheck>,
    },
    /// Among the system's detached heaps, with this number.
    Detached { system: Arc<Shared>, number: u64 },
    /// The heap is freed, or is about to be.
    Closed,
}

/// A scheduled idle check.
struct ScheduledCheck {
    timer: Timer,
    at_ns: u64,
}

/// The action of a wake, which runs without the waker's lock.
enum WakeAction {
    RunDetached(Arc<Shared>, u64),
    /// An idle check after this many nanoseconds.
    CheckIdle(u64),
}

impl GcWaker {
    /// The waker of an actor's heap.
    pub(super) fn of(cell: CellRef, check: fn() -> Envelope) -> Arc<GcWaker> {
        let scheduled = None;
        Arc::new(GcWaker(Mutex::new(WakeTarget::Actor {
            cell,
            check,
            scheduled,
        })))
    }

    /// The waker of a heap that has no actor.
    pub(super) fn of_detached() -> Arc<GcWaker> {
        Arc::new(GcWaker(Mutex::new(WakeTarget::Closed)))
    }

    /// Schedules an idle check in `in_ns` nanoseconds, unless one is due before that.
    pub(super) fn schedule_check(&self, in_ns: u64) {
        let mut target = lock(&self.0);
        let WakeTarget::Actor {
            cell,
            check,
            scheduled,
        } = &mut *target
        else {
            return;
        };
        let system = &cell.system;
        let at_ns = system.oracle.now_ns().saturating_add(in_ns);
        if scheduled
            .as_ref()
            .is_some_and(|scheduled| scheduled.at_ns <= at_ns)
        {
            return;
        }
        // Weak: an actor that has ended or is unreachable needs no idle check.
        let message = DelayedMessage::Weak(cell.clone(), check());
        let timer = system.set_timer(in_ns, Alarm::Once(Action::Send(message)));
        if let Some(later) = scheduled.replace(ScheduledCheck { timer, at_ns }) {
            // If the timer has fired meanwhile, the actor handles two idle checks.
            later.timer.cancel();
        }
    }

    /// Re-arms the waker, before the actor reads its inbox: a message put in after that wakes it
    /// again.
    pub(super) fn rearm(&self) {
        let scheduled = match &mut *lock(&self.0) {
            WakeTarget::Actor { scheduled, .. } => scheduled.take(),
            _ => None,
        };
        // The timer has fired, as a rule. Not if the idle check was one of an earlier incarnation.
        if let Some(scheduled) = scheduled {
            scheduled.timer.cancel();
        }
    }

    /// The actor has ended, and other heaps hold objects of it.
    pub(super) fn move_to_detached(&self, system: &Arc<Shared>, number: u64) {
        let system = system.clone();
        self.set_target(WakeTarget::Detached { system, number });
    }

    /// The actor has ended, and no other heap holds an object of it.
    pub(super) fn close(&self) {
        self.set_target(WakeTarget::Closed);
    }

    fn set_target(&self, target: WakeTarget) {
        // Dropped outside the lock: it may be the last reference to a cell.
        let before = mem::replace(&mut *lock(&self.0), target);
        if let WakeTarget::Actor {
            scheduled: Some(scheduled),
            ..
        } = &before
        {
            scheduled.timer.cancel();
        }
    }

    fn wake_heap(&self) {
        let action = match &*lock(&self.0) {
            WakeTarget::Detached { system, number } => {
                WakeAction::RunDetached(system.clone(), *number)
            }
            WakeTarget::Actor { cell, .. } => {
                WakeAction::CheckIdle(notified_after_ns(&cell.system))
            }
            WakeTarget::Closed => return,
        };
        match action {
            WakeAction::RunDetached(system, number) => DetachedHeaps::notify(&system, number),
            // Has no effect if the heap is detached in between. Its inbox is drained then.
            WakeAction::CheckIdle(in_ns) => self.schedule_check(in_ns),
        }
    }
}

impl Wake for GcWaker {
    fn wake(self: Arc<Self>) {
        self.wake_heap();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wake_heap();
    }
}
