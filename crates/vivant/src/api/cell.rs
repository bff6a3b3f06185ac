//! The cell of an actor of a type: header, facts and state, and the bounded queue of a bounded
//! mailbox.

use super::actor::Actor;
use super::storage::{FactsOf, Stored};
use crate::actor::{AddressRef, Birth, BoundedQueue, Class, Header, Lifecycle};
use crate::message::pool;
use crate::mute::Pressure;
use crate::saving::{NotSaved, SaveKind, SavedState};
use std::cell::UnsafeCell;
use std::ptr::NonNull;

/// The cell of an actor of type `A`.
#[repr(C)]
pub(crate) struct ActorCell<A: Actor> {
    pub(crate) header: Header,
    pub(crate) facts: FactsOf<A>,
    /// Its start, if it will start again: empty for all others.
    pub(crate) start: <A::SaveKind as SaveKind>::Start,
    pub(crate) state: UnsafeCell<Option<Stored<A>>>,
}

/// A cell with one word of state exactly fills a block of the pool's third class.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Header>() + size_of::<Option<u64>>() <= 3 * 64 - 8);

/// What saving needs takes no place in the cell of an actor that does not start again.
const _: () = assert!(size_of::<<NotSaved as SaveKind>::Start>() == 0);
const _: () = assert!(size_of::<<SavedState as SaveKind>::Start>() == 0);

/// The cell of an actor with a bounded mailbox. Other cells do not pay for the queue.
#[repr(C)]
pub(crate) struct BoundedCell<A: Actor> {
    pub(crate) cell: ActorCell<A>,
    pub(crate) queue: BoundedQueue,
}

/// Returns the first address of a new cell of this class, which is that of `A`. A supervised actor
/// begins in the state `Down`.
#[inline(always)]
pub(super) fn new_cell<A: Actor>(
    class: &'static Class,
    birth: Birth,
    state: Option<Stored<A>>,
) -> AddressRef {
    let pressure = Pressure::new();
    let life = match birth.cold {
        Some(_) => {
            // T5: an actor that takes no messages mutes no sender.
            let _nobody = birth.system.mutes.ended((birth.id, &pressure));
            Lifecycle::Down
        }
        None => Lifecycle::Running,
    };
    birth.system.account_more(class.bytes);
    let cell = ActorCell {
        header: Header::new(birth, class, A::POOL, life, pressure),
        facts: Default::default(),
        start: Default::default(),
        state: UnsafeCell::new(state),
    };
    // The pointer is derived from the whole cell, so that it may be cast back to it.
    if A::MAILBOX.is_bounded() {
        let place = pool::take::<BoundedCell<A>>();
        let queue = BoundedQueue::new(A::MAILBOX);
        // SAFETY: `take` returned memory for this type (N4), which has no other owner (N1).
        unsafe { place.write(BoundedCell { cell, queue }) };
        // SAFETY: written just now, with one address, and nothing refers to it yet (X3); the
        // pointer is that of the whole cell (C7).
        return unsafe { AddressRef::first(place.cast()) };
    }
    let place = pool::take::<ActorCell<A>>();
    // SAFETY: `take` returned memory for this type (N4), which has no other owner (N1).
    unsafe { place.write(cell) };
    // SAFETY: written just now, with one address, and nothing refers to it yet (X3); the pointer is
    // that of the whole cell (C7).
    unsafe { AddressRef::first(place.cast()) }
}

/// Frees the memory of a cell made by [`new_cell`] with the same `A`.
///
/// # Safety
///
/// `header` starts a cell made by `new_cell` with the same `A`, the pointer is that of the whole
/// cell, and the last reference has been dropped.
pub(crate) unsafe fn free<A: Actor>(header: NonNull<Header>) {
    // SAFETY: `new_cell::<A>` wrote exactly this type into memory taken for it (N4), and no
    // reference to it is left (X1). The state is `None`, so no user code runs here: an ended actor
    // has none (C2), and an actor that has not ended keeps its cell (C5).
    unsafe {
        if A::MAILBOX.is_bounded() {
            let place = header.cast::<BoundedCell<A>>();
            place.drop_in_place();
            pool::give(place);
        } else {
            let place = header.cast::<ActorCell<A>>();
            place.drop_in_place();
            pool::give(place);
        }
    }
}
