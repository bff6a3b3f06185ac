//! The times of the peers' programs, from their driver's file: lines
//! `round,label,workload,metric,value`.
//!
//! Failed runs do not count.

use super::sample::{Runs, Sample};
use crate::bench::Bench;
use crate::failure::Failure;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

/// Ours, which the report measures itself.
const OURS: &str = "vivant";

#[derive(Deserialize)]
struct Line {
    round: String,
    label: String,
    workload: String,
    metric: String,
    value: f64,
}

/// Metrics of one run of one program.
type Metrics = BTreeMap<String, f64>;

/// All runs: by workload, label, round.
#[derive(Default)]
pub(super) struct Peers(BTreeMap<String, BTreeMap<String, BTreeMap<String, Metrics>>>);

impl Peers {
    pub(super) fn read(path: &Path) -> Result<Peers, Failure> {
        let file = std::fs::File::open(path).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        Peers::parse(file)
    }

    fn parse(text: impl Read) -> Result<Peers, Failure> {
        let mut peers = Peers::default();
        let mut lines = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text);
        for line in lines.deserialize() {
            let line: Line = line.map_err(io::Error::other)?;
            if line.label != OURS {
                peers
                    .0
                    .entry(line.workload)
                    .or_default()
                    .entry(line.label)
                    .or_default()
                    .entry(line.round)
                    .or_default()
                    .insert(line.metric, line.value);
            }
        }
        Ok(peers)
    }

    /// Nanoseconds an operation of those that have this bench, by label.
    pub(super) fn ns_per_op(&self, bench: &Bench) -> Vec<(String, Sample)> {
        let (Some(ops), Some(labels)) = (bench.peer_ops, self.0.get(bench.name)) else {
            return Vec::new();
        };
        labels
            .iter()
            .map(|(label, runs)| (label.clone(), wall_ms(runs).times(1e6 / ops as f64)))
            .filter(|(_, sample)| !sample.is_empty())
            .collect()
    }
}

fn wall_ms(runs: &BTreeMap<String, Metrics>) -> Sample {
    let mut wall = Runs::default();
    for run in runs.values().filter(|run| !run.contains_key("FAILED")) {
        if let Some(ms) = run.get("wall_ms") {
            wall.push(*ms, run.get("others_busy_cores").copied());
        }
    }
    wall.counted().clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
1,actix,threadring,wall_ms,700
1,actix,threadring,others_busy_cores,0.9
2,actix,threadring,wall_ms,600
2,actix,threadring,others_busy_cores,0.01
3,actix,threadring,wall_ms,1
3,actix,threadring,FAILED,1
1,go,threadring,wall_ms,1300
1,vivant,threadring,wall_ms,5
";

    #[test]
    fn quiet_runs_are_preferred_and_failed_ones_left_out() {
        let peers = Peers::parse(TEXT.as_bytes()).unwrap();
        let found = peers.ns_per_op(Bench::named("threadring").unwrap());
        let medians: Vec<_> = found
            .iter()
            .map(|(label, it)| (label.as_str(), it.median()))
            .collect();
        assert_eq!(medians, [("actix", 60.0), ("go", 130.0)]);
        assert!(peers.ns_per_op(Bench::named("big").unwrap()).is_empty());
    }

    #[test]
    fn a_line_that_is_no_measurement_is_an_error() {
        assert!(Peers::parse(&b"1,actix,threadring,wall_ms,much\n"[..]).is_err());
    }
}
