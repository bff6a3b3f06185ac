//! One subscriber: how a value, or the notice of a gap, becomes its message.

use super::Lagged;
use super::intake::{Admission, Gap, Intake};
use crate::actor::Refusal;
use crate::actor::{
    CellRef, Envelope, ExitHookId, Guard, Kind, MessageKind, MessageRole, Next, StateRef, Step,
    Steps, To, Worker, for_others, post,
};
use crate::api::{Behaviour, Continuation, Message, Resolver, Then, outcome};
use crate::sync::{Arc, Mutex, lock};
use std::marker::PhantomData;
use std::panic::Location;

/// A subscriber, for any continuation.
pub(super) trait Hears<T>: Send + Sync {
    /// Sends it the value, or counts it as missed.
    fn hear(&self, value: &T);

    fn actor(&self) -> &CellRef;

    fn ending(&self) -> ExitHookId;
}

pub(super) struct Subscriber<K: Continuation> {
    /// The lock is for publishers on several threads: arguments need not be `Sync`.
    then: Mutex<Then<'static, K>>,
    actor: CellRef,
    intake: Arc<Intake>,
    ending: ExitHookId,
}

impl<K: Continuation> Subscriber<K> {
    pub(super) fn new(
        then: Then<'static, K>,
        capacity: usize,
        ending: ExitHookId,
    ) -> Subscriber<K> {
        Subscriber {
            actor: then.target().cell(),
            then: Mutex::new(then),
            intake: Intake::new(capacity),
            ending,
        }
    }
}

impl<T, K> Hears<T> for Subscriber<K>
where
    T: Clone + Send + 'static,
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone,
{
    fn hear(&self, value: &T) {
        match self.intake.admit() {
            Admission::Missed => {}
            Admission::Value(token) => {
                let then = lock(&self.then).again();
                let delivery = then.fill_counted(Ok(value.clone()), token);
                // Not `deliver`: an ended actor has no subscriptions, so it makes no dead letter.
                drop(post(To::Owned(delivery.to), delivery.envelope));
                self.intake.value_posted();
            }
            Admission::Notice(gap) => {
                let (to, rest, place) = lock(&self.then).again().into_parts();
                let envelope = Envelope::new::<Lag<K>>((gap, rest), place);
                drop(post(To::Owned(to), envelope));
                self.intake.notice_posted();
            }
        }
    }

    fn actor(&self) -> &CellRef {
        &self.actor
    }

    fn ending(&self) -> ExitHookId {
        self.ending
    }
}

/// The notice of a gap. Its hole is filled when its turn begins.
struct Lag<K>(PhantomData<K>);

impl<T, K> MessageKind for Lag<K>
where
    K: Continuation<Hole = Result<T, Lagged>>,
    K::Rest: Clone,
{
    type Content = (Gap, K::Rest);
    const KIND: Kind = Kind::new::<Self>(K::NAME, MessageRole::Bounded);
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

    fn run((gap, rest): Self::Content, state: &mut StateRef<'_>, worker: &Worker) -> Step {
        let _none = state.turn::<K::Actor, _>(worker, |state, turn| {
            let lagged = Lagged {
                missed: gap.close(),
            };
            let nobody = Resolver::<<K as Message>::Reply>::nobody();
            K::run(state, turn, K::fill(Err(lagged), rest), nobody);
        });
        outcome::<K>(worker)
    }

    fn refuse((gap, rest): Self::Content, _: &Refusal, _: &'static Location<'static>) -> Next {
        for_others("the drop of a refused message", || drop(rest));
        drop(gap);
        Next::Nothing
    }
}
