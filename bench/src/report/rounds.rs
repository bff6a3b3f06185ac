//! Runs benches in rounds, each in a process of its own.

use super::sample::Runs;
use crate::bench::Bench;
use crate::failure::Failure;
use crate::process::{self, Busy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::iter;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// All values of one figure of one bench: by bench (`echo idle`, `queued arc 0.3`), then by field
/// (`ns_per_op`).
pub(super) type Samples = BTreeMap<String, Figures>;

/// Of one bench, by field.
pub(super) type Figures = BTreeMap<String, Runs>;

/// Parameters in which the rows of one run differ, as they stand behind the bench's name.
const LABELS: [&str; 4] = ["mode", "variant", "pointer", "ratio"];

/// The part of a row that the charts use.
#[derive(Deserialize)]
struct Read {
    bench: String,
    params: Map<String, Value>,
    #[serde(flatten)]
    figures: Map<String, Value>,
}

/// A line of the data: the row, when it was measured, and how many processors others used
/// meanwhile.
#[derive(Serialize)]
struct Line<'r> {
    round: u64,
    others_busy_cores: f64,
    #[serde(flatten)]
    row: &'r Map<String, Value>,
}

/// Runs `rounds` rounds, writes every row to `data`, and gathers the figures.
pub(super) fn run(
    benches: &[&Bench],
    rounds: u64,
    options: &[String],
    data: &Path,
) -> Result<Samples, Failure> {
    let mut data = File::create(data)?;
    let machine = Map::from_iter([("machine".to_owned(), process::machine().into())]);
    write(&mut data, &machine)?;
    let mut samples = Samples::new();
    for round in 1..=rounds {
        for bench in benches {
            eprintln!("round {round} of {rounds}: {}", bench.name);
            let (before, began) = (Busy::now(), Instant::now());
            let rows = rows(bench, options)?;
            let others_busy_cores = Busy::now().others_since(before, began.elapsed());
            for row in rows.lines() {
                let row = serde_json::from_str(row).map_err(io::Error::from)?;
                let line = Line {
                    round,
                    others_busy_cores,
                    row: &row,
                };
                write(&mut data, &line)?;
                gather(&mut samples, row, others_busy_cores)?;
            }
        }
    }
    Ok(samples)
}

fn write(data: &mut File, line: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(line).map_err(io::Error::from)?;
    writeln!(data, "{line}")?;
    Ok(())
}

/// The output of a run of the bench.
fn rows(bench: &Bench, options: &[String]) -> Result<String, Failure> {
    let output = Command::new(env::current_exe()?)
        .args([bench.name, "--json"])
        .args(options)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        let what = format!("{} ended with {}", bench.name, output.status);
        return Err(Failure::Child(what));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn gather(samples: &mut Samples, row: Map<String, Value>, others_busy: f64) -> Result<(), Failure> {
    let read: Read = serde_json::from_value(row.into()).map_err(io::Error::from)?;
    let label = |name| read.params.get(name).and_then(Value::as_str);
    let words: Vec<_> = iter::once(read.bench.as_str())
        .chain(LABELS.into_iter().filter_map(label))
        .collect();
    let figures = samples.entry(words.join(" ")).or_default();
    for (field, value) in read.figures {
        if let Some(value) = value.as_f64() {
            figures
                .entry(field)
                .or_default()
                .push(value, Some(others_busy));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_gathered_by_bench_mode_and_field() {
        let mut samples = Samples::new();
        for us in [3.0, 1.0, 2.0] {
            let row = serde_json::json!({
                "bench": "echo", "params": {"mode": "hot"}, "p50_us": us, "check": "all"
            });
            gather(&mut samples, row.as_object().unwrap().clone(), 0.0).unwrap();
        }
        assert_eq!(samples["echo hot"]["p50_us"].counted().median(), 2.0);
        assert_eq!(samples["echo hot"].len(), 1);
    }
}
