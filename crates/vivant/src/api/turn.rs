//! The turn: the processing of one message. Its effects are in [`effects`](super::effects).

use super::actor::Actor;
use super::storage::StoreState;
use crate::actor::{AddressRef, Worker};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The processing of one message by an actor of type `A`, atomic for that actor.
///
/// It is passed by shared reference and is valid only during the behaviour's call. Every effect
/// outside the actor's own state goes through it, so that simulation, record and replay see it.
pub struct Turn<'gc, A: Actor> {
    /// A pointer, because the brand says nothing about its lifetime: a turn is for any brand.
    worker: NonNull<Worker>,
    /// The turn's access to the actor's heap, if there is one.
    part: PartOf<'gc, A>,
    /// Invariant, so that a value of one turn does not fit into another (Y1).
    brand: PhantomData<(Cell<&'gc ()>, fn(A) -> A)>,
}

type PartOf<'gc, A> = <<A as Actor>::Storage as StoreState<A>>::Part<'gc>;

impl<'gc, A: Actor> Turn<'gc, A> {
    /// The caller lends the turn out by reference, and keeps the worker meanwhile.
    #[inline(always)]
    pub(crate) fn new(worker: &Worker, part: PartOf<'gc, A>) -> Turn<'gc, A> {
        Turn {
            worker: NonNull::from(worker),
            part,
            brand: PhantomData,
        }
    }

    pub(crate) fn owner(&self) -> AddressRef {
        self.worker().me()
    }

    #[inline(always)]
    pub(crate) fn worker(&self) -> &Worker {
        // SAFETY: `new` is called by `begin` and `turn` of the two `StoreState`s alone. They borrow
        // the worker for the whole of the call in which they lend this out, and a turn is neither
        // `Clone` nor given away, so no reference to it outlives that call (X7).
        unsafe { self.worker.as_ref() }
    }

    pub(crate) fn part(&self) -> &PartOf<'gc, A> {
        &self.part
    }
}

impl<A: Actor> fmt::Debug for Turn<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Turn({} of {})",
            self.worker().behaviour(),
            self.worker().path()
        )
    }
}
