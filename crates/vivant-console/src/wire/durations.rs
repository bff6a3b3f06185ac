//! Durations as numbers of the wire.

use std::time::Duration;

/// Whole milliseconds: ages and waits.
pub(super) fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Nanoseconds: pauses, which are often shorter than a microsecond.
pub(super) fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
