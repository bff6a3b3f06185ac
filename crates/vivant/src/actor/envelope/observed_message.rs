//! Processing a message while observation may be on: with the feature `tracing` or `metrics`.

use super::message_kind::{MessageKind, Parcel};
use super::{Head, Processed};
use crate::actor::class::StateRef;
use crate::actor::worker::Worker;
use crate::message::{MessageRole, pool};
use crate::observe;
use std::ptr::NonNull;

/// Processes a message when observation may be on.
#[inline]
pub(super) fn seen<L: MessageKind>(
    head: Head,
    content: L::Content,
    state: &mut StateRef<'_>,
    worker: &Worker,
) -> Processed {
    match const { L::KIND.role } {
        MessageRole::Resolution => L::run(content, state, worker).following(head),
        MessageRole::StopMark
        | MessageRole::Watch
        | MessageRole::Own
        | MessageRole::Reminder
        | MessageRole::Ticket => L::run(content, state, worker),
        MessageRole::Start
        | MessageRole::Turn
        | MessageRole::Continuation
        | MessageRole::Bounded
        | MessageRole::Poll => {
            let (system, behaviour) = (&worker.system, head.kind.name.as_str());
            let type_name = || worker.with_me(|actor| actor.class.name);
            let meters = (&worker.meters, &system.meters);
            match observe::turn(type_name, behaviour, meters, &system.oracle) {
                Some(watch) => watched::<L>(watch, head, content, state, worker),
                None => {
                    head.given_up();
                    L::run(content, state, worker)
                }
            }
        }
    }
}

/// Not inlined, to keep it out of the path of turns without observation.
#[inline(never)]
fn watched<L: MessageKind>(
    watch: observe::TurnMeasurement,
    head: Head,
    content: L::Content,
    state: &mut StateRef<'_>,
    worker: &Worker,
) -> Processed {
    let cue = observe::TurnCause {
        behaviour: head.kind.name.as_str(),
        place: head.place,
        sent_ms: head.sent_ms,
        origin: head.origin,
    };
    let (path, oracle) = (|| worker.path(), &worker.system.oracle);
    watch.run(cue, path, oracle, || L::run(content, state, worker))
}

/// As `unpacked`, for a caller that needs the head as well: copying the whole parcel and taking it
/// apart at once is slow.
///
/// # Safety
///
/// As for `run`.
#[inline(always)]
pub(super) unsafe fn parts<L: MessageKind>(head: NonNull<Head>) -> (Head, L::Content) {
    let place = head.cast::<Parcel<L::Content>>();
    let parcel = place.as_ptr();
    // SAFETY: `Envelope::new::<L>` wrote the parcel, and the caller gives it up (X1); each part is
    // read once.
    let parts = unsafe {
        (
            (&raw const (*parcel).head).read(),
            (&raw const (*parcel).content).read(),
        )
    };
    // SAFETY: `Envelope::new::<L>` took the memory for this type (N4). Both parts were moved out
    // above, and the caller has given the parcel up, so nothing else gives the memory back (X1).
    unsafe { pool::give(place) };
    parts
}

impl Processed {
    /// Gives a continuation that a resolution releases the send time and the origin of the
    /// resolution, that is, of the turn that answered.
    fn following(mut self, head: Head) -> Processed {
        if let Processed::Release(_, released) = &mut self {
            let released = released.head_mut();
            released.sent_ms = head.sent_ms;
            released.origin = head.origin;
        }
        self
    }
}

impl Head {
    /// Drops the head before a turn, so that no turn has to drop it when it panics.
    fn given_up(self) {}
}
