//! Rate limits: a token bucket (T10). A plain value, for an actor's state.

use crate::services::ns;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// A token bucket: it admits `amount` in each `per`, evenly, after a first burst.
///
/// It has no clock: the caller passes the time, [`Turn::now`](crate::Turn::now) or
/// [`Clock::now`](crate::Clock::now), so in a simulation it uses virtual time. It computes with
/// integers: it does not drift, however often and with what times it is called.
///
/// ```
/// use std::time::Duration;
/// use vivant::prelude::*;
/// use vivant::{RateLimit, RateLimited};
///
/// #[derive(Actor)] struct Gate { limit: RateLimit }
/// #[behaviours] impl Gate {
///     #[start] fn new() -> Self { Gate { limit: RateLimit::new(2, Duration::from_secs(3600)) } }
///     fn enter(&mut self, t: &Turn<Self>) -> Result<(), RateLimited> { self.limit.admit(t.now(), 1) }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let gate = Gate::spawn(&system);
/// assert_eq!(gate.enter().ask_blocking()?, Ok(()));
/// assert_eq!(gate.enter().ask_blocking()?, Ok(()));
/// assert!(matches!(gate.enter().ask_blocking()?, Err(RateLimited::TryAgainAfter(_))));
/// # Ok(()) }
/// ```
///
/// Costs a multiplication and a division of 128-bit numbers, and no memory besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimit {
    amount: u64,
    per_ns: u64,
    burst: u64,
    /// The content of the bucket: one admitted unit is `per_ns` of this, and each nanosecond adds
    /// `amount`. So nothing is ever rounded.
    level: u128,
    /// The latest time that was passed.
    at_ns: u64,
}

/// Why nothing was admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RateLimited {
    /// Too much at this time. After this duration, and not a nanosecond earlier, the same count is
    /// admitted, if nothing else is admitted before.
    TryAgainAfter(Duration),
    /// More than the bucket's capacity: it is never admitted at once.
    MoreThanBurst {
        /// The requested count.
        asked: u64,
        /// The bucket's capacity.
        burst: u64,
    },
}

impl RateLimit {
    /// Admits `amount` in each `per`; at first, and after a pause, `amount` at once.
    ///
    /// # Panics
    ///
    /// If one of them is zero.
    pub fn new(amount: u64, per: Duration) -> RateLimit {
        assert!(amount > 0, "a rate of nothing would admit nothing, ever");
        assert!(!per.is_zero(), "a rate per no time has no limit");
        let limit = RateLimit {
            amount,
            per_ns: ns(per),
            burst: amount,
            level: 0,
            at_ns: 0,
        };
        limit.burst(amount)
    }

    /// The same limit, new and with another bound for what is admitted at once.
    ///
    /// # Panics
    ///
    /// If `burst` is zero.
    pub fn burst(mut self, burst: u64) -> RateLimit {
        assert!(burst > 0, "a bucket that holds nothing would admit nothing");
        self.burst = burst;
        self.level = self.full();
        self
    }

    /// Admits `count` now, or returns when it would. A refused call uses up nothing.
    ///
    /// # Errors
    ///
    /// Too much has been admitted lately, or `count` is more than is ever admitted at once.
    pub fn admit(&mut self, now: Duration, count: u64) -> Result<(), RateLimited> {
        if count > self.burst {
            let (asked, burst) = (count, self.burst);
            return Err(RateLimited::MoreThanBurst { asked, burst });
        }
        self.refill(ns(now));
        let price = u128::from(count) * u128::from(self.per_ns);
        match self.level.checked_sub(price) {
            Some(rest) => {
                self.level = rest;
                Ok(())
            }
            None => {
                let wait = (price - self.level).div_ceil(u128::from(self.amount));
                let wait_ns = u64::try_from(wait).unwrap_or(u64::MAX);
                Err(RateLimited::TryAgainAfter(Duration::from_nanos(wait_ns)))
            }
        }
    }

    /// The count that would be admitted now.
    pub fn available(&mut self, now: Duration) -> u64 {
        self.refill(ns(now));
        // At most the burst.
        (self.level / u128::from(self.per_ns)) as u64
    }

    /// Adds the tokens since the latest time. An earlier time adds nothing.
    fn refill(&mut self, now_ns: u64) {
        let since = u128::from(now_ns.saturating_sub(self.at_ns));
        self.at_ns = self.at_ns.max(now_ns);
        let level = self.level.saturating_add(since * u128::from(self.amount));
        self.level = level.min(self.full());
    }

    fn full(&self) -> u128 {
        u128::from(self.burst) * u128::from(self.per_ns)
    }
}

impl fmt::Display for RateLimited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RateLimited::TryAgainAfter(wait) => {
                write!(f, "the rate limit is reached: try again after {wait:?}")
            }
            RateLimited::MoreThanBurst { asked, burst } => {
                write!(
                    f,
                    "{asked} at once are never admitted: the limit is {burst}"
                )
            }
        }
    }
}

impl Error for RateLimited {}
