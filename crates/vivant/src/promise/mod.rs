//! Promises: values that will arrive (T7, S4). The protocol is in `README.md`.
//!
//! - [`Promise`]: held by the actor that asked, within one turn: continue it, return it, or let it go.
//! - [`Resolver`]: the right, and the duty, to make it arrive; may be kept and sent.
//! - [`slot`]: where the two meet, touched only in turns of the promise's owner.
//! - [`gather`]: all of several promises, or any.

mod gather;
mod limit;
mod local;
mod next;
mod resolver;
mod slot;

pub(crate) use gather::{all, any};
pub(crate) use next::{Next, for_others};
pub(crate) use resolver::Begun;
pub use resolver::Resolver;
pub(crate) use slot::Slot;

use crate::behaviour::{Continuation, Message};
use crate::call::{Call, Then};
use crate::cell::AddressRef;
use crate::error::AskError;
use crate::scheduler::Worker;
use crate::sync::Arc;
use slot::Sink;
use std::fmt;
use std::marker::PhantomData;

/// A value that will arrive, or an error that says why it cannot.
///
/// It belongs to the actor that asked and lives within one turn: [`then`](Promise::then) continues in a later turn,
/// returning it from a behaviour makes its value the behaviour's answer. Dropping it means that nobody wants the value.
#[must_use = "continue it with `.then(…)`, return it, or use `t.send(…)` when no answer is wanted"]
pub struct Promise<T: Send + 'static> {
    kind: Kind<T>,
    /// It must not leave the turn: its owner is the only one who may touch the slot.
    not_send: PhantomData<dyn PromiseStaysInItsTurn>,
}

/// What the compiler says cannot be sent when somebody sends a promise or keeps it in an actor.
trait PromiseStaysInItsTurn {}

enum Kind<T: Send + 'static> {
    /// The value is here.
    Ready(Result<T, AskError>),
    /// The value comes as a message to `owner`.
    Slot {
        owner: AddressRef,
        slot: Arc<Slot<T>>,
    },
    /// Nothing is sent yet: the message goes out with the asker's own resolver when this is returned.
    Delegated {
        owner: AddressRef,
        send: Box<dyn FnOnce(Resolver<T>) + Send>,
    },
}

impl<T: Send + 'static> Promise<T> {
    /// A promise of `owner` whose value comes through the resolver.
    pub(crate) fn open(owner: AddressRef) -> (Promise<T>, Resolver<T>) {
        let slot = Arc::new(Slot::new());
        let resolver = Resolver::of_slot(owner.clone(), slot.clone());
        (Promise::new(Kind::Slot { owner, slot }), resolver)
    }

    /// A promise whose value is here already.
    pub fn ready(value: T) -> Promise<T> {
        Promise::new(Kind::Ready(Ok(value)))
    }

    pub(crate) fn delegated<M: Message<Reply = T>>(owner: AddressRef, call: Call<M>) -> Promise<T> {
        Promise::new(Kind::Delegated {
            owner,
            send: Box::new(move |resolver| call.post(resolver)),
        })
    }

    fn new(kind: Kind<T>) -> Promise<T> {
        Promise {
            kind,
            not_send: PhantomData,
        }
    }

    /// Continues with `then` once the value is here, in a later turn of the actor that `then` names: a message with a
    /// hole, which the value or the error fills. Returns the promise of that behaviour's answer.
    pub fn then<K>(self, then: Then<K>) -> Promise<K::Reply>
    where
        K: Continuation<Hole = Result<T, AskError>>,
    {
        match self.kind {
            Kind::Ready(value) => {
                let me = Worker::with_current(|worker| worker.me().address_of_held());
                let (promise, resolver) =
                    Promise::open(me.unwrap_or_else(|| then.target().clone()));
                then.fill(value, resolver).deliver();
                promise
            }
            Kind::Slot { owner, slot } => {
                let (promise, resolver) = Promise::open(owner);
                slot.set(Sink::Then(Box::new(ThenSink { then, resolver })));
                promise
            }
            Kind::Delegated { owner, send } => Promise::asked(owner, send).then(then),
        }
    }

    /// Turns a delegation that is not simply returned into an ordinary question.
    fn asked(owner: AddressRef, send: Box<dyn FnOnce(Resolver<T>) + Send>) -> Promise<T> {
        let (promise, resolver) = Promise::open(owner);
        send(resolver);
        promise
    }

    /// Makes the promise's value that of `resolver`.
    pub(crate) fn answer(self, resolver: Resolver<T>) {
        match self.kind {
            Kind::Ready(value) => resolver.complete(value),
            Kind::Slot { slot, .. } => slot.set(Sink::Answer(resolver)),
            Kind::Delegated { send, .. } => send(resolver),
        }
    }
}

/// A continuation waiting for its hole.
struct ThenSink<K: Continuation> {
    then: Then<K>,
    resolver: Resolver<K::Reply>,
}

impl<T: Send + 'static, K: Continuation<Hole = Result<T, AskError>>> slot::Continue<T>
    for ThenSink<K>
{
    fn fill(self: Box<Self>, value: Result<T, AskError>) -> Next {
        Next::Deliver(self.then.fill(value, self.resolver))
    }
}

impl<T: Send + 'static> fmt::Debug for Promise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Ready(_) => "Promise(ready)",
            Kind::Slot { .. } => "Promise(pending)",
            Kind::Delegated { .. } => "Promise(delegated)",
        })
    }
}
