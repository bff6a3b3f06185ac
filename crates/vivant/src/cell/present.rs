//! The actor that a worker holds, as the worker itself sees it.

use super::reference::count_dropped;
use super::{AddressRef, CellRef, Header, Runnable};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

/// How many dropped addresses may wait to be taken again.
const DROPPED_MAX: usize = 4;

/// Set while this worker has a `Held`, so that code deep inside a turn finds the actor whose turn it is.
#[derive(Default)]
pub(crate) struct Present {
    at: Cell<Option<NonNull<Header>>>,
    /// Addresses of the actor itself that this run has at its disposal, so that taking and dropping one costs nothing (C6).
    spare: Cell<u32>,
    /// Addresses of others that turns of this worker have dropped, not yet counted back (C6).
    dropped: [Cell<Option<NonNull<Header>>>; DROPPED_MAX],
    /// How many of them there are.
    has_dropped: Cell<usize>,
    /// The life (C5) of an actor that has ended in this run. Kept here and not in the `Held`, so that a panic cannot free
    /// the cell under the worker.
    life: RefCell<Option<CellRef>>,
}

impl Present {
    /// A run begins, with the addresses that were given to the actor itself. Those that this worker's turns have dropped
    /// become spare.
    pub(super) fn begins(&self, runnable: &Runnable, mut spare: u32) {
        let at = Some(runnable.as_ptr());
        if self.has_dropped.get() > 0 {
            for dropped in &self.dropped {
                if dropped.get() == at {
                    dropped.set(None);
                    self.has_dropped.set(self.has_dropped.get() - 1);
                    spare += 1;
                }
            }
        }
        self.at.set(at);
        self.spare.set(spare);
    }

    /// Whether a dropped address was kept for later: there was room.
    #[inline]
    pub(crate) fn keeps_dropped(&self, header: NonNull<Header>) -> bool {
        if self.has_dropped.get() == DROPPED_MAX {
            return false;
        }
        let room = self.dropped.iter().find(|dropped| dropped.get().is_none());
        if let Some(room) = room {
            room.set(Some(header));
            self.has_dropped.set(self.has_dropped.get() + 1);
        }
        room.is_some()
    }

    pub(crate) fn has_dropped(&self) -> bool {
        self.has_dropped.get() > 0
    }

    /// Counts back what was dropped. Who has no address left then is woken, to end.
    pub(crate) fn count_dropped(&self) {
        if !self.has_dropped() {
            return;
        }
        for dropped in &self.dropped {
            if let Some(header) = dropped.take() {
                self.has_dropped.set(self.has_dropped.get() - 1);
                // SAFETY: `keeps_dropped` took it from a counted address, which nobody else counts back.
                unsafe { count_dropped(header) };
            }
        }
    }

    /// Takes the spare addresses out, to count them back or to leave them to the next run.
    pub(super) fn take_spare(&self) -> u32 {
        self.spare.take()
    }

    /// Whether the actor is this one; its address then need not be counted back now.
    #[inline]
    pub(crate) fn keeps(&self, header: NonNull<Header>) -> bool {
        let own = self.at.get() == Some(header);
        if own {
            self.spare.set(self.spare.get() + 1);
        }
        own
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
        // SAFETY: an actor that is held has not ended, or its life is kept above: the cell is alive until `ends`, which
        // only the run loop calls, and never from within a turn.
        Some(body(unsafe { at.as_ref() }))
    }

    /// An address of the actor that is held (C4: its holder may raise the count from zero).
    pub(crate) fn address(&self) -> Option<AddressRef> {
        // SAFETY: the cell is alive, as in `with`, and this thread holds the actor.
        self.at.get().map(|at| unsafe { AddressRef::of_held(at) })
    }
}
