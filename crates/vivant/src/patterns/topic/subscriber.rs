//! One subscriber: how a value, or the notice of a gap, becomes its message.
//!
//! Publishers clone the continuation without a lock: a `Clone` of the user's may wait, or publish.

use super::Lagged;
use super::intake::{Admission, Gap, Intake};
use crate::actor::Refusal;
use crate::actor::{
    CellRef, Envelope, Guard, KindTable, MessageKind, Next, Processed, StateRef, Steps, To, Worker,
    drop_foreign, post,
};
use crate::api::{Behaviour, Continuation, Message, Resolver, Then, outcome};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::services::ExitHookId;
use crate::sync::Arc;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

/// A subscriber, for any continuation.
pub(super) trait Subscribed<T>: Send + Sync {
    /// Sends it the value, or counts it as missed.
    fn send_value(&self, value: &T);

    fn actor(&self) -> &CellRef;

    fn exit_hook(&self) -> ExitHookId;
}

pub(super) struct Subscriber<K: Continuation> {
    then: Then<'static, K>,
    actor: CellRef,
    intake: Arc<Intake>,
    exit_hook: ExitHookId,
}

impl<K: Continuation> Subscriber<K> {
    pub(super) fn new(
        then: Then<'static, K>,
        capacity: usize,
        exit_hook: ExitHookId,
    ) -> Subscriber<K> {
        Subscriber {
            actor: then.target().cell(),
            then,
            intake: Intake::new(capacity),
            exit_hook,
        }
    }
}

thread_local! {
    /// The subscriptions for which this thread clones a value or arguments, innermost last.
    static CLONING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// As long as it lives, this thread clones for a subscription.
struct Cloning;

impl Cloning {
    fn begin(intake: &Arc<Intake>) -> Cloning {
        CLONING.with_borrow_mut(|cloning| cloning.push(Arc::as_ptr(intake).addr()));
        Cloning
    }

    /// Whether this thread clones for that subscription.
    fn is_under_way(intake: &Arc<Intake>) -> bool {
        CLONING.with_borrow(|cloning| cloning.contains(&Arc::as_ptr(intake).addr()))
    }
}

impl Drop for Cloning {
    fn drop(&mut self) {
        CLONING.with_borrow_mut(|cloning| cloning.pop());
    }
}

impl<T, K> Subscribed<T> for Subscriber<K>
where
    T: Clone + Send + 'static,
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone + Sync,
{
    fn send_value(&self, value: &T) {
        // A `Clone` that publishes to its own subscription would go on for ever.
        let admission = match Cloning::is_under_way(&self.intake) {
            true => self.intake.miss(),
            false => self.intake.admit(),
        };
        match admission {
            Admission::Missed => {}
            Admission::Value(token) => {
                let cloning = Cloning::begin(&self.intake);
                let delivery = self.then.again().fill_tracked(Ok(value.clone()), token);
                drop(cloning);
                // Not `deliver`: an ended actor has no subscriptions, so it makes no dead letter.
                drop(post(To::Owned(delivery.to), delivery.envelope));
                self.intake.value_posted();
            }
            Admission::Notice(gap) => {
                let cloning = Cloning::begin(&self.intake);
                let (to, rest, place) = self.then.again().into_parts();
                drop(cloning);
                let envelope = Envelope::new::<GapMessage<K>>((gap, rest), place);
                drop(post(To::Owned(to), envelope));
                self.intake.notice_posted();
            }
        }
    }

    fn actor(&self) -> &CellRef {
        &self.actor
    }

    fn exit_hook(&self) -> ExitHookId {
        self.exit_hook
    }
}

/// The notice of a gap. Its hole is filled when its turn begins.
struct GapMessage<K>(PhantomData<K>);

impl<T, K> MessageKind for GapMessage<K>
where
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone,
{
    type Content = (Gap, K::Rest);
    const KIND: KindTable = KindTable::new::<Self>(K::NAME, MessageRole::Bounded);
    const GUARD: Guard = K::GUARD;
    const STEPS: Steps = K::STEPS;

    fn ready((gap, rest): &Self::Content, state: &mut StateRef<'_>) -> bool {
        let lagged = || Lagged {
            missed: gap.missed(),
        };
        let ready = state.look::<K::Actor, _>(|state| {
            <K as Behaviour>::ready(state, &K::fill(Err(lagged()), rest.clone()))
        });
        ready.unwrap_or(true)
    }

    fn fmt_args((gap, rest): &Self::Content, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lagged = Lagged {
            missed: gap.missed(),
        };
        K::fmt_args(&K::fill(Err(lagged), rest.clone()), f)
    }

    fn run((gap, rest): Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let _none = state.turn::<K::Actor, _>(worker, |state, turn| {
            let lagged = Lagged {
                missed: gap.close(),
            };
            let no_reply = Resolver::<<K as Message>::Reply>::discarding();
            K::run(state, turn, K::fill(Err(lagged), rest), no_reply);
        });
        outcome::<K>(worker)
    }

    fn refuse((gap, rest): Self::Content, _: &Refusal, _: Place) -> Next {
        drop_foreign("the drop of a refused message", rest);
        drop(gap);
        Next::Nothing
    }
}
