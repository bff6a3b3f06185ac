//! Tallies: the results of a run of the load generator.

use super::Kind;
use crate::audit::Confirmed;
use example_load::Latency;
use std::time::Duration;
use strum::EnumCount;

/// Latencies above which requests are counted.
pub const SLOW_MS: [u64; 3] = [100, 200, 500];
/// Number of unexpected answers that are kept verbatim.
const UNEXPECTED_KEPT_MAX: usize = 10;

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    kinds: [Latency; Kind::COUNT],
    /// The answers that customers got.
    pub confirmed: Confirmed,
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
    /// Records an answer, and the time since its request was due.
    pub fn record(&mut self, kind: Kind, latency: Duration) {
        self.kinds[kind as usize].record(latency);
    }

    /// Records an answer that should not have come.
    pub fn unexpected(&mut self, kind: Kind, what: &str) {
        self.unexpected += 1;
        if self.unexpected_first.len() < UNEXPECTED_KEPT_MAX {
            self.unexpected_first
                .push(format!("{}: {what}", kind.name()));
        }
    }

    /// The latencies of one kind of requests.
    pub fn kind(&self, kind: Kind) -> &Latency {
        &self.kinds[kind as usize]
    }

    /// The latencies of all requests.
    pub fn total(&self) -> Latency {
        let mut total = Latency::default();
        for kind in &self.kinds {
            total.add(kind);
        }
        total
    }

    /// The number of answered requests.
    pub fn count(&self) -> u64 {
        self.kinds.iter().map(Latency::count).sum()
    }

    /// Answers per second.
    pub fn rate(&self) -> f64 {
        self.count() as f64 / self.took.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Returns true if every request was sent and answered correctly.
    pub fn is_clean(&self) -> bool {
        self.unexpected == 0 && self.unsent == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_are_in_the_total() {
        let mut tally = Tally::default();
        for ms in [1, 100, 101, 300, 90_000] {
            tally.record(Kind::Login, Duration::from_millis(ms));
        }
        tally.record(Kind::Logout, Duration::from_millis(600));
        let slow = |it: &Latency| SLOW_MS.map(|ms| it.over(Duration::from_millis(ms)));
        assert_eq!(slow(tally.kind(Kind::Login)), [3, 2, 1]);
        assert_eq!(slow(&tally.total()), [4, 3, 2]);
        assert_eq!((tally.total().count(), tally.count()), (6, 6));
        // A longer latency is counted as a minute, not lost.
        assert!(tally.total().summary().max_ns >= 60_000_000_000);
    }
}
