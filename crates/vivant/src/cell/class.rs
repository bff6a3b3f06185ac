//! What the runtime knows of an actor's type: a table made once for each `A`, and the message that starts an actor.

use super::{ActorCell, BoundedCell, Header, reference};
use crate::actor::{Actor, Mailbox};
use crate::error::Refusal;
use crate::mailbox::{Envelope, Kind, Letter, Role, Step};
use crate::promise::{Next, for_others};
use crate::scheduler::Worker;
use crate::stop::StopReason;
use crate::turn::Turn;
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::offset_of;
use std::panic::Location;
use std::ptr::NonNull;

/// The table.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    pub(crate) mailbox: Mailbox,
    pub(crate) type_id: fn() -> TypeId,
    /// Size of the cell.
    pub(crate) bytes: usize,
    /// How far behind the header its ring lies, if its mailbox has a bound.
    pub(crate) ring_at: Option<usize>,
    pub(super) free: unsafe fn(NonNull<Header>),
    pub(super) drop_state: fn(&mut StateRef<'_>),
    pub(super) stopping: fn(&mut StateRef<'_>, &Worker, &StopReason),
}

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
        bytes: if A::MAILBOX.is_bounded() {
            size_of::<BoundedCell<A>>()
        } else {
            size_of::<ActorCell<A>>()
        },
        ring_at: if A::MAILBOX.is_bounded() {
            Some(offset_of!(BoundedCell<A>, ring))
        } else {
            None
        },
        free: reference::free::<A>,
        drop_state: drop_state::<A>,
        stopping: stopping::<A>,
    };
}

impl Class {
    pub(crate) fn of<A: Actor>() -> &'static Class {
        const { &<A as Classed>::CLASS }
    }
}

/// The state of an actor that somebody holds, whatever its type.
pub(crate) struct StateRef<'h> {
    header: NonNull<Header>,
    held: PhantomData<&'h mut Header>,
}

impl<'h> StateRef<'h> {
    /// # Safety
    ///
    /// `header` starts a cell that is alive for `'h`, the pointer was made from the whole cell, and the caller holds the
    /// actor for `'h` and makes no second `StateRef` of it.
    pub(super) unsafe fn new(header: NonNull<Header>) -> StateRef<'h> {
        StateRef {
            header,
            held: PhantomData,
        }
    }

    /// The state, if this is an actor of type `A`: `None` before its start and after its end.
    ///
    /// # Panics
    ///
    /// If it is of another type. Links are typed, so only a hand-written interface table can come to this; the check makes it sound.
    #[inline]
    pub(crate) fn get<A: Actor>(&mut self) -> &mut Option<A> {
        let class = self.class();
        assert!(
            is_class_of::<A>(class),
            "a message for {} came to {}",
            A::NAME,
            class.name
        );
        // SAFETY: `class` was made with the cell, so this is an `ActorCell<A>`; the holder has the only `StateRef`, which
        // is borrowed exclusively.
        unsafe { &mut *(*self.header.cast::<ActorCell<A>>().as_ptr()).state.get() }
    }

    /// As `get`, for looking only; `None` also if it is of another type.
    #[inline]
    pub(crate) fn look<A: Actor>(&mut self) -> Option<&A> {
        if is_class_of::<A>(self.class()) {
            self.get::<A>().as_ref()
        } else {
            None
        }
    }

    fn class(&self) -> &'static Class {
        // SAFETY: the cell is alive (`new`).
        unsafe { self.header.as_ref() }.class
    }
}

/// Whether a table is that of `A`. By its address, as a rule; a table may have copies, which its type tells.
#[inline]
fn is_class_of<A: Actor>(class: &'static Class) -> bool {
    std::ptr::eq(class, Class::of::<A>()) || (class.type_id)() == TypeId::of::<A>()
}

fn drop_state<A: Actor>(state: &mut StateRef<'_>) {
    // Taken out first: if its drop panics, the cell holds nothing half dropped.
    drop(state.get::<A>().take());
}

fn stopping<A: Actor>(state: &mut StateRef<'_>, worker: &Worker, reason: &StopReason) {
    if let Some(state) = state.get::<A>() {
        state.stopping(&Turn::new(worker), reason);
    }
}

/// The first message of an actor of type `A`: makes its state.
pub(crate) fn start_envelope<A: Actor, F>(start: F, place: &'static Location<'static>) -> Envelope
where
    F: FnOnce(&Turn<'_, A>) -> A + Send + 'static,
{
    Envelope::new::<Start<A, F>>(start, place)
}

struct Start<A, F>(PhantomData<(A, F)>);

impl<A: Actor, F: FnOnce(&Turn<'_, A>) -> A + Send + 'static> Letter for Start<A, F> {
    type Content = F;
    const KIND: Kind = Kind::new::<Self>("start", Role::Start);

    fn run(start: F, state: &mut StateRef<'_>, worker: &Worker) -> Step {
        *state.get::<A>() = Some(start(&Turn::new(worker)));
        Step::Done
    }

    fn refuse(start: F, _: &Refusal, _: &'static Location<'static>) -> Next {
        for_others("the drop of a refused start", || drop(start));
        Next::Nothing
    }
}
