//! Promises (futures of actors): values that will arrive (T7, S4). The protocol is in `README.md`.
//!
//! - [`Promise`]: held by the actor that asked, within one turn: continue it, return it, or drop
//!   it.
//! - [`Resolver`]: the right, and the duty, to give it its value; may be kept and sent.
//! - [`slot`]: the memory that the two share; [`arrival`]: the message that brings it to its owner.
//! - [`sink`]: what is done with a value; [`sink_data`]: the same as data; [`open_slots`]: of all
//!   open slots of an actor.
//! - [`shown`]: what they show of the chain that they are part of.
//! - [`join`]: all of several promises, any, or a quorum.
//! - [`map`]: what a closure makes of a value, without a turn.
//! - [`pipeline`]: messages to the address that a promise will bring.
//! - [`awaited`]: whether a value is awaited, up the chain of promises.
//! - [`receiver`]: what a resolver gives its value to, as data.
//! - [`relay`]: a resolver that passes its value on to another one.
//! - [`saved`]: how all of this is saved.

mod answer;
mod any_resolver;
mod arrival;
mod arrival_type;
mod asker;
mod awaited;
mod dependents;
mod discard;
mod exclusive;
mod join;
mod limit;
mod local;
mod map;
#[allow(
    unsafe_code,
    reason = "a walk of a list that goes through memory: see the README and docs/ARCHITECTURE.md"
)]
mod open_slots;
#[cfg(all(test, feature = "macros"))]
mod open_slots_tests;
mod pipeline;
mod receiver;
mod relay;
mod resolver;
pub(crate) mod saved;
#[cfg(all(test, feature = "macros"))]
mod show_tests;
mod shown;
#[allow(
    unsafe_code,
    reason = "a value with its table: see the README and docs/ARCHITECTURE.md"
)]
mod sink;
mod sink_data;
#[allow(
    unsafe_code,
    reason = "two ends of one block of memory: see the README and docs/ARCHITECTURE.md"
)]
mod slot;
#[cfg(all(test, feature = "macros"))]
mod slot_list_tests;
mod token;

pub use asker::Asker;
pub(crate) use join::{all, all_settled, any, quorum};
pub use pipeline::Pipeline;
pub use resolver::Resolver;
pub(crate) use resolver::{Withdrawal, given_up};

use super::behaviour::{Continuation, Message};
use super::call::{Call, Then};
use super::into_then::IntoThen;
use crate::actor::{AddressRef, AskError, Next, Unawaited, Worker};
use crate::interned::Name;
use crate::services::Asked;
use answer::AnswerSink;
use receiver::{ActorName, Receiver};
use relay::OkRelay;
use resolver::RELAYS_MAX;
use saved::{PromiseUnsaved, ShapedBytes, SinkSaver};
use shown::{Awaits, Shown};
use sink::{Continue, Sink, SinkLink};
use sink_data::{SinkData, SinkKind};
use slot::{Asking, Tail};
use std::fmt;
use std::marker::PhantomData;
use vivant_codec::Saved;

/// A value that will arrive, or an error that says why it cannot.
///
/// It belongs to the actor that asked and lives within one turn: [`then`](Promise::then) continues
/// in a later turn, returning it from a behaviour makes its value the behaviour's answer. Dropping
/// it means that the value is not wanted, which the answering behaviour sees by its
/// [`Asker`](crate::Asker); the message is processed all the same, unless its behaviour is
/// `#[if_awaited]`.
pub struct Promise<T: Send + 'static> {
    kind: PromiseState<T>,
    /// It must not leave the turn: only its owner may access the slot.
    not_send: PhantomData<dyn PromiseStaysInItsTurn>,
}

/// The bound in the compiler's error when code sends a promise or keeps it in an actor.
trait PromiseStaysInItsTurn {}

enum PromiseState<T: Send + 'static> {
    /// The value is here.
    Ready(Result<T, AskError>),
    /// The value comes as a message to the owner.
    Asked(Asking<T>),
    /// The value is the answer of a continuation.
    Tail(Tail<T>),
    /// Nothing is sent yet: if this is returned, the message is sent with the resolver of the
    /// asker.
    Delegated(Box<dyn FnOnce(Resolver<T>) + Send>),
}

impl<T: Send + 'static> Promise<T> {
    /// Returns a promise of `owner`, and the resolver that gives it its value.
    pub(crate) fn open(owner: AddressRef) -> (Promise<T>, Resolver<T>) {
        let (asking, resolver) = asking(owner);
        (Promise::new(PromiseState::Asked(asking)), resolver)
    }

    /// As `open`, for the request that the resolver will travel with.
    #[inline(always)]
    pub(crate) fn asked(owner: AddressRef, asked: Asked) -> (Promise<T>, Resolver<T>) {
        let (asking, answering) = slot::slot(owner, Some(asked));
        let promise = Promise::new(PromiseState::Asked(asking));
        (promise, Resolver::of_slot(answering))
    }

    /// Returns a promise with its value.
    #[must_use = "continue it with `.then(…)`, or return it"]
    pub fn ready(value: T) -> Promise<T> {
        Promise::new(PromiseState::Ready(Ok(value)))
    }

    pub(crate) fn delegated<M: Message<Reply = T>>(call: Call<'_, M>) -> Promise<T> {
        let call = call.into_owned();
        Promise::new(PromiseState::Delegated(Box::new(move |resolver| {
            resolver.pass_on(call.asked());
            call.post(resolver);
        })))
    }

    fn new(kind: PromiseState<T>) -> Promise<T> {
        Promise {
            kind,
            not_send: PhantomData,
        }
    }

    /// Continues with `then` once the value is here, in a later turn of the actor that `then`
    /// names: a message with a hole, which the value or the error fills. Returns the promise of
    /// that behaviour's answer, which costs nothing if it is not used.
    pub fn then<C>(self, then: C) -> Promise<<C::Continuation as Message>::Reply>
    where
        C: IntoThen,
        C::Continuation: Continuation<Hole = Result<T, AskError>>,
    {
        let then = then.into_then();
        match self.into_asking(then.target()) {
            Ok(asking) => {
                let resolver = Resolver::discarding();
                let sink = ThenSink { then, resolver };
                let tail = Tail::of(asking, sink, |sink| &mut sink.resolver);
                Promise::new(PromiseState::Tail(tail))
            }
            Err(value) => {
                let (promise, resolver) = Promise::open(owner_of_turn(then.target()));
                then.fill(value, resolver).deliver();
                promise
            }
        }
    }

    /// As [`Promise::then`], where the answer of that behaviour is not wanted.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// # #[derive(Actor)] struct Till { sold: u64 }
    /// # #[behaviours] impl Till { fn sell(&mut self, n: u64) -> u64 { self.sold += n; self.sold } }
    /// #[derive(Actor)] struct Shop { till: Address<Till>, sold: u64 }
    /// #[behaviours] impl Shop {
    ///     fn order(&mut self, t: &Turn<Self>, amount: u64) {
    ///         t.ask(self.till.sell(amount)).then_send(t.me().sold());
    ///     }
    ///     #[then] fn sold(&mut self, sold: Result<u64, AskError>) {
    ///         self.sold = sold.unwrap_or(self.sold);
    ///     }
    /// }
    /// # let simulation = vivant::simulation::Simulation::new(1);
    /// # let till = simulation.system().spawn(Till { sold: 0 });
    /// # let shop = simulation.system().spawn(Shop { till, sold: 0 });
    /// # shop.order(3).send();
    /// # simulation.run();
    /// ```
    pub fn then_send<C>(self, then: C)
    where
        C: IntoThen,
        C::Continuation: Continuation<Hole = Result<T, AskError>>,
    {
        let (then, resolver) = (then.into_then(), Resolver::discarding());
        match self.into_asking(then.target()) {
            Ok(asking) => asking.set_sink(Sink::new(ThenSink { then, resolver })),
            Err(value) => then.fill(value, resolver).deliver(),
        }
    }

    /// Returns the value, or the end of a slot that will have it. Outside any turn, where no
    /// promise belongs, `otherwise` becomes the owner of a slot that is made for it.
    #[inline(always)]
    fn into_asking(self, otherwise: &AddressRef) -> Result<Asking<T>, Result<T, AskError>> {
        match self.kind {
            PromiseState::Ready(value) => Err(value),
            PromiseState::Asked(asking) => Ok(asking),
            PromiseState::Tail(tail) => {
                let (asking, resolver) = asking(owner_of_turn(otherwise));
                tail.answers(resolver);
                Ok(asking)
            }
            // A delegation that is not simply returned is an ordinary request.
            PromiseState::Delegated(send) => {
                let (asking, resolver) = asking(owner_of_turn(otherwise));
                send(resolver);
                Ok(asking)
            }
        }
    }

    /// Makes the promise's value that of `resolver`.
    pub(crate) fn answer(self, resolver: Resolver<T>) {
        match self.kind {
            PromiseState::Ready(value) => resolver.complete(value),
            // Its value is not wanted.
            PromiseState::Asked(asking) if resolver.is_discarding() => drop(asking),
            PromiseState::Asked(asking) => asking.set_sink(Sink::passing(AnswerSink(resolver))),
            PromiseState::Tail(tail) => tail.answers(resolver),
            PromiseState::Delegated(send) => send(resolver),
        }
    }

    /// Makes `Ok` of the promise's value that of `resolver`. Within a turn.
    pub(crate) fn answer_ok<E: Send + 'static>(self, resolver: Resolver<Result<T, E>>) {
        match self.kind {
            PromiseState::Ready(value) => resolver.complete(value.map(Ok)),
            PromiseState::Delegated(send) if !resolver.is_discarding() => {
                send(Resolver::of_relay(OkRelay(resolver)));
            }
            kind if resolver.is_discarding() => Promise::new(kind).answer(Resolver::discarding()),
            kind => {
                // Without a turn there was no request.
                if let Some(me) = Worker::with_current(Worker::me_if_any).flatten() {
                    Promise::new(kind).sink_into(&me, OkSink(resolver));
                }
            }
        }
    }

    /// Gives the value to a sink of this actor.
    fn sink_into(self, owner: &AddressRef, sink: impl Continue<T>) {
        match self.into_asking(owner) {
            Ok(asking) => asking.set_sink(Sink::new(sink)),
            Err(value) => sink.fill(value).follow(),
        }
    }
}

fn asking<T: Send + 'static>(owner: AddressRef) -> (Asking<T>, Resolver<T>) {
    let (asking, answering) = slot::slot(owner, None);
    (asking, Resolver::of_slot(answering))
}

/// Returns the actor of the current turn.
fn owner_of_turn(otherwise: &AddressRef) -> AddressRef {
    let me = Worker::with_current(Worker::me_if_any).flatten();
    me.unwrap_or_else(|| otherwise.clone())
}

/// A continuation waiting for its hole.
struct ThenSink<K: Continuation> {
    then: Then<'static, K>,
    resolver: Resolver<K::Reply>,
}

impl<T: Send + 'static, K: Continuation<Hole = Result<T, AskError>>> Continue<T> for ThenSink<K> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        Next::Deliver(self.then.fill(value, self.resolver))
    }
}

impl<K: Continuation> SinkLink for ThenSink<K> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            target: Some(self.then.target()),
            answer: Some(&self.resolver),
            awaits: match const { K::UNAWAITED } {
                Unawaited::Withdrawn if !self.resolver.is_discarding() => {
                    Awaits::Passed(&self.resolver)
                }
                _ => Awaits::Taken,
            },
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        let kind = SinkKind::Then {
            target: ActorName::of(self.then.target()),
            behaviour: Name::new(K::NAME),
        };
        kind.to(self.resolver.receiver())
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        match const { K::REST_CODEC } {
            Some(_) => saver.content(self).map(Some),
            None => Err(PromiseUnsaved::Sink(Name::new(K::NAME))),
        }
    }
}

/// The resolver of a result: a promise gives it `Ok`.
struct OkSink<T: Send + 'static, E: Send + 'static>(Resolver<Result<T, E>>);

impl<T: Send + 'static, E: Send + 'static> Continue<T> for OkSink<T, E> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        self.0.settled_by(value.map(Ok))
    }
}

impl<T: Send + 'static, E: Send + 'static> SinkLink for OkSink<T, E> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            answer: Some(&self.0),
            awaits: Awaits::Passed(&self.0),
            ..Shown::default()
        }
    }

    /// As an answer to a relay.
    fn data(&self) -> SinkData {
        let receiver = self.0.receiver_through(RELAYS_MAX - 1);
        SinkKind::Answer.to(Receiver::Ok(Box::new(receiver)))
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        let shape = <Resolver<T> as Saved<'static>>::SHAPE;
        let name = self.0.name_of_ok(RELAYS_MAX - 1);
        saver.content_as(shape, &name).map(Some)
    }
}

impl<T: Send + 'static> fmt::Debug for Promise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            PromiseState::Ready(_) => "Promise(ready)",
            PromiseState::Asked(_) | PromiseState::Tail(_) => "Promise(pending)",
            PromiseState::Delegated(_) => "Promise(delegated)",
        })
    }
}
