//! The table of an actor type (a vtable): made once for each `A`. It and the typed side of a
//! [`StateRef`] know the layout of a cell.

use super::actor::Actor;
use super::cell::{self, ActorCell, BoundedCell};
use super::storage::{FactsOf, Host, StoreState, Stored};
use super::turn::Turn;
use crate::actor::{
    AddressRef, Birth, CellRef, Class, EachWatch, Header, HeapFunctions, HostCell, LoadedState,
    OutgoingReferences, SavedClass, StateFunctions, StateRef, StateSource, TraceCoverage, Worker,
};
use crate::failures::StopReason;
use crate::interned::Name;
use crate::saving::{EncodedStart, HeapSaver, KeepStart, KeptStart, SaveKind, Saves};
use crate::statistics::HeapCounts;
use std::any::TypeId;
use std::mem::offset_of;
use std::ptr::NonNull;
use vivant_codec::{Encoder, LoadError};
use vivant_heap::Sharer;

trait Classed {
    const CLASS: Class;
}

impl<A: Actor> Classed for A {
    const CLASS: Class = Class {
        name: {
            assert!(
                A::MAILBOX.bound() > 0,
                "a mailbox with a bound of zero would take no message at all: the least bound is 1"
            );
            A::NAME
        },
        mailbox: A::MAILBOX,
        type_id: TypeId::of::<A>,
        type_name: std::any::type_name::<A>,
        bytes: if A::MAILBOX.is_bounded() {
            size_of::<BoundedCell<A>>()
        } else {
            size_of::<ActorCell<A>>()
        },
        is_traced: A::HAS_OUTGOING_REFERENCES || <A::Storage as StoreState<A>>::MAY_SHOW,
        bounded_queue_at: if A::MAILBOX.is_bounded() {
            Some(offset_of!(BoundedCell<A>, queue))
        } else {
            None
        },
        free: cell::free::<A>,
        drop_state: drop_state::<A>,
        stopping: stopping::<A>,
        outgoing_references: outgoing_references::<A>,
        sharer: sharer::<A>,
        heap_counts: heap_counts::<A>,
        heap: heap::<A>(),
        saved: saved::<A>(),
        has_state: has_state::<A>,
        make: make::<A>,
    };
}

/// The table of `A`.
pub(crate) fn class_of<A: Actor>() -> &'static Class {
    const { &<A as Classed>::CLASS }
}

/// A table of `A` with another name.
pub(super) fn class_named<A: Actor>(name: Name) -> Class {
    Class {
        name: name.as_str(),
        ..<A as Classed>::CLASS
    }
}

/// The state, the facts and the kept start of an actor.
type Kept<'s, A> = (
    &'s mut Option<Stored<A>>,
    &'s FactsOf<A>,
    &'s <<A as Actor>::SaveKind as SaveKind>::Start,
);

impl StateRef<'_> {
    /// Returns the stored state, and the facts and the start beside it. The state is `None` before
    /// the start and after the end of the actor.
    ///
    /// # Panics
    ///
    /// If the actor is not of type `A`. Links are typed, so only a hand-written interface table can
    /// cause this; the check makes it sound.
    #[inline]
    fn stored<A: Actor>(&mut self) -> Kept<'_, A> {
        let class = self.class();
        assert!(
            is_class_of::<A>(class),
            "a message for {} came to {}",
            A::NAME,
            class.name
        );
        let cell = self.header().cast::<ActorCell<A>>();
        // SAFETY: `class` is the table of `A`, as checked above, so this is an `ActorCell<A>` (C7).
        // The holder has the only `StateRef` (C1), which is borrowed exclusively (X2). The facts
        // and the start lie beside the state, and are only ever shared (X6).
        unsafe {
            let cell = cell.as_ptr();
            (&mut *(*cell).state.get(), &(*cell).facts, &(*cell).start)
        }
    }

    /// Runs `body` as a turn. Returns `None` if the actor has no state.
    ///
    /// # Panics
    ///
    /// As `kept`.
    #[inline(always)]
    pub(crate) fn turn<A: Actor, T>(
        &mut self,
        worker: &Worker,
        body: impl for<'gc> FnOnce(&mut A::State<'gc>, &Turn<'gc, A>) -> T,
    ) -> Option<T> {
        let (kept, facts, _) = self.stored::<A>();
        Some(A::Storage::turn(kept.as_mut()?, Host(worker), facts, body))
    }

    /// Runs the first turn, which makes the state.
    ///
    /// # Panics
    ///
    /// As `kept`.
    pub(crate) fn begin<A: Actor>(
        &mut self,
        worker: &Worker,
        start: impl for<'gc> FnOnce(&Turn<'gc, A>) -> A::State<'gc>,
    ) {
        let (kept, facts, _) = self.stored::<A>();
        *kept = Some(A::Storage::begin(Host(worker), facts, start));
    }

    /// Lets a guard read the state. Returns `None` without a state or if the state is of another
    /// type.
    #[inline]
    pub(crate) fn look<A: Actor, T>(
        &mut self,
        body: impl for<'gc> FnOnce(&A::State<'gc>) -> T,
    ) -> Option<T> {
        if !is_class_of::<A>(self.class()) {
            return None;
        }
        let kept = self.stored::<A>().0.as_mut()?;
        Some(A::Storage::look(kept, body))
    }

    /// The place where the actor keeps its start, if it does.
    ///
    /// # Panics
    ///
    /// As `kept`.
    pub(super) fn kept_start<A: Actor>(&mut self) -> Option<&KeptStart> {
        self.stored::<A>().2.place()
    }

    /// Stores a state outside a turn.
    ///
    /// # Panics
    ///
    /// As `kept`.
    pub(crate) fn store<A: Actor>(&mut self, loaded: Stored<A>) {
        *self.stored::<A>().0 = Some(loaded);
    }

    /// Calls `body` with the stored state outside a turn, if there is one.
    ///
    /// # Panics
    ///
    /// As `kept`.
    pub(crate) fn with_stored<A: Actor>(&mut self, body: impl FnOnce(&mut Stored<A>, &FactsOf<A>)) {
        if let (Some(kept), facts, _) = self.stored::<A>() {
            body(kept, facts);
        }
    }
}

/// Returns true if a table is that of `A`. As a rule its address decides; a table may have copies,
/// and then its type decides.
#[inline]
fn is_class_of<A: Actor>(class: &'static Class) -> bool {
    std::ptr::eq(class, class_of::<A>()) || (class.type_id)() == TypeId::of::<A>()
}

const fn heap<A: Actor>() -> Option<HeapFunctions> {
    match <A::Storage as StoreState<A>>::HEAP_PACING {
        Some(pacing) => Some(HeapFunctions {
            pacing,
            watches: watches::<A>,
            begin_image: begin_image::<A>,
            write_image: write_image::<A>,
        }),
        None => None,
    }
}

/// How the state or the start of an `A` is saved.
const fn saved<A: Actor>() -> SavedClass {
    match (<A::SaveKind as SaveKind>::SAVES, A::STATE_CODEC) {
        (Saves::State, Some(codec)) => SavedClass::State(StateFunctions {
            shape: codec.shape,
            save: save_state::<A>,
            load: load_state::<A>,
        }),
        (Saves::Start, _) => SavedClass::Start(kept_start::<A>),
        _ => SavedClass::Nothing,
    }
}

fn save_state<A: Actor>(state: &mut StateRef<'_>, out: &mut Encoder<'_>) {
    match (state.stored::<A>().0, const { A::STATE_CODEC }) {
        (Some(kept), Some(codec)) => A::Storage::save(kept, codec, out),
        _ => out.error(format!("a state of `{}`, which has none now", A::NAME)),
    }
}

fn watches<A: Actor>(state: &mut StateRef<'_>, each: EachWatch<'_>) {
    if let Some(kept) = state.stored::<A>().0 {
        A::Storage::watches(kept, each);
    }
}

fn begin_image<A: Actor>(state: &mut StateRef<'_>, saver: &HeapSaver) {
    if let Some(kept) = state.stored::<A>().0 {
        A::Storage::begin_image(kept, saver);
    }
}

fn write_image<A: Actor>(state: &mut StateRef<'_>) {
    if let Some(kept) = state.stored::<A>().0 {
        A::Storage::write_image(kept);
    }
}

fn load_state<A: Actor>(cell: CellRef, source: StateSource<'_>) -> Result<LoadedState, LoadError> {
    A::Storage::load(HostCell(cell), source)
}

fn kept_start<A: Actor>(state: &mut StateRef<'_>) -> Option<EncodedStart> {
    state.stored::<A>().2.place()?.get()
}

fn has_state<A: Actor>(state: &mut StateRef<'_>) -> bool {
    state.stored::<A>().0.is_some()
}

fn make<A: Actor>(birth: Birth) -> AddressRef {
    cell::new_cell::<A>(class_of::<A>(), birth, None)
}

fn drop_state<A: Actor>(state: &mut StateRef<'_>, worker: &Worker) {
    // Taken out first: if its drop panics, the cell holds nothing half dropped.
    if let Some(kept) = state.stored::<A>().0.take() {
        A::Storage::end(kept, Host(worker));
    }
}

fn stopping<A: Actor>(state: &mut StateRef<'_>, worker: &Worker, reason: &StopReason) {
    let _none = state.turn::<A, _>(worker, |state, turn| A::stopping(state, turn, reason));
}

fn outgoing_references<A: Actor>(
    state: &mut StateRef<'_>,
    seen: &mut OutgoingReferences<'_>,
) -> TraceCoverage {
    let Some(kept) = state.stored::<A>().0 else {
        return TraceCoverage::All;
    };
    A::Storage::look(kept, |state| A::outgoing_references(state, seen));
    A::Storage::outgoing_references(kept, seen)
}

fn sharer<A: Actor>(state: &mut StateRef<'_>, body: &mut dyn FnMut(&mut dyn Sharer)) {
    state.with_stored::<A>(|kept, _| {
        A::Storage::sharer(kept).into_iter().for_each(body);
    });
}

/// # Safety
///
/// `header` starts a cell of an actor of type `A` that is alive, and the pointer is that of the
/// whole cell.
unsafe fn heap_counts<A: Actor>(header: NonNull<Header>) -> Option<NonNull<HeapCounts>> {
    // SAFETY: the caller's contract (X1); the counts are only ever shared (X6).
    let facts = unsafe { &(*header.cast::<ActorCell<A>>().as_ptr()).facts };
    A::Storage::heap_counts(facts).map(NonNull::from)
}
