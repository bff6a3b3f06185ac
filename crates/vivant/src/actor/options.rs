//! What an actor's type and a behaviour declare of themselves, as constants.

use std::fmt;

/// Which threads run an actor's turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// The system's workers: for turns of microseconds.
    Workers,
    /// A pool of their own that grows with demand: for actors that are declared to block,
    /// `#[actor(blocking)]`.
    Blocking,
}

/// How many messages an actor's mailbox holds, and the policy for a message that finds it full.
///
/// `#[actor(mailbox = reject(100))]`, `drop_newest(100)` or `drop_oldest(100)` beside the derive;
/// by hand [`Actor::MAILBOX`](crate::Actor::MAILBOX). A bound of zero does not compile.
///
/// The bound counts waiting messages, including those that wait for their guard; the message in its
/// turn does not wait. It does not count replies, local continuations,
/// [`Address::stop_after_queue`](crate::Address::stop_after_queue) and the runtime's own messages.
/// A sender to a mailbox with a bound is never muted.
///
/// Every lost message is a dead letter under a [`Cause`](crate::Cause) of its own, and its ask
/// fails with [`AskError::Overloaded`](crate::AskError::Overloaded). An actor with a bounded
/// mailbox costs a lock and a small block of memory more for each message.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Cause, Mailbox};
///
/// #[derive(Actor)]
/// #[actor(mailbox = drop_oldest(2))]
/// struct Gauge { value: u64 }
///
/// #[behaviours]
/// impl Gauge {
///     fn set(&mut self, value: u64) { self.value = value; }
///     fn get(&mut self) -> u64 { self.value }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// assert_eq!(<Gauge as vivant::Actor>::MAILBOX, Mailbox::DropOldest(2));
/// let simulation = vivant::simulation::Simulation::new(1);
/// let gauge = simulation.system().spawn(Gauge { value: 0 });
/// for value in 1..=9 {
///     gauge.set(value).send();                // no turn runs meanwhile: 8 and 9 stay
/// }
/// simulation.run();
/// assert_eq!(gauge.get().ask_blocking()?, 9);
/// let lost = simulation.system().dead_letters().counts();
/// assert_eq!((lost[0].cause, lost[0].count), (Cause::DroppedOldest, 7));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mailbox {
    /// No bound. Back-pressure instead: an actor that sends to an overloaded actor is muted. It
    /// takes no further messages until the receiver has recovered.
    BackPressure,
    /// The message is refused: [`Call::try_send`](crate::Call::try_send) gives it back, and
    /// [`Call::offer`](crate::Call::offer) waits. Any other way of sending it makes a dead letter
    /// ([`Cause::Rejected`](crate::Cause::Rejected)).
    Reject(usize),
    /// The message is lost ([`Cause::DroppedNewest`](crate::Cause::DroppedNewest)).
    DropNewest(usize),
    /// The message goes in, and the message that has waited longest is lost
    /// ([`Cause::DroppedOldest`](crate::Cause::DroppedOldest)).
    DropOldest(usize),
}

impl Mailbox {
    /// The limit of waiting messages; `usize::MAX` without a bound.
    pub const fn bound(self) -> usize {
        match self {
            Mailbox::BackPressure => usize::MAX,
            Mailbox::Reject(bound) | Mailbox::DropNewest(bound) | Mailbox::DropOldest(bound) => {
                bound
            }
        }
    }

    pub(crate) const fn is_bounded(self) -> bool {
        !matches!(self, Mailbox::BackPressure)
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mailbox::BackPressure => f.write_str("back-pressure"),
            Mailbox::Reject(bound) => write!(f, "reject({bound})"),
            Mailbox::DropNewest(bound) => write!(f, "drop_newest({bound})"),
            Mailbox::DropOldest(bound) => write!(f, "drop_oldest({bound})"),
        }
    }
}

/// What a guard reads, beside nothing at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Guard {
    /// There is no guard.
    None,
    /// The state alone: messages of the behaviour wait in line, and the first stands for all.
    State,
    /// The arguments too: each waiting message is tested.
    Arguments,
}

/// Limit of the messages of one join. A combination then fits into an envelope.
pub(crate) const JOIN_MAX: usize = 8;

/// What the guard of a join reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JoinGuard {
    /// There is no guard.
    None,
    /// The state alone: one evaluation stands for all combinations.
    State,
    /// The arguments alone: each combination is evaluated once.
    Arguments,
    /// Both: each combination is evaluated again after the state has changed.
    StateAndArguments,
}

/// What becomes of a request of which no answer is awaited when its turn would begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unawaited {
    /// It is processed.
    Processed,
    /// It is withdrawn: the behaviour has no effect but its answer (`#[if_awaited]`).
    Withdrawn,
}

/// Whether a behaviour is one turn, or many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Steps {
    /// One.
    One,
    /// It may return [`Step::Again`](crate::Step::Again).
    Many,
}
