//! [`Probe`]: an actor for tests. It takes any message of any interface, and the test reads what it
//! got.
//!
//! - [`actor`]: the actor, and the behaviours by which it takes messages of other types.
//! - [`inbox`]: the messages that wait for the test.
//! - [`received`]: one message, with the right to reply.

mod actor;
mod inbox;
mod received;

pub use actor::{ProbeActor, ProbeHandle, ProbeValue, probed};
pub use received::Received;

use crate::api::{Address, Call, Implements, Message, Target, Then};
use crate::sync::Arc;
use crate::system::System;
use inbox::{AnyMessage, Inbox};
use std::fmt;
use std::time::Duration;

/// Limit of a wait for a message, unless [`Probe::limit`] sets another.
const LIMIT: Duration = Duration::from_secs(10);

/// An actor for tests: it takes every message of every interface, and values, and answers nothing
/// by itself. The test reads what it got, in order, and replies.
///
/// Give it to the program under test as the address of an interface ([`address`](Probe::address)),
/// as a continuation ([`then`](Probe::then)), or as a message ([`value`](Probe::value)). It works
/// in a [`Simulation`](crate::simulation::Simulation), where waiting runs the actors and its limit
/// is one of virtual time, and on threads.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Probe, simulation::Simulation};
/// use std::time::Duration;
///
/// #[interface]
/// pub trait Ledger {
///     fn enter(&mut self, amount: u64) -> u64;
///     fn close(&mut self);
/// }
///
/// #[derive(Actor)] struct Till { ledger: Address<dyn Ledger>, balance: u64 }
/// #[behaviours] impl Till {
///     fn sell(&mut self, t: &Turn<Self>, price: u64) -> Promise<u64> {
///         t.ask(self.ledger.enter(price)).then(t.me().entered())
///     }
///     #[then] fn entered(&mut self, t: &Turn<Self>, balance: Result<u64, AskError>) -> u64 {
///         self.balance = balance.unwrap_or(0);
///         t.after(Duration::from_secs(3600), self.ledger.close());
///         self.balance
///     }
/// }
///
/// let simulation = Simulation::new(7);
/// let ledger = Probe::spawn(simulation.system());
/// let till = simulation.system().spawn(Till { ledger: ledger.address(), balance: 0 });
///
/// let sold = till.sell(5).ask();
/// let entry = ledger.expect::<ledger_messages::Enter>();
/// assert_eq!(entry.args(), &(5,));
/// entry.reply(105);
/// assert_eq!(simulation.system().block_on(sold), Ok(105));
///
/// ledger.expect_nothing_for(Duration::from_secs(3599));
/// ledger.expect::<ledger_messages::Close>();
/// ```
///
/// The probe's actor lives as long as an address of it; faults of a simulation do not hit it. Its
/// methods that wait are for use outside of turns.
pub struct Probe {
    system: System,
    address: Address<ProbeActor>,
    inbox: Arc<Inbox>,
    limit: Duration,
}

impl Probe {
    /// Makes a probe.
    pub fn spawn(system: &System) -> Probe {
        let inbox = Arc::new(Inbox::default());
        Probe {
            system: system.clone(),
            address: system.spawn(ProbeActor::new(inbox.clone())),
            inbox,
            limit: LIMIT,
        }
    }

    /// Sets for how long the probe waits for an expected message. The default is ten seconds.
    #[must_use = "the probe with the limit is returned"]
    pub fn limit(self, limit: Duration) -> Probe {
        Probe { limit, ..self }
    }

    /// The probe as an actor that implements `I`, which is `dyn Trait` of an
    /// [`interface`](macro@crate::interface). One probe may be given as several interfaces; their
    /// messages arrive in one order.
    pub fn address<I: ?Sized + Target>(&self) -> Address<I>
    where
        ProbeActor: Implements<I>,
    {
        Address::upcast(&self.address)
    }

    /// A continuation, for a promise, a stream, a topic: the probe gets what fills its hole, which
    /// [`expect_value`](Probe::expect_value) returns. The hole of a promise of `T` is filled with
    /// `Result<T, AskError>`.
    ///
    /// ```
    /// use vivant::{Probe, System, Topic, Lagged, simulation::Simulation};
    ///
    /// let simulation = Simulation::new(7);
    /// let probe = Probe::spawn(simulation.system());
    /// let prices = Topic::<u64>::new();
    /// let _subscription = prices.subscribe(probe.then());
    /// prices.publish(17);
    /// assert_eq!(probe.expect_value::<Result<u64, Lagged>>(), Ok(17));
    /// ```
    #[track_caller]
    pub fn then<H: fmt::Debug + Send + 'static>(&self) -> Then<'_, ProbeValue<H>> {
        Then::new(Address::link(&self.address), ())
    }

    /// A message with `value`, for a timer or a death watch. [`expect_value`](Probe::expect_value)
    /// returns the value.
    #[track_caller]
    pub fn value<T: fmt::Debug + Send + 'static>(&self, value: T) -> Call<'_, ProbeValue<T>> {
        Call::new(Address::link(&self.address), (value,))
    }

    /// Waits for the next message, which must be `M`: `ledger_messages::Enter` for the method
    /// `enter` of an interface `Ledger`. Drop it if it needs no reply; then the promise of an ask
    /// is broken.
    ///
    /// # Panics
    ///
    /// The next message is another one, or the limit passes without a message: the test fails.
    /// Within a turn.
    #[track_caller]
    pub fn expect<M: Message>(&self) -> Received<M> {
        let next = self.next(M::NAME);
        match next.content.downcast() {
            Ok(received) => *received,
            Err(_) => panic!(
                "{} expected {}, and received {}",
                self.path(),
                M::NAME,
                next.text
            ),
        }
    }

    /// Waits for the next message, which must be a value of type `T`: from
    /// [`then`](Probe::then) or [`value`](Probe::value).
    ///
    /// # Panics
    ///
    /// As [`expect`](Probe::expect).
    #[track_caller]
    pub fn expect_value<T: fmt::Debug + Send + 'static>(&self) -> T {
        let type_name = std::any::type_name::<T>();
        let next = self.next(type_name);
        match next.content.downcast::<Received<ProbeValue<T>>>() {
            Ok(received) => received.reply(()).0,
            Err(_) => panic!(
                "{} expected a value of type {type_name}, and received {}",
                self.path(),
                next.text
            ),
        }
    }

    /// Waits for `duration`, and checks that no message arrives.
    ///
    /// # Panics
    ///
    /// A message arrives, or waits already: the test fails. Within a turn.
    #[track_caller]
    pub fn expect_nothing_for(&self, duration: Duration) {
        if let Some(next) = self.wait(duration) {
            panic!(
                "{} expected no message, and received {}",
                self.path(),
                next.text
            );
        }
    }

    /// The number of messages that wait for the test.
    pub fn waiting(&self) -> usize {
        self.inbox.len()
    }

    #[track_caller]
    fn next(&self, expected: &str) -> AnyMessage {
        let Some(next) = self.wait(self.limit) else {
            panic!(
                "{} expected {expected}, and received nothing for {:?}",
                self.path(),
                self.limit
            );
        };
        next
    }

    #[track_caller]
    fn wait(&self, limit: Duration) -> Option<AnyMessage> {
        let sleep = self.system.clock().sleep(limit);
        self.system.block_on(self.inbox.next(sleep))
    }

    fn path(&self) -> String {
        Address::path(&self.address)
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Probe({}, {} waiting)", self.path(), self.waiting())
    }
}
