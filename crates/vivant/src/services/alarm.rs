//! Alarms: what follows from a deadline, as data.
//!
//! An alarm is a name and values, so it can be written to a file and made from one. It holds no
//! closure. Where a type is erased, a table of functions stands for it: that of a message's kind,
//! or that of one of the traits here.

use crate::phase::{Passes, Phase};
use crate::sync::{Arc, Mutex, lock};
use std::fmt;
use std::task::Waker;
use std::time::Duration;

/// The action at a deadline.
#[derive(Debug)]
pub(crate) enum Alarm<M: Delayed> {
    /// A time limit that is waited for: it fires in any case, at the latest when the system closes.
    Limit(Action<M>),
    /// A message: it is dropped when the system closes.
    Once(Action<M>),
    Every {
        period_ns: u64,
        message: Box<dyn Periodic<M>>,
    },
}

/// What follows once.
pub(crate) enum Action<M: Delayed> {
    Send(M),
    /// Fails the promise, which has this time limit.
    Expire(Arc<dyn Expires<M::System>>, Duration),
    /// Wakes a future that sleeps.
    Wake(Arc<Mutex<Waker>>),
    Call(&'static SystemCall<M::System>, [u64; 2]),
}

/// A packed message with its receiver.
pub(crate) trait Delayed: fmt::Debug + Sized {
    /// The system that has the timer.
    type System: 'static;

    /// L6: what the thread does from here on is of the phase of the system.
    fn begins(_: &Self::System) {}

    fn send(self);

    /// Whether it is of the runtime: no program has set the alarm, and no image contains it.
    fn is_of_runtime(&self) -> bool {
        false
    }

    /// L10: calls `body`, which changes the table of alarms, with the phase of what it does. `body`
    /// sends nothing.
    fn change_table<R>(system: &Self::System, body: impl FnOnce(Phase) -> R) -> R;

    fn passes(system: &Self::System) -> &Passes;

    /// L10: the cut that is being taken has this alarm. Called under the lock of the table.
    fn record(system: &Self::System, entry: AlarmEntry<'_, Self>);
}

/// An alarm that is set.
pub(crate) struct AlarmEntry<'a, M: Delayed> {
    pub(crate) number: u64,
    pub(crate) at_ns: u64,
    pub(crate) alarm: &'a Alarm<M>,
}

/// A message of any type that an interval sends.
pub(crate) trait Periodic<M>: Send {
    /// The stable name of the message.
    fn name(&self) -> &'static str;

    /// Sends a copy. The interval ends if the receiver has ended.
    fn send_copy(&self) -> Interval;

    /// Returns a copy. `None`: the message cannot be copied any more, and the interval ends.
    fn copy(&self) -> Option<M>;
}

/// A promise of any type that has a time limit.
pub(crate) trait Expires<S>: Send + Sync {
    /// Fails it, if it has no value yet. `system` has the alarm.
    fn expire(&self, system: &S, after: Duration);
}

/// A function of a part of a system, on two numbers.
pub(crate) struct SystemCall<S> {
    /// Its stable name.
    pub(crate) name: &'static str,
    pub(crate) call: fn(&S, [u64; 2]),
}

/// Whether an interval goes on.
#[derive(PartialEq, Eq)]
pub(crate) enum Interval {
    Continue,
    End,
}

impl<M: Delayed> Action<M> {
    pub(super) fn act(self, system: &M::System) {
        match self {
            Action::Send(message) => message.send(),
            Action::Expire(promise, after) => promise.expire(system, after),
            Action::Wake(waker) => {
                let waker = lock(&waker).clone();
                waker.wake();
            }
            Action::Call(part, numbers) => (part.call)(system, numbers),
        }
    }
}

impl<M: Delayed> fmt::Debug for Action<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Send(message) => write!(f, "Send({message:?})"),
            Action::Expire(_, after) => write!(f, "Expire({after:?})"),
            Action::Wake(_) => f.write_str("Wake"),
            Action::Call(part, numbers) => write!(f, "Call({}, {numbers:?})", part.name),
        }
    }
}

impl<M> fmt::Debug for dyn Periodic<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The length of an interval.
///
/// # Panics
///
/// If it is zero.
#[track_caller]
pub(crate) fn period_ns(period: Duration) -> u64 {
    assert!(
        !period.is_zero(),
        "an interval of no length would never end"
    );
    ns(period)
}

/// Nanoseconds of `duration`, as far as they fit: 584 years.
pub(crate) fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
