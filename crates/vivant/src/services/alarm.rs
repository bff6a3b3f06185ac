//! Alarms: the action at the deadline of a timer.

use std::time::Duration;

/// The action at a deadline.
pub(crate) enum Alarm {
    /// A time limit that is waited for: it fires in any case, at the latest when the system closes.
    Limit(Box<dyn FnOnce() + Send>),
    /// A message: it is dropped when the system closes.
    Once(Box<dyn FnOnce() + Send>),
    Every {
        period_ns: u64,
        fire: Box<dyn FnMut() -> Interval + Send>,
    },
}

/// Whether an interval goes on.
#[derive(PartialEq, Eq)]
pub(crate) enum Interval {
    Continue,
    End,
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
