//! Latencies that were met.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use vivant::Object;

/// Latencies are kept to three digits, in nanoseconds, up to a minute.
const LATENCY_NS_MAX: u64 = 60_000_000_000;

/// How many had which latency.
#[derive(Object, Clone, Debug, PartialEq)]
#[object(leaf)]
pub struct Latency {
    ns: Histogram<u64>,
}

impl Default for Latency {
    fn default() -> Self {
        Latency {
            ns: Histogram::new_with_max(LATENCY_NS_MAX, 3).expect("the bounds are constants"),
        }
    }
}

impl Latency {
    /// One more.
    pub fn record(&mut self, latency: Duration) {
        self.ns.saturating_record(latency.as_nanos() as u64);
    }

    /// All of another.
    pub fn add(&mut self, other: &Latency) {
        (self.ns.add(&other.ns)).expect("all have the same bounds");
    }

    /// How many.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ns.len()
    }

    /// What is reported of it.
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

/// What is reported of latencies: how many there were, and which of them this share did not exceed.
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
        assert_eq!(summary.count, 6);
        assert!(summary.max_ns >= LATENCY_NS_MAX);
        assert!((100_000_000..100_100_000).contains(&summary.p50_ns));
    }
}
