//! Tallies: what a run of the load generator met.

use super::Kind;
use crate::audit::Told;
use hdrhistogram::Histogram;
use std::time::Duration;

/// Latencies above which requests are counted.
pub const SLOW_MS: [u64; 3] = [100, 200, 500];
/// Latencies are kept to three digits, in microseconds, up to a minute.
const LATENCY_US_MAX: u64 = 60_000_000;
/// How many unexpected answers are kept word for word.
const UNEXPECTED_KEPT_MAX: usize = 10;

/// Requests of one kind.
#[derive(Clone, Debug)]
pub struct KindTally {
    latency_us: Histogram<u64>,
    slow: [u64; SLOW_MS.len()],
}

impl Default for KindTally {
    fn default() -> Self {
        KindTally {
            latency_us: Histogram::new_with_max(LATENCY_US_MAX, 3)
                .expect("the bounds are constants"),
            slow: [0; SLOW_MS.len()],
        }
    }
}

impl KindTally {
    fn record(&mut self, latency: Duration) {
        self.latency_us
            .saturating_record(latency.as_micros() as u64);
        for (count, limit_ms) in self.slow.iter_mut().zip(SLOW_MS) {
            *count += u64::from(latency > Duration::from_millis(limit_ms));
        }
    }

    fn add(&mut self, other: &KindTally) {
        (self.latency_us.add(&other.latency_us)).expect("all tallies have the same bounds");
        for (count, more) in self.slow.iter_mut().zip(other.slow) {
            *count += more;
        }
    }

    /// How many requests were answered.
    pub fn count(&self) -> u64 {
        self.latency_us.len()
    }

    /// The latency that this share of the requests did not exceed, in microseconds.
    pub fn quantile_us(&self, share: f64) -> u64 {
        self.latency_us.value_at_quantile(share)
    }

    /// The greatest latency, in microseconds.
    pub fn max_us(&self) -> u64 {
        self.latency_us.max()
    }

    /// How many requests took longer than each of [`SLOW_MS`].
    pub fn slow(&self) -> [u64; SLOW_MS.len()] {
        self.slow
    }

    /// Latencies in microseconds and how many requests had them, in their order.
    pub fn latencies(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let recorded = self.latency_us.iter_recorded();
        recorded.map(|it| (it.value_iterated_to(), it.count_at_value()))
    }
}

/// What a run met.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    kinds: [KindTally; Kind::COUNT],
    /// What customers were told.
    pub told: Told,
    /// Bookings that were refused because the flight was full.
    pub sold_out: u64,
    /// Booked trips that had a flight back.
    pub round_trips: u64,
    /// Loops that users finished.
    pub loops: u64,
    /// Answers that should not have come, and requests without an answer.
    pub unexpected: u64,
    /// The first of them, in words.
    pub unexpected_first: Vec<String>,
    /// Requests that were due and never sent, because every connection was waiting for too long.
    pub unsent: u64,
    /// From the first request's due time to the last answer.
    pub took: Duration,
}

impl Tally {
    /// Notes an answer that came so long after the request was due.
    pub fn record(&mut self, kind: Kind, latency: Duration) {
        self.kinds[kind as usize].record(latency);
    }

    /// Notes an answer that should not have come.
    pub fn unexpected(&mut self, kind: Kind, what: &str) {
        self.unexpected += 1;
        if self.unexpected_first.len() < UNEXPECTED_KEPT_MAX {
            self.unexpected_first
                .push(format!("{}: {what}", kind.name()));
        }
    }

    /// The requests of one kind.
    pub fn kind(&self, kind: Kind) -> &KindTally {
        &self.kinds[kind as usize]
    }

    /// All requests.
    pub fn total(&self) -> KindTally {
        let mut total = KindTally::default();
        for kind in &self.kinds {
            total.add(kind);
        }
        total
    }

    /// How many requests were answered.
    pub fn count(&self) -> u64 {
        self.kinds.iter().map(KindTally::count).sum()
    }

    /// Answers per second.
    pub fn rate(&self) -> f64 {
        self.count() as f64 / self.took.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Whether every request was sent and answered as it should be.
    pub fn is_clean(&self) -> bool {
        self.unexpected == 0 && self.unsent == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_requests_are_counted_at_each_limit() {
        let mut tally = Tally::default();
        for ms in [1, 100, 101, 300, 90_000] {
            tally.record(Kind::Login, Duration::from_millis(ms));
        }
        tally.record(Kind::Logout, Duration::from_millis(600));
        assert_eq!(tally.kind(Kind::Login).slow(), [3, 2, 1]);
        assert_eq!(tally.total().slow(), [4, 3, 2]);
        assert_eq!(tally.total().count(), 6);
        assert_eq!(tally.count(), 6);
        // What is longer than a minute is counted as a minute, not lost.
        assert!(tally.total().max_us() >= LATENCY_US_MAX);
    }
}
