//! A recorder that keeps everything.

use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// What was recorded, by keys written `name{label=value,…}`.
#[derive(Clone, Default)]
pub(crate) struct Recorded(Arc<Mutex<Record>>);

#[derive(Default)]
struct Record {
    series: BTreeMap<String, Arc<Series>>,
    described: BTreeSet<String>,
}

/// One counter or histogram.
#[derive(Default)]
struct Series {
    count: Mutex<u64>,
    values: Mutex<Vec<f64>>,
}

impl Recorded {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().expect("no test panics in here")
    }

    fn series(&self, key: &Key) -> Arc<Series> {
        let labels: Vec<_> = key
            .labels()
            .map(|label| format!("{}={}", label.key(), label.value()))
            .collect();
        let key = format!("{}{{{}}}", key.name(), labels.join(","));
        self.record().series.entry(key).or_default().clone()
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.record().series.keys().cloned().collect()
    }

    /// The value of a counter; zero, if there is none.
    pub(crate) fn count(&self, key: &str) -> u64 {
        let series = self.record().series.get(key).cloned();
        series.map_or(0, |series| *series.count.lock().expect("as above"))
    }

    /// The values of a histogram.
    pub(crate) fn values(&self, key: &str) -> Vec<f64> {
        let series = self.record().series.get(key).cloned();
        series.map_or_else(Vec::new, |series| {
            series.values.lock().expect("as above").clone()
        })
    }

    /// The names that were described.
    pub(crate) fn described(&self) -> BTreeSet<String> {
        self.record().described.clone()
    }

    fn describe(&self, name: &KeyName) {
        self.record().described.insert(name.as_str().to_owned());
    }
}

impl Recorder for Recorded {
    fn describe_counter(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
        self.describe(&name);
    }

    fn describe_gauge(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
        self.describe(&name);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
        assert_eq!(unit, Some(Unit::Seconds));
        self.describe(&name);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.series(key))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        panic!("the runtime has no gauges")
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.series(key))
    }
}

impl CounterFn for Series {
    fn increment(&self, value: u64) {
        *self.count.lock().expect("as above") += value;
    }

    fn absolute(&self, value: u64) {
        *self.count.lock().expect("as above") = value;
    }
}

impl HistogramFn for Series {
    fn record(&self, value: f64) {
        self.values.lock().expect("as above").push(value);
    }
}
