//! Calls: messages that have been made and not yet sent, and continuations that wait for their hole
//! to be filled.

use super::actor::Actor;
use super::ask_future::AskFuture;
use super::behaviour::{Behaviour, Continuation, Message};
use super::link::Link;
use super::promise::{Resolver, Withdrawal};
use super::saved_message;
use super::send_error::SendError;
use crate::actor::Delivery;
use crate::actor::Refusal;
use crate::actor::{
    AddressRef, AskError, BoundedQueue, DelayedMessage, Dependents, Envelope, Guard, JoinTable,
    KindTable, MessageKind, Next, NotSent, Observation, Processed, Reservation, Source, StateRef,
    Steps, To, Unawaited, Worker, bury, observed, post_by, post_or_bury,
};
use crate::interned::{Name, Place};
use crate::message::MessageRole;
use crate::saving::Codec;
use crate::services::Asked;
use std::fmt;
use std::marker::PhantomData;

/// A message and its receiver. Made by the methods of a handle: `account.deposit(10)`.
///
/// It borrows the address it was made from, so that a send counts no reference;
/// [`Call::into_owned`] gives it an address of its own.
#[must_use = "a message does nothing until it is sent: `t.send(…)` or `t.ask(…)` in a turn, `.send()`, `.ask().await` or `.ask_blocking()` outside"]
pub struct Call<'a, M: Message> {
    to: To<'a>,
    args: M::Args,
    pack: Pack<M>,
    place: Place,
}

/// Packs a call into an envelope for the actor type behind its address.
pub(crate) type Pack<M> =
    fn(<M as Message>::Args, Resolver<<M as Message>::Reply>, Place) -> Envelope;

impl<'a, B: Behaviour> Call<'a, B> {
    /// The message `B` with `args`, for the actor behind `link`. Handles call this.
    #[inline]
    #[track_caller]
    pub fn new(link: &'a Link<B::Actor>, args: B::Args) -> Call<'a, B> {
        Call::new_packed(&link.to, args, envelope::<B>, Place::caller())
    }
}

impl<'a, M: Message> Call<'a, M> {
    #[inline]
    pub(crate) fn new_packed(
        to: &'a AddressRef,
        args: M::Args,
        pack: Pack<M>,
        place: Place,
    ) -> Call<'a, M> {
        Call {
            to: To::Lent(to),
            args,
            pack,
            place,
        }
    }

    pub(crate) fn target(&self) -> &AddressRef {
        &self.to
    }

    /// The message's arguments.
    pub fn args(&self) -> &M::Args {
        &self.args
    }

    /// Takes the arguments out.
    pub fn into_args(self) -> M::Args {
        self.args
    }

    /// The same call with an address of its own, to be kept for later. Costs what cloning the
    /// address costs.
    pub fn into_owned(self) -> Call<'static, M> {
        Call {
            to: To::Owned(self.to.into_counted()),
            args: self.args,
            pack: self.pack,
            place: self.place,
        }
    }

    /// The message, to be sent later. It keeps its actor alive.
    pub(crate) fn into_delayed(self) -> DelayedMessage {
        DelayedMessage::Strong(self.into_delivery(Resolver::discarding()))
    }

    /// The message, to be sent later if its actor still has an address then.
    pub(crate) fn into_weak(self) -> DelayedMessage {
        let envelope = (self.pack)(self.args, Resolver::discarding(), self.place);
        DelayedMessage::Weak(self.to.cell(), envelope)
    }

    /// A copy of the call: intervals need one for each tick.
    pub(crate) fn again(&self) -> Call<'_, M>
    where
        M::Args: Clone,
    {
        Call {
            to: To::Lent(&self.to),
            args: self.args.clone(),
            pack: self.pack,
            place: self.place,
        }
    }

    /// Sends the message, without a reply. If the actor has ended, or its mailbox is full
    /// ([`Mailbox`](crate::Mailbox)), it becomes a dead letter.
    ///
    /// Within a turn this is [`Turn::send`](crate::Turn::send). Never waits. Costs one atomic
    /// exchange, and recycled memory as a rule.
    #[inline(always)]
    pub fn send(self) {
        self.post(Resolver::discarding());
    }

    /// Like [`Call::send`], but gives the message back if the actor has ended, or its mailbox is
    /// full and rejects.
    ///
    /// # Errors
    ///
    /// The actor has ended, or its mailbox is full ([`Mailbox::Reject`](crate::Mailbox::Reject));
    /// the message is in the error.
    pub fn try_send(self) -> Result<(), SendError<M>> {
        // It may end between this test and the push; the message is then a dead letter, like any
        // that an ending actor had in its mailbox.
        let (call, reservation) = self.unless_ended()?.reserved()?;
        call.post_by(reservation, Resolver::discarding());
        Ok(())
    }

    /// Sends the message from outside any turn; the reply is a future, for any executor.
    ///
    /// Within a turn nothing is sent and the future is ready with [`AskError::InsideTurn`]: use
    /// `t.ask(…).then(…)`. A future of [`Turn::spawn`](crate::Turn::spawn) may ask, and so may a
    /// stream of [`Turn::attach`](crate::Turn::attach).
    pub fn ask(self) -> AskFuture<M::Reply> {
        if let Some(inside) = Worker::forbids_waiting() {
            return AskFuture::ready(Err(AskError::InsideTurn(inside.into())));
        }
        let (asked, resolver) = AskFuture::asking(&self.to.system, self.asked());
        self.post(resolver);
        asked
    }

    /// Like [`Call::ask`], but gives the message back if the actor has ended, or its mailbox is
    /// full and rejects.
    ///
    /// # Errors
    ///
    /// As for [`Call::try_send`].
    pub fn try_ask(self) -> Result<AskFuture<M::Reply>, SendError<M>> {
        let call = self.unless_ended()?;
        if let Some(inside) = Worker::forbids_waiting() {
            return Ok(AskFuture::ready(Err(AskError::InsideTurn(inside.into()))));
        }
        let (call, reservation) = call.reserved()?;
        let (asked, resolver) = AskFuture::asking(&call.to.system, call.asked());
        call.post_by(reservation, resolver);
        Ok(asked)
    }

    /// Itself, if its actor has not ended.
    pub(crate) fn unless_ended(self) -> Result<Self, SendError<M>> {
        let is_alive = self.to.ended().is_none();
        match observed(Observation::Send, Source::Actor(&self.to), is_alive) {
            true => Ok(self),
            false => Err(self.not_sent(NotSent::Ended)),
        }
    }

    pub(crate) fn not_sent(self, why: NotSent) -> SendError<M> {
        let actor = self.to.path();
        SendError {
            call: self.into_owned(),
            actor,
            why,
        }
    }

    /// Itself, and how it may enter the mailbox, if the mailbox does not reject it.
    fn reserved(self) -> Result<(Self, Reservation), SendError<M>> {
        let queue = self.to.bounded_queue();
        let reserved = queue.map_or(Some(Reservation::None), BoundedQueue::reserve);
        match observed(Observation::Send, Source::Actor(&self.to), reserved) {
            Some(reservation) => Ok((self, reservation)),
            None => {
                let mailbox = self.to.class.mailbox;
                Err(self.not_sent(NotSent::Full(mailbox)))
            }
        }
    }

    pub(crate) fn to(&self) -> &AddressRef {
        &self.to
    }

    /// Where in the source it was made.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// What an inspection says of it, if it is a request.
    #[inline(always)]
    pub(crate) fn asked(&self) -> Asked {
        Asked {
            system: self.to.system.number,
            answerer: self.to.id,
            behaviour: const { &Name::new(M::NAME) },
            place: self.place,
        }
    }

    /// Sends the message from outside any turn and waits for the reply. In a simulation, waiting
    /// runs it.
    ///
    /// # Errors
    ///
    /// See [`AskError`]; within a turn [`AskError::InsideTurn`], at once and without sending.
    pub fn ask_blocking(self) -> Result<M::Reply, AskError> {
        if let Some(inside) = Worker::inside() {
            return Err(AskError::InsideTurn(inside.into()));
        }
        self.ask().wait()
    }

    #[inline(always)]
    pub(crate) fn post(self, resolver: Resolver<M::Reply>) {
        let envelope = (self.pack)(self.args, resolver, self.place);
        post_or_bury(self.to, envelope);
    }

    /// The message, packed, with its receiver.
    pub(crate) fn into_delivery(self, resolver: Resolver<M::Reply>) -> Delivery {
        let envelope = (self.pack)(self.args, resolver, self.place);
        Delivery {
            to: self.to.into_counted(),
            envelope,
        }
    }

    /// Like `post`, for a sender that may have been promised a place.
    pub(crate) fn post_by(self, reservation: Reservation, resolver: Resolver<M::Reply>) {
        let envelope = (self.pack)(self.args, resolver, self.place);
        if let Err(returned) = post_by(self.to, envelope, reservation) {
            bury(returned).follow();
        }
    }
}

impl<M: Message> fmt::Debug for Call<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Call({} to {}, made at {})",
            M::NAME,
            self.to.path(),
            self.place
        )
    }
}

/// The envelope of a behaviour.
#[inline(always)]
pub(crate) fn envelope<B: Behaviour>(
    args: B::Args,
    resolver: Resolver<B::Reply>,
    place: Place,
) -> Envelope {
    Envelope::new::<Sent<B>>((args, resolver), place)
}

/// A behaviour's message.
pub(super) struct Sent<B>(PhantomData<B>);

/// The outcome of a step.
#[inline]
pub(crate) fn outcome<B: Behaviour>(worker: &Worker) -> Processed {
    match const { B::STEPS } {
        Steps::One => Processed::Done,
        Steps::Many => match worker.take_next_step() {
            Some(next) => Processed::NextStep(next),
            None => Processed::Done,
        },
    }
}

impl<B: Behaviour> Sent<B> {
    const TABLE: KindTable =
        KindTable::new::<Self>(B::NAME, MessageRole::Turn).for_mailbox(B::Actor::MAILBOX);
    const CONTINUATION: KindTable = Sent::<B>::TABLE.into_continuation();
}

impl<B: Behaviour> MessageKind for Sent<B> {
    type Content = (B::Args, Resolver<B::Reply>);
    const KIND: KindTable = Sent::<B>::TABLE.with_continuation(&Sent::<B>::CONTINUATION);
    const GUARD: Guard = B::GUARD;
    const STEPS: Steps = B::STEPS;
    const JOINS: &'static [&'static JoinTable] = B::JOINS;
    const CODEC: Option<Codec<Self::Content>> = saved_message::sent::<B>();

    fn ready((args, resolver): &Self::Content, state: &mut StateRef<'_>) -> bool {
        if const { !B::JOINS.is_empty() } {
            // It waits for the others, until it is withdrawn.
            resolver.set_deferred();
            return resolver.is_withdrawn();
        }
        let ready = state.look::<B::Actor, _>(|state| B::ready(state, args));
        let ready = ready.unwrap_or(true);
        if !ready {
            resolver.set_deferred();
        }
        ready
    }

    fn is_withdrawn((_, resolver): &Self::Content) -> bool {
        resolver.begin() == Withdrawal::Yes
            || (const { matches!(B::UNAWAITED, Unawaited::Withdrawn) } && resolver.is_given_up())
    }

    fn dependents((_, resolver): &Self::Content) -> Dependents {
        // An exclusive wait defers it.
        resolver.set_deferred();
        resolver.dependents()
    }

    fn fmt_args((args, _): &Self::Content, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        B::fmt_args(args, f)
    }

    fn run(
        (args, resolver): Self::Content,
        state: &mut StateRef<'_>,
        worker: &Worker,
    ) -> Processed {
        let _none = state.turn::<B::Actor, _>(worker, |state, turn| {
            B::run(state, turn, args, resolver);
        });
        outcome::<B>(worker)
    }

    fn refuse((args, mut resolver): Self::Content, refusal: &Refusal, place: Place) -> Next {
        refusal.drop_content(args);
        resolver.settle(Err(refusal.error(Name::new(B::NAME), place)))
    }
}

#[cfg(test)]
impl Envelope {
    /// The arguments, if it is a message of `B`.
    pub(crate) fn args_of<B: Behaviour>(&self) -> Option<&B::Args> {
        self.content::<Sent<B>>().map(|(args, _)| args)
    }
}

/// A continuation: an address, a behaviour with a hole, and the rest of its arguments. Made by the
/// handle's methods for `#[then]` behaviours: `t.me().debited(to, amount)`. It borrows the address
/// it was made from.
#[must_use = "a continuation does nothing until it is given to a promise: `promise.then(…)`"]
pub struct Then<'a, K: Continuation> {
    to: To<'a>,
    rest: K::Rest,
    place: Place,
}

impl<'a, K: Continuation> Then<'a, K> {
    /// The continuation `K` of the actor behind `link`. Handles call this.
    #[track_caller]
    pub fn new(link: &'a Link<K::Actor>, rest: K::Rest) -> Then<'a, K> {
        Then {
            to: To::Lent(&link.to),
            rest,
            place: Place::caller(),
        }
    }

    pub(crate) fn target(&self) -> &AddressRef {
        &self.to
    }

    /// The same continuation with an address of its own, to be kept for later.
    pub fn into_owned(self) -> Then<'static, K> {
        Then {
            to: To::Owned(self.to.into_counted()),
            rest: self.rest,
            place: self.place,
        }
    }

    pub(crate) fn again(&self) -> Then<'static, K>
    where
        K::Rest: Clone,
    {
        Then {
            to: To::Owned((*self.to).clone()),
            rest: self.rest.clone(),
            place: self.place,
        }
    }

    /// The arguments that it has.
    pub(crate) fn rest(&self) -> &K::Rest {
        &self.rest
    }

    /// Where it was made.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The inverse of `into_parts`. The actor is a `K::Actor`.
    pub(crate) fn from_parts(to: AddressRef, rest: K::Rest, place: Place) -> Then<'a, K> {
        Then {
            to: To::Owned(to),
            rest,
            place,
        }
    }

    /// Its address, the arguments that it has, and where it was made.
    pub(crate) fn into_parts(self) -> (AddressRef, K::Rest, Place) {
        (self.to.into_counted(), self.rest, self.place)
    }

    /// The message with its hole filled.
    pub(crate) fn fill(self, hole: K::Hole, resolver: Resolver<K::Reply>) -> Delivery {
        let envelope = envelope::<K>(K::fill(hole, self.rest), resolver, self.place);
        Delivery {
            to: self.to.into_counted(),
            envelope,
        }
    }
}

impl<K: Continuation> fmt::Debug for Then<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Then({} of {}, made at {})",
            K::NAME,
            self.to.path(),
            self.place
        )
    }
}
