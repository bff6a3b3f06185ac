//! Continuations that are closures, for actors that are never saved.

use super::receiver::ActorName;
use super::shown::Shown;
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::{Promise, Resolver};
use crate::actor::Refusal;
use crate::actor::{
    AddressRef, AskError, Delivery, Envelope, KindTable as LetterKind, MessageKind, Next,
    Processed, StateRef, Worker, drop_foreign,
};
use crate::api::actor::Actor;
use crate::api::turn::Turn;
use crate::interned::{Name, Place};
use crate::message::MessageRole;
use std::marker::PhantomData;

type Closure<A, T, R> = Box<
    dyn for<'gc> FnOnce(&mut <A as Actor>::State<'gc>, &Turn<'gc, A>, Result<T, AskError>) -> R
        + Send,
>;

impl<T: Send + 'static> Promise<T> {
    /// Continues with a closure in a later turn of this same actor. Shorter than [`Promise::then`],
    /// but a closure is not data: an actor that is saved, replayed or moved uses `then`.
    #[track_caller]
    pub fn then_local<A, R, F>(self, turn: &Turn<'_, A>, then: F) -> Promise<R>
    where
        A: Actor,
        R: Send + 'static,
        F: for<'gc> FnOnce(&mut A::State<'gc>, &Turn<'gc, A>, Result<T, AskError>) -> R
            + Send
            + 'static,
    {
        let owner = turn.owner();
        let (promise, resolver) = Promise::open(owner.clone());
        let sink = LocalSink::<A, T, R> {
            owner: owner.clone(),
            then: Box::new(then),
            resolver,
            place: Place::caller(),
        };
        self.sink_into(&owner, sink);
        promise
    }
}

struct LocalSink<A: Actor, T, R: Send + 'static> {
    owner: AddressRef,
    then: Closure<A, T, R>,
    resolver: Resolver<R>,
    place: Place,
}

impl<A: Actor, T: Send + 'static, R: Send + 'static> Continue<T> for LocalSink<A, T, R> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        let envelope =
            Envelope::new::<Local<A, T, R>>((self.then, value, self.resolver), self.place);
        Next::Deliver(Delivery {
            to: self.owner,
            envelope,
        })
    }
}

impl<A: Actor, T: Send + 'static, R: Send + 'static> SinkLink for LocalSink<A, T, R> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            target: Some(&self.owner),
            answer: Some(&self.resolver),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        let target = ActorName::of(&self.owner);
        SinkKind::ThenLocal { target }.to(self.resolver.receiver())
    }
}

struct Local<A, T, R>(PhantomData<(A, T, R)>);

impl<A: Actor, T: Send + 'static, R: Send + 'static> MessageKind for Local<A, T, R> {
    type Content = (Closure<A, T, R>, Result<T, AskError>, Resolver<R>);
    const KIND: LetterKind = LetterKind::new::<Self>("then_local", MessageRole::Continuation);

    fn run(
        (then, value, resolver): Self::Content,
        state: &mut StateRef<'_>,
        worker: &Worker,
    ) -> Processed {
        let _none = state.turn::<A, _>(worker, |state, turn| {
            resolver.resolve(then(state, turn, value));
        });
        Processed::Done
    }

    fn refuse((then, value, mut resolver): Self::Content, refusal: &Refusal, place: Place) -> Next {
        drop_foreign("the drop of a refused continuation", (then, value));
        resolver.settle(Err(refusal.error(Name::new("then_local"), place)))
    }
}
