//! Waiting times: how long each operation took.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use vivant::codec::{Decoder, Encoder, LoadError, Saved, Shape};

/// Longer than anything here waits; what waits longer counts as this.
const LONGEST: Duration = Duration::from_secs(3_600);

/// Collects waiting times, to three digits.
#[derive(Debug)]
pub(crate) struct Latencies(Histogram<u64>);

/// The quantiles that are shown, in microseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) p999_us: f64,
    pub(crate) p9999_us: f64,
    pub(crate) max_us: f64,
}

impl Latencies {
    pub(crate) fn new() -> Latencies {
        let longest = LONGEST.as_nanos() as u64;
        Latencies(Histogram::new_with_bounds(1, longest, 3).expect("three digits are allowed"))
    }

    pub(crate) fn record(&mut self, time: Duration) {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.0.saturating_record(ns);
    }

    /// Also those of another one.
    pub(crate) fn extend(&mut self, other: &Latencies) {
        self.0.add(&other.0).expect("both have one range");
    }

    pub(crate) fn quantiles(&self) -> Quantiles {
        let at = |q| self.0.value_at_quantile(q) as f64 / 1e3;
        Quantiles {
            p50_us: at(0.5),
            p99_us: at(0.99),
            p999_us: at(0.999),
            p9999_us: at(0.9999),
            max_us: self.0.max() as f64 / 1e3,
        }
    }
}

/// An image has none of them.
impl<'gc> Saved<'gc> for Latencies {
    const SHAPE: &'static Shape = <() as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        ().save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Latencies, LoadError> {
        <()>::load(input)?;
        Ok(Latencies::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_in_microseconds() {
        let mut latencies = Latencies::new();
        (1..=1000).for_each(|us| latencies.record(Duration::from_micros(us)));
        let quantiles = latencies.quantiles();
        assert!((quantiles.p50_us - 500.0).abs() < 1.0, "{quantiles:?}");
        assert!((quantiles.max_us - 1000.0).abs() < 1.0, "{quantiles:?}");
    }
}
