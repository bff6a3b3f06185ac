//! Rows: one line of the output for each run.

use crate::bench::Bench;
use crate::latency::Quantiles;
use crate::meter::Spent;
use crate::param::{Params, Value};
use crate::process;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The result of a bench. A child process prints it without its check and parameters.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) spent: Spent,
    pub(crate) ops: u64,
    /// The result, which was checked.
    #[serde(skip)]
    pub(crate) check: String,
    pub(crate) latency: Option<Quantiles>,
    /// Of a child process, where that was measured; of this one otherwise.
    pub(crate) peak_rss: Option<u64>,
    /// Figures that only this bench has.
    extra: BTreeMap<String, serde_json::Value>,
    /// Parameters that differ from the run's, because one run gave several rows.
    #[serde(skip)]
    pub(crate) params: Vec<(&'static str, Value)>,
}

impl Figures {
    pub(crate) fn new(spent: Spent, ops: u64, check: String) -> Figures {
        Figures {
            spent,
            ops,
            check,
            latency: None,
            peak_rss: None,
            extra: BTreeMap::new(),
            params: Vec::new(),
        }
    }

    /// Adds a figure that only this bench has.
    pub(crate) fn add(&mut self, name: &str, value: impl Into<serde_json::Value>) {
        self.extra.insert(name.to_owned(), value.into());
    }

    /// A figure that only this bench has.
    pub(crate) fn own(&self, name: &str) -> Option<&serde_json::Value> {
        self.extra.get(name)
    }

    /// Adds the time as a multiple of the time of `base`.
    pub(crate) fn add_relative_time(&mut self, base: Spent) {
        let time = self.spent.wall.as_secs_f64() / base.wall.as_secs_f64();
        self.add("relative_time", time);
    }
}

/// One line of the output.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The bench's name.
    pub bench: &'static str,
    /// The parameters of the run; `threads` are the workers.
    pub params: Params,
    /// Seconds by the clock.
    pub wall_s: f64,
    /// Seconds of processors, by all threads of the process, in user and in system mode.
    pub cpu_s: f64,
    /// Operations; what one is, the bench says.
    pub ops: u64,
    /// Nanoseconds by the clock for each of them.
    pub ns_per_op: f64,
    /// The largest resident size of the process; 0 where the system does not report it.
    pub peak_rss_bytes: u64,
    /// The result, which was checked.
    pub check: String,
    #[serde(flatten)]
    latency: Option<Quantiles>,
    #[serde(flatten)]
    extra: BTreeMap<String, serde_json::Value>,
}

impl Row {
    pub(crate) fn new(bench: &Bench, run: &Run, figures: Figures) -> Row {
        let mut params = run.params.clone();
        params.set("threads", Value::Count(run.threads as u64));
        for (name, value) in figures.params {
            params.set(name, value);
        }
        let wall = figures.spent.wall;
        Row {
            bench: bench.name,
            params,
            wall_s: wall.as_secs_f64(),
            cpu_s: figures.spent.cpu.as_secs_f64(),
            ops: figures.ops,
            ns_per_op: wall.as_nanos() as f64 / figures.ops as f64,
            peak_rss_bytes: figures.peak_rss.unwrap_or_else(process::peak_rss),
            check: figures.check,
            latency: figures.latency,
            extra: figures.extra,
        }
    }
}

impl Row {
    /// A figure that only this bench has.
    pub(crate) fn own(&self, name: &str) -> Option<&serde_json::Value> {
        self.extra.get(name)
    }
}

/// For people; programs read the JSON.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<20} {:>12.1} ns/op {:>10} ops {:>8.3} s {:>8.3} s cpu {:>8.1} MiB",
            self.bench,
            self.ns_per_op,
            self.ops,
            self.wall_s,
            self.cpu_s,
            self.peak_rss_bytes as f64 / f64::from(1 << 20),
        )?;
        if let Some(it) = self.latency {
            write!(
                f,
                "  p50 {:.1} p99 {:.1} p99.9 {:.1} p99.99 {:.1} max {:.1} us",
                it.p50_us, it.p99_us, it.p999_us, it.p9999_us, it.max_us
            )?;
        }
        for (name, value) in &self.extra {
            write!(f, "  {name} {value}")?;
        }
        for (name, value) in self.params.iter() {
            if let Value::Choice(word) = value {
                write!(f, "  {name} {word}")?;
            }
        }
        write!(f, "  ({})", self.check)
    }
}
