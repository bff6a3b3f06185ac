//! The right to run an actor: the entry of a run queue.

use super::CellRef;
use super::bounded_queue::BoundedQueue;
use super::header::{Header, WorkerClass};
use super::reference::ring;
use std::ops::Deref;
use std::ptr::NonNull;

/// An active actor that no worker holds. At most one exists for an actor, and none while the actor
/// is held or parked (C1).
///
/// It is not a counted reference: an active actor has not ended, so its life keeps the cell (C5).
#[must_use = "an actor whose `Runnable` is dropped will never run again"]
#[repr(transparent)]
pub(crate) struct Runnable(NonNull<Header>);

// SAFETY: the header's fields are atomics or immutable, owner part and state are accessed only by
// the holder (C1), and the state is `Send`; so any thread may run the actor.
unsafe impl Send for Runnable {}
// SAFETY: `&Runnable` gives access to the shared header only.
unsafe impl Sync for Runnable {}

impl Runnable {
    /// # Safety
    ///
    /// The caller has turned the cell's inbox from parked to active, or held the actor and gives it
    /// up; and the pointer was made from the whole cell.
    pub(crate) unsafe fn new(header: NonNull<Header>) -> Runnable {
        Runnable(header)
    }

    pub(crate) fn as_ptr(&self) -> NonNull<Header> {
        self.0
    }

    /// Returns the worker class.
    #[inline]
    pub(crate) fn worker_class(&self) -> WorkerClass {
        // SAFETY: by C5 the cell is alive; by C1 no worker holds the actor, so no thread writes the
        // owner part.
        unsafe { (*self.0.as_ref().owner.get()).worker_class }
    }

    /// Returns the ring, if the actor's mailbox has a bound.
    pub(crate) fn ring(&self) -> Option<&BoundedQueue> {
        // SAFETY: by C5 the cell is alive; the pointer is that of the whole cell.
        unsafe { ring(self.0) }
    }

    /// Returns a counted reference to the same cell.
    pub(crate) fn cell(&self) -> CellRef {
        // SAFETY: by C5 the cell is alive.
        unsafe { CellRef::to(self.0) }
    }
}

impl Deref for Runnable {
    type Target = Header;
    fn deref(&self) -> &Header {
        // SAFETY: by C5 the cell is alive; the header is only ever shared.
        unsafe { self.0.as_ref() }
    }
}

// SAFETY: `from_ptr` undoes `into_ptr`; the pointer is that of a cell, so it is aligned and not
// null.
unsafe impl crate::queues::Pointed for Runnable {
    type Target = Header;
    fn into_ptr(self) -> NonNull<Header> {
        self.0
    }
    unsafe fn from_ptr(header: NonNull<Header>) -> Runnable {
        Runnable(header)
    }
}

impl crate::queues::Waiting for Runnable {
    fn is_newborn(&self) -> bool {
        self.facts.turns() == 0
    }
}
