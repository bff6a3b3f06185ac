//! The cell of an actor of a type: header, facts and state, and the bounded queue of a bounded
//! mailbox.

use super::actor::Actor;
use super::storage::{FactsOf, Stored};
use crate::actor::{BoundedQueue, Header};
use crate::message::pool;
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

/// Frees the memory of a cell made by [`birth`](super::birth) with the same `A`.
///
/// # Safety
///
/// `header` starts a cell made by `birth` with the same `A`, the pointer is that of the whole cell,
/// and the last reference has been dropped.
pub(crate) unsafe fn free<A: Actor>(header: NonNull<Header>) {
    // SAFETY: `birth::<A>` wrote exactly this type into memory taken for it (N4), and no reference
    // to it is left (X1). The state is `None`, so no user code runs here: an ended actor has none
    // (C2), and an actor that has not ended keeps its cell (C5).
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
