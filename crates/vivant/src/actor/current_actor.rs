//! The current actor of a worker: the actor that it holds.

use super::header::Header;
use super::{AddressRef, CellRef, Dropped, Runnable};
use std::cell::{Cell, RefCell};
use std::ptr::{self, NonNull};

/// The current actor. Set while this worker has a `RunGuard`, so that code deep inside a turn finds
/// the actor of the turn.
#[derive(Default)]
pub(crate) struct CurrentActor {
    at: Cell<Option<NonNull<Header>>>,
    /// Number of cached addresses of the current actor. Taking or dropping one in its own run
    /// changes no count (C6).
    cached: Cell<u32>,
    /// The life (C5) of an actor that has ended in this run. Kept here and not in the `RunGuard`,
    /// so that a panic cannot free the cell while this worker accesses it.
    life: RefCell<Option<CellRef>>,
}

impl CurrentActor {
    /// A run begins, with the number of addresses that were given to the actor itself.
    pub(crate) fn set(&self, runnable: &Runnable, cached: u32) {
        self.at.set(Some(runnable.as_ptr()));
        self.cached.set(cached);
    }

    /// Adds a cached address of the current actor.
    #[inline]
    pub(crate) fn cache(&self, dropped: Dropped) {
        dropped.into_cached();
        self.cached.set(self.cached.get() + 1);
    }

    /// Takes the cached addresses out, to subtract them or to leave them to the next run.
    pub(crate) fn take_cached(&self) -> u32 {
        self.cached.take()
    }

    /// Returns true if this is the address of the current actor.
    #[inline]
    pub(crate) fn is(&self, actor: &AddressRef) -> bool {
        self.at.get() == Some(actor.as_ptr())
    }

    /// Returns true if this is the current actor.
    #[inline]
    pub(crate) fn is_at(&self, actor: &Header) -> bool {
        self.at.get().is_some_and(|at| ptr::eq(at.as_ptr(), actor))
    }

    /// Returns true if `dropped` is an address of the current actor.
    #[inline]
    pub(crate) fn has(&self, dropped: &Dropped) -> bool {
        self.at.get() == Some(dropped.as_ptr())
    }

    /// Takes a cached address if `header` is the current actor and has one. Returns true if it took
    /// one.
    #[inline]
    pub(crate) fn take_cached_address(&self, header: NonNull<Header>) -> bool {
        let cached = self.cached.get();
        let own = cached > 0 && self.at.get() == Some(header);
        if own {
            self.cached.set(cached - 1);
        }
        own
    }

    /// The actor has ended: keeps the reference to its cell until this worker accesses the cell no
    /// more.
    pub(crate) fn keep_alive(&self, life: CellRef) {
        self.life.replace(Some(life));
    }

    /// This worker is about to give the actor up.
    #[inline]
    pub(crate) fn clear(&self) {
        self.at.set(None);
    }

    /// Calls `body`, which runs code of users while the parts of the current actor are read: that
    /// code does not find the actor. So a promise that it settles gets its value as a message, and
    /// slots of the actor are abandoned, and not freed (Q7).
    pub(crate) fn hidden<R>(&self, body: impl FnOnce() -> R) -> R {
        struct Shown<'c>(&'c CurrentActor, Option<NonNull<Header>>);
        impl Drop for Shown<'_> {
            fn drop(&mut self) {
                self.0.at.set(self.1);
            }
        }
        let _shown = Shown(self, self.at.take());
        body()
    }

    /// As `clear`, for an actor that has ended: its cell may be freed after this.
    pub(crate) fn clear_ended(&self) {
        self.clear();
        let life = self.life.take();
        drop(life);
    }

    /// Returns the current actor, to continue a run after a panic has dropped its `RunGuard`.
    pub(crate) fn after_panic(&self) -> Option<Runnable> {
        // SAFETY: `at` is the pointer of the whole cell (C7), and is set while this worker has a
        // `RunGuard` of it. `RunGuard::after_panic`, the only caller, comes after a panic has
        // dropped that guard, so the actor is this worker's, and no other right to run it exists
        // (C1).
        self.at.get().map(|at| unsafe { Runnable::new(at) })
    }

    /// Calls `body` with the current actor, if there is one.
    pub(crate) fn with<R>(&self, body: impl FnOnce(&Header) -> R) -> Option<R> {
        let at = self.at.get()?;
        // SAFETY: an actor that is held has not ended, or its life is kept above, so the cell is
        // alive until `clear_ended` (C5). `RunGuard` alone calls that, when its run is over: never
        // in `body`, which is code within the run.
        Some(body(unsafe { at.as_ref() }))
    }

    /// Returns the start of the cell of the current actor, if there is one.
    pub(super) fn header(&self) -> Option<NonNull<Header>> {
        self.at.get()
    }

    /// Returns an address of the current actor (C4: its holder may raise the count from zero).
    #[inline(always)]
    pub(crate) fn address(&self) -> Option<AddressRef> {
        // SAFETY: the current actor has not ended, or its life is kept above, so the cell is alive
        // (C5). `at` is the pointer of the whole cell (C7), and is set only while this worker,
        // which never leaves its thread, holds the actor.
        self.at.get().map(|at| unsafe { AddressRef::of_held(at) })
    }
}
