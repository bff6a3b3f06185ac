//! Latencies that were met.

use hdrhistogram::Histogram;
use std::time::Duration;

/// Latencies are kept to three digits, in nanoseconds, up to a minute.
const LATENCY_NS_MAX: u64 = 60_000_000_000;

/// How many had which latency.
#[derive(Clone, Debug, PartialEq)]
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

    /// The latency that this share did not exceed, in nanoseconds.
    #[must_use]
    pub fn quantile_ns(&self, share: f64) -> u64 {
        self.ns.value_at_quantile(share)
    }

    /// The greatest, in nanoseconds.
    #[must_use]
    pub fn max_ns(&self) -> u64 {
        self.ns.max()
    }

    /// Latencies in nanoseconds and how many had them, in their order.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let recorded = self.ns.iter_recorded();
        recorded.map(|it| (it.value_iterated_to(), it.count_at_value()))
    }
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
        assert_eq!(latency.count(), 3);
        assert!(latency.max_ns() >= LATENCY_NS_MAX);
        assert!((100_000_000..100_100_000).contains(&latency.quantile_ns(0.5)));
    }
}
