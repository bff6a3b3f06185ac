//! The actor that a worker holds, as the worker itself sees it.

use super::reference::ring;
use super::{AddressRef, CellRef, Dropped, Header, Runnable};
use crate::mailbox::Ring;
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

/// Set while this worker has a `Held`, so that code deep inside a turn finds the actor whose turn
/// it is.
#[derive(Default)]
pub(crate) struct Present {
    at: Cell<Option<NonNull<Header>>>,
    /// Addresses of the actor itself that this run has at its disposal, so that taking and dropping
    /// one costs nothing (C6).
    spare: Cell<u32>,
    /// The life (C5) of an actor that has ended in this run. Kept here and not in the `Held`, so
    /// that a panic cannot free the cell under the worker.
    life: RefCell<Option<CellRef>>,
}

impl Present {
    /// A run begins, with the addresses that were given to the actor itself.
    pub(super) fn begins(&self, runnable: &Runnable, spare: u32) {
        self.at.set(Some(runnable.as_ptr()));
        self.spare.set(spare);
    }

    /// One more spare address of the actor that is held.
    #[inline]
    pub(crate) fn takes(&self, dropped: Dropped) {
        dropped.spared();
        self.spare.set(self.spare.get() + 1);
    }

    /// Takes the spare addresses out, to count them back or to leave them to the next run.
    pub(super) fn take_spare(&self) -> u32 {
        self.spare.take()
    }

    /// Whether it is an address of the actor that is held.
    #[inline]
    pub(crate) fn has(&self, dropped: &Dropped) -> bool {
        self.at.get() == Some(dropped.as_ptr())
    }

    /// Whether the actor is this one and there is a spare address of it; that is taken then.
    #[inline]
    pub(super) fn spares(&self, header: NonNull<Header>) -> bool {
        let spare = self.spare.get();
        let own = spare > 0 && self.at.get() == Some(header);
        if own {
            self.spare.set(spare - 1);
        }
        own
    }

    /// The actor has ended: what kept its cell is kept until this worker has done with it.
    pub(super) fn outlives(&self, life: CellRef) {
        self.life.replace(Some(life));
    }

    /// This worker is about to let the actor go.
    #[inline]
    pub(super) fn ends(&self) {
        self.at.set(None);
    }

    /// As `ends`, for an actor that has ended: its cell may be gone after this.
    pub(super) fn ends_for_good(&self) {
        self.ends();
        let life = self.life.take();
        drop(life);
    }

    /// The pointer of the actor that is held, to take up a run whose `Held` a panic has dropped.
    pub(super) fn again(&self) -> Option<Runnable> {
        // SAFETY: this worker holds the actor, and the `Held` that was lost gives it up.
        self.at.get().map(|at| unsafe { Runnable::new(at) })
    }

    /// Calls `body` with the actor that is held, if one is.
    pub(crate) fn with<R>(&self, body: impl FnOnce(&Header) -> R) -> Option<R> {
        let at = self.at.get()?;
        // SAFETY: an actor that is held has not ended, or its life is kept above: the cell is alive
        // until `ends`, which only the run loop calls, and never from within a turn.
        Some(body(unsafe { at.as_ref() }))
    }

    /// Calls `body` with the ring of the actor that is held, if it has one.
    pub(crate) fn with_ring(&self, body: impl FnOnce(&Ring)) {
        // SAFETY: the cell is alive, as in `with`, and the pointer is that of the whole cell.
        if let Some(ring) = self.at.get().and_then(|at| unsafe { ring(at) }) {
            body(ring);
        }
    }

    /// An address of the actor that is held (C4: its holder may raise the count from zero).
    pub(crate) fn address(&self) -> Option<AddressRef> {
        // SAFETY: the cell is alive, as in `with`, and this thread holds the actor.
        self.at.get().map(|at| unsafe { AddressRef::of_held(at) })
    }
}
