//! [`LocalsInHeap`]: the locals of a behaviour in steps, between two steps of an actor with a heap.
//!
//! They may refer to collected objects, so they lie in the heap, below its root. The message of the
//! next step has their type. A turn puts back what it leaves, not what it finds: the locals of a
//! step that does not run any more are garbage after the next turn.

use super::collected::GcState;
use crate::api::{Actor, KeepLocals, Turn};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use vivant_heap::{Anything, Gc, Mut, Object, unsize};

/// The type of locals, named without a brand. `#[behaviours]` implements it for the behaviour.
pub trait BrandedLocals: 'static {
    /// The locals in a turn with this brand.
    type Of<'gc>: Object<'gc>;
}

/// Locals with a brand: they are in the heap of the actor, and this message alone takes them out.
pub struct LocalsInHeap<L>(PhantomData<fn() -> L>);

/// The locals that a step has left: a `Mut<Option<L::Of>>`. The pending step knows `L`.
pub(super) type Locals<'gc> = Option<Gc<'gc, dyn Anything>>;

/// The locals in a turn.
pub(super) struct TurnLocals<'gc> {
    found: Cell<Locals<'gc>>,
    left: Cell<Locals<'gc>>,
}

impl<'gc> TurnLocals<'gc> {
    pub(super) fn begin(found: Locals<'gc>) -> TurnLocals<'gc> {
        TurnLocals {
            found: Cell::new(found),
            left: Cell::new(None),
        }
    }

    /// Returns the locals for the next step.
    pub(super) fn end(&self) -> Locals<'gc> {
        let left = self.left.take();
        #[cfg(test)]
        let left = match () {
            () if is_planted(InjectedFault::LostLocals) => None,
            () if is_planted(InjectedFault::LeftInHeap) => left.or_else(|| self.found.take()),
            () => left,
        };
        left
    }
}

impl<A: Actor<Storage = GcState>, L: BrandedLocals> KeepLocals<A> for LocalsInHeap<L>
where
    for<'any> A::State<'any>: Object<'any>,
{
    type In<'gc> = L::Of<'gc>;

    fn keep<'gc>(locals: L::Of<'gc>, turn: &Turn<'gc, A>) -> Self {
        let left = unsize!(turn.alloc(Mut::new(Some(locals))) => dyn Anything);
        turn.part().locals.left.set(Some(left));
        LocalsInHeap(PhantomData)
    }

    fn open<'gc>(self, turn: &Turn<'gc, A>) -> L::Of<'gc> {
        let found = turn.part().locals.found.take();
        let found = found.and_then(Gc::downcast::<Mut<Option<L::Of<'gc>>>>);
        let locals = found.and_then(|found| found.borrow_mut(turn).take());
        locals.expect("the last step has left them, and no turn came between")
    }
}

impl<L> fmt::Debug for LocalsInHeap<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalsInHeap")
    }
}
