//! Latencies that were measured.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Latencies are kept to three digits, in nanoseconds, up to a minute.
const NS_MAX: u64 = 60_000_000_000;

/// A histogram of latencies. A latency of more than a minute counts as a minute.
#[derive(Clone, Debug, PartialEq)]
pub struct Latency {
    ns: Histogram<u64>,
}

impl Default for Latency {
    fn default() -> Self {
        Latency {
            ns: Histogram::new_with_max(NS_MAX, 3).expect("the bounds are constants"),
        }
    }
}

impl Latency {
    /// Adds one latency.
    pub fn record(&mut self, latency: Duration) {
        self.ns.saturating_record(latency.as_nanos() as u64);
    }

    /// Adds all latencies of another histogram.
    pub fn add(&mut self, other: &Latency) {
        (self.ns.add(&other.ns)).expect("all have the same bounds");
    }

    /// Returns the number of latencies.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ns.len()
    }

    /// Returns the number of latencies above a limit. The limit has three digits, as they have.
    #[must_use]
    pub fn over(&self, limit: Duration) -> u64 {
        self.count() - self.ns.count_between(0, limit.as_nanos() as u64)
    }

    /// Returns the mean in nanoseconds, with three digits as the latencies have. 0: there are none.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        self.ns.mean()
    }

    /// Returns the distinct latencies in ascending order, in nanoseconds, with their counts.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let recorded = self.ns.iter_recorded();
        recorded.map(|it| (it.value_iterated_to(), it.count_at_value()))
    }

    /// Returns what reports have of it.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            count: self.ns.len(),
            p50_ns: self.ns.value_at_quantile(0.5),
            p99_ns: self.ns.value_at_quantile(0.99),
            p99_9_ns: self.ns.value_at_quantile(0.999),
            p99_99_ns: self.ns.value_at_quantile(0.9999),
            max_ns: self.ns.max(),
        }
    }
}

/// The number of latencies, and their quantiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it, units included")]
pub struct Summary {
    pub count: u64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub p99_9_ns: u64,
    pub p99_99_ns: u64,
    pub max_ns: u64,
}

/// A time with three digits.
#[must_use]
pub fn readable(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => (ns as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    let digits = match value {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_than_a_minute_is_not_lost() {
        let mut latency = Latency::default();
        for ms in [1, 100, 90_000] {
            latency.record(Duration::from_millis(ms));
        }
        let mut both = Latency::default();
        both.add(&latency);
        both.add(&latency);
        let summary = both.summary();
        assert_eq!((both.count(), summary.count), (6, 6));
        assert!(summary.max_ns >= NS_MAX);
        assert!((100_000_000..100_100_000).contains(&summary.p50_ns));
    }

    #[test]
    fn slow_requests_are_counted_at_each_limit() {
        let mut latency = Latency::default();
        for ms in [1, 100, 101, 300, 90_000] {
            latency.record(Duration::from_millis(ms));
        }
        let over = [100, 200, 500].map(|ms| latency.over(Duration::from_millis(ms)));
        assert_eq!(over, [3, 2, 1]);
    }

    #[test]
    fn a_slow_request_is_in_the_mean() {
        let mut latency = Latency::default();
        assert!(latency.mean_ns().abs() < 1.0);
        for ms in [1, 2, 6] {
            latency.record(Duration::from_millis(ms));
        }
        assert!((latency.mean_ns() - 3e6).abs() < 3e3);
    }

    #[test]
    fn times_are_readable() {
        let written = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (1_234, "1.23 µs"),
            (12_345, "12.3 µs"),
            (123_456, "123 µs"),
            (1_234_567, "1.23 ms"),
            (45_600_000, "45.6 ms"),
            (123_456_789, "123 ms"),
            (1_234_567_890, "1.23 s"),
            (7_000_000_000, "7.00 s"),
        ];
        for (ns, text) in written {
            assert_eq!(readable(ns), text);
        }
    }
}
