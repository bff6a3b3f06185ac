//! Alarms: the action at the deadline of a timer.

use std::time::Duration;

/// An action, and when it is due.
pub(crate) enum Alarm<A: Act> {
    /// A time limit that is waited for: it fires in any case, at the latest when the system closes.
    Limit(A),
    /// A message: it is dropped when the system closes.
    Once(A),
    Every {
        period_ns: u64,
        tick: A::Tick,
    },
}

/// The action of an alarm, as data: what it does is a function of its system and of its values.
pub(crate) trait Act {
    /// The system that fires it.
    type System: ?Sized;
    /// The action of an interval.
    type Tick;

    fn act(self, system: &Self::System);

    fn tick(tick: &mut Self::Tick) -> Interval;
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
