//! One subscriber: how a value, or the notice of a gap, becomes its message.

use super::Lagged;
use super::intake::{Admission, Gap, Intake};
use crate::actor::Refusal;
use crate::actor::{
    Access, CellRef, Envelope, Guard, KindTable, MessageKind, Next, Processed, StateRef, Steps, To,
    Worker, post, run_foreign_code,
};
use crate::api::{Behaviour, Continuation, Message, Resolver, Then, outcome};
use crate::message::MessageRole;
use crate::services::ExitHookId;
use crate::sync::{Arc, Mutex, lock};
use std::marker::PhantomData;
use std::panic::Location;

/// A subscriber, for any continuation.
pub(super) trait Subscribed<T>: Send + Sync {
    /// Sends it the value, or counts it as missed.
    fn send_value(&self, value: &T);

    fn actor(&self) -> &CellRef;

    fn exit_hook(&self) -> ExitHookId;
}

pub(super) struct Subscriber<K: Continuation> {
    /// The lock is for publishers on several threads: arguments need not be `Sync`.
    then: Mutex<Then<'static, K>>,
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
            then: Mutex::new(then),
            intake: Intake::new(capacity),
            exit_hook,
        }
    }
}

impl<T, K> Subscribed<T> for Subscriber<K>
where
    T: Clone + Send + 'static,
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone,
{
    fn send_value(&self, value: &T) {
        match self.intake.admit() {
            Admission::Missed => {}
            Admission::Value(token) => {
                let then = lock(&self.then).again();
                let delivery = then.fill_tracked(Ok(value.clone()), token);
                // Not `deliver`: an ended actor has no subscriptions, so it makes no dead letter.
                drop(post(To::Owned(delivery.to), delivery.envelope));
                self.intake.value_posted();
            }
            Admission::Notice(number, gap) => {
                let (to, rest, place) = lock(&self.then).again().into_parts();
                let envelope = Envelope::new::<GapMessage<K>>((gap, rest), place);
                drop(post(To::Owned(to), envelope));
                self.intake.notice_posted(number);
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
    const ACCESS: Access = K::ACCESS;
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

    fn run((gap, rest): Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Processed {
        let _none = state.turn::<K::Actor, _>(worker, |state, turn| {
            let lagged = Lagged {
                missed: gap.close(),
            };
            let no_reply = Resolver::<<K as Message>::Reply>::nobody();
            K::run(state, turn, K::fill(Err(lagged), rest), no_reply);
        });
        outcome::<K>(worker)
    }

    fn refuse((gap, rest): Self::Content, _: &Refusal, _: &'static Location<'static>) -> Next {
        run_foreign_code("the drop of a refused message", || drop(rest));
        drop(gap);
        Next::Nothing
    }
}
