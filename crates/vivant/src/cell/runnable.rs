//! The right to run an actor, as it lies in run queues.

use super::reference::ring;
use super::{CellRef, Header, Lane};
use crate::mailbox::Ring;
use std::ops::Deref;
use std::ptr::NonNull;

/// An active actor that nobody holds. At most one exists for an actor, and none while it is held or
/// parked (C1).
///
/// It counts nothing: an active actor has not ended, so its life keeps the cell (C5).
#[must_use = "an actor whose `Runnable` is dropped will never run again"]
#[repr(transparent)]
pub(crate) struct Runnable(NonNull<Header>);

// SAFETY: a cell is made for sharing (see `CellRef`), and the right to run it may be used on any
// thread.
unsafe impl Send for Runnable {}
// SAFETY: through `&Runnable` only the shared header is reached.
unsafe impl Sync for Runnable {}

impl Runnable {
    /// # Safety
    ///
    /// The caller has turned the cell's inbox from parked to active, or held the actor and gives it
    /// up; and the pointer was made from the whole cell.
    pub(super) unsafe fn new(header: NonNull<Header>) -> Runnable {
        Runnable(header)
    }

    pub(crate) fn as_ptr(&self) -> NonNull<Header> {
        self.0
    }

    /// Which threads it belongs to.
    #[inline]
    pub(crate) fn lane(&self) -> Lane {
        // SAFETY: by C5 the cell is alive; by C1 nobody else holds the actor, so nobody writes the
        // owner part.
        unsafe { (*self.0.as_ref().owner.get()).lane }
    }

    /// The ring of an actor whose mailbox has a bound.
    pub(super) fn ring(&self) -> Option<&Ring> {
        // SAFETY: by C5 the cell is alive; the pointer is that of the whole cell.
        unsafe { ring(self.0) }
    }

    /// A counted reference to the same cell.
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
unsafe impl crate::scheduler::Pointed for Runnable {
    type Target = Header;
    fn into_ptr(self) -> NonNull<Header> {
        self.0
    }
    unsafe fn from_ptr(header: NonNull<Header>) -> Runnable {
        Runnable(header)
    }
}

impl crate::scheduler::Waiting for Runnable {
    fn is_newborn(&self) -> bool {
        self.facts.turns() == 0
    }
}
