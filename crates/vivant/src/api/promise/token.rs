//! Token-passing continuations: the value of a promise becomes an argument of a message to another
//! actor, without a turn of the actor that asked.

use super::receiver::ActorName;
use super::shown::Shown;
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::slot::Tail;
use super::{Promise, PromiseState, Resolver, owner_of_turn};
use crate::actor::{AskError, Next, Worker};
use crate::api::address::Address;
use crate::api::behaviour::Message;
use crate::api::call::Call;
use crate::api::link::Target;
use crate::failures::{Caught, Inside, Panic, catch};
use crate::interned::Name;

impl<V: Send + 'static> Promise<V> {
    /// Sends the value on, once it is here, in the message to the actor `to` that `call` makes of
    /// it. Returns the promise of that message's reply, which may be dropped. If this
    /// promise is broken, nothing is sent, and the returned one has the same error.
    ///
    /// The value is a *token* in the words of SALSA: it orders `m2` after `m1`, and this actor has
    /// no turn in between, so it needs no method for that. `call` may be the method of the handle
    /// itself. It is called between two turns; if it panics, the returned promise fails with
    /// [`AskError::Panicked`].
    ///
    /// ```
    /// use vivant::prelude::*;
    ///
    /// #[derive(Actor)] struct Mint { next: u64 }
    /// #[behaviours] impl Mint {
    ///     fn coin(&mut self) -> u64 { self.next += 1; self.next }
    /// }
    ///
    /// #[derive(Actor)] struct Bank { coins: Vec<u64> }
    /// #[behaviours] impl Bank {
    ///     fn keep(&mut self, coin: u64) -> usize { self.coins.push(coin); self.coins.len() }
    ///     fn mark(&mut self, coin: u64, owner: String) -> String { format!("{coin} of {owner}") }
    /// }
    ///
    /// #[derive(Actor)] struct Clerk { mint: Address<Mint>, bank: Address<Bank> }
    /// #[behaviours] impl Clerk {
    ///     fn order(&self, t: &Turn<Self>) -> Promise<usize> {
    ///         t.ask(self.mint.coin()).pass_to(&self.bank, BankHandle::keep)
    ///     }
    ///     fn order_marked(&self, t: &Turn<Self>, owner: String) -> Promise<String> {
    ///         t.ask(self.mint.coin()).pass_to(&self.bank, |bank, coin| bank.mark(coin, owner))
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let (mint, bank) = (system.spawn(Mint { next: 6 }), system.spawn(Bank { coins: vec![] }));
    /// let clerk = system.spawn(Clerk { mint, bank });
    /// assert_eq!(clerk.order().ask_blocking()?, 1);
    /// assert_eq!(clerk.order_marked("Ada".into()).ask_blocking()?, "8 of Ada");
    /// # Ok(()) }
    /// ```
    pub fn pass_to<B, M, F>(self, to: &Address<B>, call: F) -> Promise<M::Reply>
    where
        B: ?Sized + Target<Handle: Send>,
        M: Message,
        F: for<'h> FnOnce(&'h B::Handle, V) -> Call<'h, M> + Send + 'static,
    {
        let owner = &Address::link(to).to;
        let sink = TokenSink {
            to: to.clone(),
            call,
            resolver: Resolver::discarding(),
        };
        match self.into_asking(owner) {
            Ok(asking) => {
                let tail = Tail::of(asking, sink, |sink| &mut sink.resolver);
                Promise::new(PromiseState::Tail(tail))
            }
            Err(value) => {
                let (promise, resolver) = Promise::open(owner_of_turn(owner));
                TokenSink { resolver, ..sink }.fill(value).follow();
                promise
            }
        }
    }
}

/// A message that waits for its token.
struct TokenSink<B: ?Sized + Target, M: Message, F> {
    to: Address<B>,
    call: F,
    resolver: Resolver<M::Reply>,
}

impl<V, B, M, F> Continue<V> for TokenSink<B, M, F>
where
    V: Send + 'static,
    B: ?Sized + Target<Handle: Send>,
    M: Message,
    F: for<'h> FnOnce(&'h B::Handle, V) -> Call<'h, M> + Send + 'static,
{
    fn fill(self, value: Result<V, AskError>) -> Next {
        let TokenSink { to, call, resolver } = self;
        match value {
            Ok(value) => made(|| call(&to, value), resolver),
            Err(error) => resolver.settled_by(Err(error)),
        }
    }
}

impl<B: ?Sized + Target, M: Message, F> SinkLink for TokenSink<B, M, F> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            target: Some(&Address::link(&self.to).to),
            answer: Some(&self.resolver),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        let kind = SinkKind::PassTo {
            target: ActorName::of(&Address::link(&self.to).to),
            behaviour: Name::new(M::NAME),
        };
        kind.to(self.resolver.receiver())
    }
}

/// Sends the message that a user's closure makes. A panic of it is reported and fails the promise.
pub(super) fn made<'h, M: Message>(
    make: impl FnOnce() -> Call<'h, M>,
    resolver: Resolver<M::Reply>,
) -> Next {
    match catch(make) {
        Ok(call) => {
            resolver.pass_on(call.asked());
            Next::Deliver(call.into_delivery(resolver))
        }
        Err(caught) => resolver.settled_by(Err(panicked(caught, Name::new(M::NAME)))),
    }
}

/// A user's closure panicked between two turns: reports it, and returns the error of its promise.
pub(super) fn panicked(caught: Caught, behaviour: Name) -> AskError {
    let outside = || Inside {
        actor: "outside".to_owned(),
        behaviour,
    };
    let panic = Panic::of(Worker::inside().unwrap_or_else(outside), caught);
    Worker::with_current(|worker| worker.system.reports.panicked(&panic));
    AskError::Panicked(panic)
}
