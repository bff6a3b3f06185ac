//! The messages by which an actor's collector works between the actor's own messages.

use super::GcState;
use super::collected::ActorHeap;
use crate::actor::Delivery;
use crate::actor::Next;
use crate::actor::Refusal;
use crate::actor::Worker;
use crate::actor::{AddressRef, StateRef};
use crate::actor::{Envelope, KindTable, MessageKind, Processed};
use crate::api::Actor;
use crate::interned::Place;
use crate::message::MessageRole;
use crate::statistics::HeapCounts;
use std::marker::PhantomData;
use vivant_heap::{GcReason, Object};

/// An idle check: it finds out whether the actor has run since the last one.
struct IdleCheck<A>(PhantomData<fn(A)>);

/// Makes an idle check.
pub(super) fn idle_check<A: Actor<Storage = GcState>>() -> Envelope
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    Envelope::new::<IdleCheck<A>>((), Place::caller())
}

impl<A: Actor<Storage = GcState>> MessageKind for IdleCheck<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("idle_check", MessageRole::Reminder);

    fn run((): (), state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        state.with_stored::<A>(|stored, counts| stored.check_idle(worker, counts));
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}

/// The continuation of the collector's work while no other message waits.
struct ContinueGc<A>(PhantomData<fn(A)>);

/// Sends a continuation message.
pub(super) fn send_continue<A: Actor<Storage = GcState>>(to: AddressRef)
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    let envelope = Envelope::new::<ContinueGc<A>>((), Place::caller());
    Delivery { to, envelope }.deliver();
}

impl<A: Actor<Storage = GcState>> MessageKind for ContinueGc<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    type Content = ();
    const KIND: KindTable = KindTable::new::<Self>("continue_gc", MessageRole::Reminder);

    fn run((): (), state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        state.with_stored::<A>(|stored, counts| stored.continue_gc(worker, counts));
        Processed::Done
    }

    fn refuse((): (), _: &Refusal, _: Place) -> Next {
        Next::Nothing
    }
}

impl<A: Actor<Storage = GcState>> ActorHeap<A>
where
    for<'gc> A::State<'gc>: Object<'gc>,
{
    fn check_idle(&mut self, worker: &Worker, counts: &HeapCounts) {
        counts.record_idle_check(&self.heap.stats());
        // In this order: the waker is re-armed first, so a message put in after the inbox is
        // drained wakes it.
        self.waker.rearm();
        self.collect(worker, counts, GcReason::IdleCheck);
    }

    fn continue_gc(&mut self, worker: &Worker, counts: &HeapCounts) {
        self.continue_sent = false;
        self.collect(worker, counts, GcReason::Continue);
    }
}
