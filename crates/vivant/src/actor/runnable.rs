//! The right to run an actor: the entry of a run queue.

use super::CellRef;
use super::header::Header;
use super::run_state::WorkerClass;
use std::ops::Deref;
use std::ptr::NonNull;

/// An active actor that no worker holds. At most one exists for an actor, and none while the actor
/// is held or parked (C1).
///
/// It is not a counted reference: an active actor has not ended, so its life keeps the cell (C5).
#[must_use = "an actor whose `Runnable` is dropped will never run again"]
#[repr(transparent)]
pub(crate) struct Runnable(NonNull<Header>);

// SAFETY: the header's fields are immutable or `Sync`, and only the holder accesses owner part and
// state (C1). The state is `Send` by a bound of `StoreState`, and the owner part by its fields, so
// any thread may run the actor (X9).
unsafe impl Send for Runnable {}
// SAFETY: `&Runnable` gives access to the shared header, and to the worker class, which no code
// writes until a holder takes the `Runnable` over (C1). So two threads can only read (X9).
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
        // SAFETY: an actor that no worker holds has not ended, so its life keeps the cell alive
        // (C5). The callers have the `Runnable` itself and not a `RunGuard` around it, so no worker
        // holds the actor, and no thread writes the owner part (C1).
        unsafe { (*self.0.as_ref().owner.get()).worker_class }
    }

    /// Returns a counted reference to the same cell.
    pub(crate) fn cell(&self) -> CellRef {
        // SAFETY: the actor's life keeps the cell alive: it is in the registry, or with the holder
        // that ends the actor (C5). The pointer is that of the whole cell (C7).
        unsafe { CellRef::to(self.0) }
    }
}

impl Deref for Runnable {
    type Target = Header;
    fn deref(&self) -> &Header {
        // SAFETY: the actor's life keeps the cell alive: it is in the registry, or with the holder
        // that ends the actor (C5). The header is only ever shared (C7).
        unsafe { self.0.as_ref() }
    }
}

// SAFETY: `from_ptr` undoes `into_ptr`, and a `Runnable` has no drop that could end it in between
// (X10). It is `Send`, so the trait's promise holds on any thread (X11).
unsafe impl crate::queues::Pointed for Runnable {
    type Target = Header;
    fn into_ptr(self) -> NonNull<Header> {
        self.0
    }
    unsafe fn from_ptr(header: NonNull<Header>) -> Runnable {
        Runnable(header)
    }
}

impl crate::queues::QueueEntry for Runnable {
    fn is_newborn(&self) -> bool {
        self.facts.turns() == 0
    }
}
