//! Distribution of the pauses of a whole system: a histogram for each kind, shared by all workers.

use super::pauses::ByPauseKind;
use crate::sync::{AtomicU64, Ordering};
use std::ops::Index;
use std::time::Duration;
use vivant_heap::PauseKind;

/// Buckets for each doubling: so a quantile is too large by a sixteenth at most.
const PER_DOUBLING: usize = 1 << PER_DOUBLING_BITS;
const PER_DOUBLING_BITS: u32 = 4;

/// Pauses of 2 to this power nanoseconds and more share the last bucket: four hours.
const LONGEST_BITS: u32 = 44;

/// The first doublings have a bucket for each nanosecond: `PER_DOUBLING` of them together.
const BUCKETS: usize = PER_DOUBLING * (LONGEST_BITS - PER_DOUBLING_BITS + 1) as usize;

/// The bucket of a pause.
fn bucket_of(ns: u64) -> usize {
    if ns < PER_DOUBLING as u64 {
        return ns as usize;
    }
    let doubling = ns.ilog2();
    let within = (ns >> (doubling - PER_DOUBLING_BITS)) as usize % PER_DOUBLING;
    let begins = (doubling - PER_DOUBLING_BITS + 1) as usize * PER_DOUBLING;
    (begins + within).min(BUCKETS - 1)
}

/// The longest pause that falls into a bucket; not valid for the last one.
fn longest_of(bucket: usize) -> u64 {
    let (doubling, within) = (bucket / PER_DOUBLING, bucket % PER_DOUBLING);
    match doubling {
        0 => within as u64,
        _ => ((PER_DOUBLING + within + 1) as u64) * (1 << (doubling - 1)) - 1,
    }
}

/// Pauses of one kind. Relaxed throughout: the numbers are independent of each other, and a read
/// during a pause may miss one in one place.
#[derive(Debug)]
struct Histogram {
    buckets: Box<[AtomicU64]>,
    total_ns: AtomicU64,
    longest_ns: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            buckets: Box::new([const { AtomicU64::new(0) }; BUCKETS]),
            total_ns: AtomicU64::new(0),
            longest_ns: AtomicU64::new(0),
        }
    }
}

/// The pauses of all actors of a system. Costs 5 KiB for each kind.
#[derive(Debug, Default)]
pub(crate) struct Histograms(ByPauseKind<Histogram>);

impl Histograms {
    /// Adds a pause. Any worker calls this, at any time: two additions, and a comparison.
    pub(crate) fn add(&self, kind: PauseKind, ns: u64) {
        let histogram = &self.0[kind];
        histogram.buckets[bucket_of(ns)].fetch_add(1, Ordering::Relaxed);
        histogram.total_ns.fetch_add(ns, Ordering::Relaxed);
        if histogram.longest_ns.load(Ordering::Relaxed) < ns {
            histogram.longest_ns.fetch_max(ns, Ordering::Relaxed);
        }
    }

    /// Resets all histograms to zero.
    pub(crate) fn forget(&self) {
        for (_, histogram) in self.0.iter() {
            let buckets = histogram.buckets.iter();
            let numbers = buckets.chain([&histogram.total_ns, &histogram.longest_ns]);
            numbers.for_each(|number| number.store(0, Ordering::Relaxed));
        }
    }

    pub(crate) fn read(&self) -> PauseDistributions {
        let by_kind = ByPauseKind::each(|kind| Buckets::of(&self.0[kind]));
        let mut all = Buckets::default();
        by_kind.iter().for_each(|(_, counted)| all.add(counted));
        PauseDistributions {
            all: all.distribution(),
            by_kind: ByPauseKind::each(|kind| by_kind[kind].distribution()),
        }
    }
}

/// A copy of a histogram at a time.
#[derive(Default)]
struct Buckets {
    buckets: Vec<u64>,
    total_ns: u64,
    longest_ns: u64,
}

impl Buckets {
    fn of(histogram: &Histogram) -> Buckets {
        let buckets = histogram.buckets.iter();
        Buckets {
            buckets: buckets.map(|it| it.load(Ordering::Relaxed)).collect(),
            total_ns: histogram.total_ns.load(Ordering::Relaxed),
            longest_ns: histogram.longest_ns.load(Ordering::Relaxed),
        }
    }

    fn add(&mut self, other: &Buckets) {
        self.buckets.resize(BUCKETS, 0);
        for (sum, one) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += one;
        }
        self.total_ns += other.total_ns;
        self.longest_ns = self.longest_ns.max(other.longest_ns);
    }

    fn distribution(&self) -> Distribution {
        let count: u64 = self.buckets.iter().sum();
        // The pause that `per_million` of a million pauses do not exceed.
        let at = |per_million: u64| {
            let rank = (u128::from(count) * u128::from(per_million)).div_ceil(1_000_000) as u64;
            let mut counted = 0;
            let reached = self.buckets.iter().position(|here| {
                counted += here;
                counted >= rank
            });
            match reached {
                Some(bucket) if bucket < BUCKETS - 1 && count > 0 => {
                    Duration::from_nanos(longest_of(bucket).min(self.longest_ns))
                }
                _ => Duration::from_nanos(self.longest_ns),
            }
        };
        Distribution {
            count,
            total: Duration::from_nanos(self.total_ns),
            p50: at(500_000),
            p99: at(990_000),
            p999: at(999_000),
            p9999: at(999_900),
            longest: Duration::from_nanos(self.longest_ns),
        }
    }
}

/// How long pauses took. A quantile is that of a histogram: never too small, and too large by a
/// sixteenth at most. In a simulation pauses take no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Distribution {
    /// Number of pauses.
    pub count: u64,
    /// Sum of their durations.
    pub total: Duration,
    /// Median: half of them took no longer.
    pub p50: Duration,
    /// 99 of 100 took no longer.
    pub p99: Duration,
    /// 999 of 1,000 took no longer.
    pub p999: Duration,
    /// 9,999 of 10,000 took no longer.
    pub p9999: Duration,
    /// The longest pause, exactly.
    pub longest: Duration,
}

/// Durations of the pauses of all actors of a system, including actors that have ended, since it
/// began or since [`System::forget_pauses`](crate::System::forget_pauses): of each kind (indexed by
/// [`PauseKind`]) and together. A read while actors pause may miss some of these pauses, or part of
/// the data of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct PauseDistributions {
    /// All kinds together.
    pub all: Distribution,
    by_kind: ByPauseKind<Distribution>,
}

impl PauseDistributions {
    /// All kinds with their distributions, in the order of [`PauseKind::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (PauseKind, &Distribution)> {
        self.by_kind.iter()
    }
}

impl Index<PauseKind> for PauseDistributions {
    type Output = Distribution;
    fn index(&self, kind: PauseKind) -> &Distribution {
        &self.by_kind[kind]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Duration {
        Duration::from_nanos(ns)
    }

    #[test]
    fn each_pause_is_in_its_bucket_and_buckets_are_a_sixteenth_wide() {
        let mut before = None;
        for bucket in 0..BUCKETS {
            let longest = longest_of(bucket);
            let shortest = before.map_or(0, |before: u64| before + 1);
            for pause in [shortest, longest] {
                assert_eq!(bucket_of(pause), bucket, "{pause} ns");
            }
            assert!((longest - shortest) * 16 <= longest, "bucket {bucket}");
            before = Some(longest);
        }
        assert_eq!(before, Some((1 << LONGEST_BITS) - 1));
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    #[cfg_attr(miri, ignore = "a hundred thousand additions")]
    fn quantiles_are_never_too_small_and_at_most_a_sixteenth_too_large() {
        let histograms = Histograms::default();
        for us in 1..=100_000 {
            histograms.add(PauseKind::Minor, us * 1_000);
        }
        let minor = histograms.read()[PauseKind::Minor];
        assert_eq!(minor.count, 100_000);
        assert_eq!(minor.longest, Duration::from_millis(100));
        assert_eq!(minor.total, Duration::from_micros(100_000 * 100_001 / 2));
        let quantiles = [
            (minor.p50, 50_000_000),
            (minor.p99, 99_000_000),
            (minor.p999, 99_900_000),
            (minor.p9999, 99_990_000),
        ];
        for (is, should_be) in quantiles {
            assert!(is >= ns(should_be), "{is:?} {should_be}");
            assert!(is <= ns(should_be / 16 * 17), "{is:?} {should_be}");
            assert!(is <= minor.longest);
        }
    }

    #[test]
    fn pauses_are_counted_by_kind_and_in_total() {
        let histograms = Histograms::default();
        (0..99).for_each(|_| histograms.add(PauseKind::Sweep, 7));
        histograms.add(PauseKind::Major, u64::MAX / 2);
        let read = histograms.read();
        assert_eq!((read[PauseKind::Sweep].p9999, read.all.p50), (ns(7), ns(7)));
        assert_eq!((read.all.count, read.all.p99), (100, ns(7)));
        assert_eq!(read.all.p999, ns(u64::MAX / 2), "longer than any bucket");
        assert_eq!(read[PauseKind::Major].p50, ns(u64::MAX / 2));
        assert_eq!(read[PauseKind::ReturnNursery], Distribution::default());
    }

    #[test]
    fn forgotten_pauses_are_not_counted() {
        let histograms = Histograms::default();
        histograms.add(PauseKind::Sweep, 7);
        histograms.forget();
        assert_eq!(histograms.read(), PauseDistributions::default());
        histograms.add(PauseKind::Sweep, 3);
        assert_eq!(histograms.read().all.longest, ns(3));
    }

    #[test]
    fn concurrent_additions_are_all_counted() {
        let histograms = Histograms::default();
        let each = if cfg!(miri) { 50 } else { 10_000 };
        std::thread::scope(|scope| {
            for thread in 1..=4 {
                let histograms = &histograms;
                scope.spawn(move || {
                    (0..each).for_each(|_| histograms.add(PauseKind::Minor, thread));
                });
            }
        });
        let minor = histograms.read()[PauseKind::Minor];
        assert_eq!((minor.count, minor.longest), (4 * each, ns(4)));
        assert_eq!(minor.total, ns(10 * each));
        assert_eq!(minor.p50, ns(2));
    }
}
