//! `compare`: this build beside another build of this program, for the regressions of a change.
//!
//! Each line of [`LINES`] runs in both programs, one after the other, and a round later in the
//! other order. So what the machine does meanwhile is in the values of both.
//!
//! A machine only ever adds to a time: of times, the ratio is that of the least value of each
//! program (Chen and Revels, *Robust benchmarking in noisy environments*, 2016). Of other figures
//! it is the median of the rounds' ratios. The first run of a line after another line gets memory
//! that the system has to map and to clear: one pair, which is not counted, takes that upon itself.

use crate::failure::Failure;
use crate::process;
use clap::{Arg, ArgAction, ArgMatches, Command as Verb, value_parser};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The verb of the command line.
pub(crate) const VERB: &str = "compare";

/// The benches and their arguments: all with a fixed amount of work, in sizes of about a second.
/// Those of a fixed duration (`echo`, `fairness`, `hello`, `idle`, `soak`) show a change in figures
/// of their own; `fanout_val` counts its operations.
const LINES: &[&str] = &[
    "threadring",
    "threadring_shuffled",
    "pingpong --round_trips 4000000",
    "ask --round_trips 4000000",
    "ask_chain --chains 1000000",
    "rings --hops 200000",
    "chameneos3 --meetings 3000000",
    "chameneos10 --meetings 3000000",
    "mailbox",
    "mailbox_burst",
    "count --messages 10000000",
    "big --pings 60000",
    "bndbuffer --items 20000 --producer_cost 0 --consumer_cost 0",
    "logmap --terms 100000",
    "guard_closed --waiting 4000000 --turns 4000000",
    "guard_released --waiting 4000000",
    "synchronizer",
    "fib --n 30",
    "fjcreate --actors 300000",
    "restarts",
    "fair_cost --rounds 1",
    "spawn",
    "cycles",
    "wait_cycles",
    "fjthrput --messages 100000",
    "concdict --requests 50000",
    "concsll",
    "philosopher --meals 100000",
    "barber --haircuts 100000",
    "cigsmok --rounds 1000000",
    "banking --transfers 1000000",
    "radixsort",
    "uct",
    "trapezoid",
    "astar --grid 60",
    "nqueenk",
    "refcount",
    "bias",
    "gcbench_single --pointer brc",
    "gcbench_multi --pointer brc",
    "json --pointer brc",
    "raytrace --pointer brc",
    "dna --pointer brc",
    "server_json --pointer brc",
    "server_blog --pointer brc",
    "queued --pointer brc --ratio 0.5",
    "trees",
    "trees2 --trees 200",
    "server14",
    "server8",
    "gcbench",
    "list_alloc --links 30000000",
    "small_heaps",
    "kv_store --side collected --entries 2000000 --operations 6000000",
    "kv_store --side collected --entries 2000000 --requests single",
    "rewrites --turns 3000 --marks both",
    "text_search --shards 200",
    "edit_distance --strings 12",
    "occupancy",
    "heap_alloc --side heap --rounds 1",
    "heap_trees --side heap --rounds 1",
    "heap_list --side heap --rounds 1",
    "heap_old --side heap --rounds 3",
    "heap_server14 --side heap --rounds 1",
    "heap_server8 --side heap --rounds 1",
    "heap_gcbench --side heap --rounds 3",
    "collections --rounds 3",
    "persistent --rounds 1",
    "heavyring",
    "handover",
    "bigring",
    "fanout --settle 100",
    "fanout_val --versions 200",
    "orca --settle 100",
    "idle_snapshot --actors 300000",
    "no_collector --rounds 1 --collector on",
];

/// Rows of other pointers, libraries and allocators, which a change of this project does not reach.
const OTHERS: &[&str] = &[
    "arc",
    "arc_contended",
    "box",
    "hybrid_contended",
    "hybrid_local",
    "hybrid_shared",
    "im",
    "imbl",
    "rc",
    "rpds",
    "std",
    "std_fixed",
    "triomphe",
    "triomphe_contended",
];

/// The figures that are compared, as rows name them, the heads of their columns, and the least
/// value that is compared: smaller ones are within the resolution of what measures them. Times are
/// those of an operation.
const FIGURES: &[(&str, &str, f64, Summary)] = &[
    ("cpu_s", "cpu", 0.01, Summary::OfLeast),
    ("ns_per_op", "wall", 0.0, Summary::OfLeast),
    ("peak_rss_bytes", "peak", 0.0, Summary::Median),
    ("p999_us", "p99.9", 10.0, Summary::Median),
    ("pauses_s", "pauses", 0.001, Summary::Median),
    ("reclaimed_ms", "reclaimed", 1.0, Summary::Median),
];

/// How the ratio of two programs follows from their values.
#[derive(Clone, Copy)]
enum Summary {
    /// The least value of this build by the least value of the other.
    OfLeast,
    /// The median of the rounds' ratios.
    Median,
}

/// The part of a row that is compared.
#[derive(Deserialize)]
struct Row {
    bench: String,
    params: Map<String, Value>,
    #[serde(flatten)]
    figures: Map<String, Value>,
}

/// The values of one row's figures: a pair, of this build and of the other, for each round.
type Pairs = BTreeMap<&'static str, Vec<[f64; 2]>>;

/// A line of the data.
#[derive(Serialize)]
struct Line<'r> {
    row: &'r str,
    /// The ratio of each figure, and the least and the largest ratio of a round.
    ratios: BTreeMap<&'static str, [f64; 3]>,
}

pub(crate) fn command() -> Verb {
    let path = |name, help| {
        Arg::new(name)
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    Verb::new(VERB)
        .about("This build beside another build of this program, in interleaved pairs")
        .arg(path("other", "The other build").required(true))
        .arg(
            Arg::new("bench")
                .action(ArgAction::Append)
                .help("Only these benches"),
        )
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_name("N")
                .default_value("6")
                .value_parser(value_parser!(usize))
                .help("Pairs of runs of each bench; an even number has both orders alike"),
        )
        .arg(path("out", "A file for the ratios, as lines of JSON").long("out"))
}

/// Runs the pairs, and prints the ratios. `options` go to each bench.
pub(crate) fn run(matches: &ArgMatches, options: &[String]) -> Result<(), Failure> {
    let rounds = *matches.get_one::<usize>("rounds").expect("has a default");
    let other = matches.get_one::<PathBuf>("other").expect("is required");
    let chosen: Vec<&String> = matches.get_many("bench").unwrap_or_default().collect();
    let this = env::current_exe()?;
    let mut all: BTreeMap<String, Pairs> = BTreeMap::new();
    for line in LINES {
        let name = line.split(' ').next().unwrap_or_default();
        if !chosen.is_empty() && !chosen.iter().any(|it| *it == name) {
            continue;
        }
        eprintln!("{line}");
        for round in 0..=rounds {
            let (ours, others) = if round % 2 == 0 {
                let ours = rows(&this, line, options)?;
                (ours, rows(other, line, options)?)
            } else {
                let others = rows(other, line, options)?;
                (rows(&this, line, options)?, others)
            };
            if round != 0 {
                take(&mut all, &ours, &others);
            }
        }
    }
    show(&all, &mut io::stdout().lock())?;
    if let Some(path) = matches.get_one::<PathBuf>("out") {
        write(&all, rounds, &mut File::create(path)?)?;
    }
    Ok(())
}

/// The rows of a run, by bench and parameters.
fn rows(
    program: &Path,
    line: &str,
    options: &[String],
) -> Result<BTreeMap<String, Map<String, Value>>, Failure> {
    let output = Command::new(program)
        .args(line.split(' '))
        .arg("--json")
        .args(options.iter().filter(|option| *option != "--json"))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        let what = format!("{}: {line} ended with {}", program.display(), output.status);
        return Err(Failure::Child(what));
    }
    let mut rows = BTreeMap::new();
    for text in String::from_utf8_lossy(&output.stdout).lines() {
        let row: Row = serde_json::from_str(text).map_err(io::Error::from)?;
        let is_other = |it: &Value| it.as_str().is_some_and(|word| OTHERS.contains(&word));
        if !row.params.values().any(is_other) {
            rows.insert(label(&row, line), row.figures);
        }
    }
    Ok(rows)
}

/// The bench, the parameters that are words or stand in `line`, and those by which a run's rows
/// differ.
fn label(row: &Row, line: &str) -> String {
    let mut label = row.bench.clone();
    for (name, value) in &row.params {
        let chosen = line.contains(&format!("--{name} ")) || name == "depth";
        match value {
            Value::String(word) if word != "wall" => label.push_str(&format!(" {name}={word}")),
            value if chosen => label.push_str(&format!(" {name}={value}")),
            _ => {}
        }
    }
    label
}

/// Adds a pair of each figure of each row that both programs have.
fn take(
    all: &mut BTreeMap<String, Pairs>,
    ours: &BTreeMap<String, Map<String, Value>>,
    others: &BTreeMap<String, Map<String, Value>>,
) {
    for (label, figures) in ours {
        let Some(other) = others.get(label) else {
            continue;
        };
        let value = |of: &Map<String, Value>, figure: &str, least: f64| {
            let field = |name| of.get(name).and_then(Value::as_f64);
            let value = field(figure).filter(|it| *it > 0.0 && *it >= least)?;
            match figure {
                "cpu_s" => Some(value / field("ops")?),
                _ => Some(value),
            }
        };
        let row = all.entry(label.clone()).or_default();
        for (figure, _, least, _) in FIGURES {
            let pair = (value(figures, figure, *least), value(other, figure, *least));
            if let (Some(ours), Some(other)) = pair {
                row.entry(figure).or_default().push([ours, other]);
            }
        }
    }
}

/// The ratio, and the least and the largest one of a round. `pairs` has one.
fn ratio(summary: Summary, pairs: &[[f64; 2]]) -> [f64; 3] {
    let mut sorted: Vec<f64> = pairs.iter().map(|[ours, other]| ours / other).collect();
    sorted.sort_by(f64::total_cmp);
    let least = |of: usize| pairs.iter().map(|it| it[of]).fold(f64::INFINITY, f64::min);
    let ratio = match summary {
        Summary::OfLeast => least(0) / least(1),
        Summary::Median => f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]),
    };
    [ratio, sorted[0], sorted[sorted.len() - 1]]
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

fn show(all: &BTreeMap<String, Pairs>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{:<78}", "this build / the other")?;
    for (_, head, ..) in FIGURES {
        write!(out, "{head:>10}")?;
    }
    writeln!(out)?;
    let mut ratios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (label, pairs) in all {
        write!(out, "{label:<78}")?;
        for (figure, .., summary) in FIGURES {
            match pairs.get(figure) {
                Some(pairs) => {
                    let [ratio, ..] = ratio(*summary, pairs);
                    ratios.entry(figure).or_default().push(ratio);
                    write!(out, "{ratio:>10.3}")?;
                }
                None => write!(out, "{:>10}", "")?,
            }
        }
        writeln!(out)?;
    }
    write!(out, "{:<78}", "geometric mean")?;
    for (figure, ..) in FIGURES {
        match ratios.get(figure) {
            Some(ratios) => write!(out, "{:>10.3}", geometric_mean(ratios))?,
            None => write!(out, "{:>10}", "")?,
        }
    }
    writeln!(out)
}

fn write(all: &BTreeMap<String, Pairs>, rounds: usize, out: &mut impl Write) -> io::Result<()> {
    let head = serde_json::json!({ "machine": process::machine(), "rounds": rounds });
    writeln!(out, "{head}")?;
    for (row, pairs) in all {
        let ratios = FIGURES.iter().filter_map(|(figure, .., summary)| {
            Some((*figure, ratio(*summary, pairs.get(figure)?)))
        });
        let line = Line {
            row,
            ratios: ratios.collect(),
        };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Bench, Group};

    #[test]
    fn each_bench_of_a_fixed_amount_of_work_is_compared() {
        // The last two: one waits for actors to be idle, one counts and has no times.
        let by_duration = [
            "echo",
            "fairness",
            "hello",
            "idle",
            "object_cycles",
            "shares",
        ];
        for bench in crate::BENCHES {
            let compared = LINES
                .iter()
                .any(|line| line.split(' ').next() == Some(bench.name));
            let fixed = bench.group != Group::Soak && !by_duration.contains(&bench.name);
            assert_eq!(compared, fixed, "{}", bench.name);
        }
        for line in LINES {
            let name = line.split(' ').next().unwrap();
            assert!(Bench::named(name).is_some(), "{line}");
        }
    }

    #[test]
    fn canary_a_slower_build_is_shown() {
        let rows = |cpu: f64, peak: f64| {
            let figures = serde_json::json!({ "cpu_s": cpu, "peak_rss_bytes": peak, "ops": 3 });
            BTreeMap::from([("a".to_owned(), figures.as_object().unwrap().clone())])
        };
        let mut all: BTreeMap<String, Pairs> = BTreeMap::new();
        for (cpu, other, peak) in [(1.2, 1.0, 1.0), (3.0, 1.5, 3.0), (1.6, 2.0, 1.1)] {
            take(&mut all, &rows(cpu, peak), &rows(other, 1.0));
        }
        let row = |figure| &all["a"][figure];
        assert_eq!(ratio(Summary::OfLeast, row("cpu_s")), [1.2, 0.8, 2.0]);
        assert_eq!(
            ratio(Summary::Median, row("peak_rss_bytes")),
            [1.1, 1.0, 3.0]
        );
        let mut text = Vec::new();
        show(&all, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(&format!("1.200{:>20.3}", 1.1)), "{text}");
    }

    #[test]
    fn values_within_the_resolution_are_not_compared() {
        let figures = serde_json::json!({ "cpu_s": 0.009, "ns_per_op": 2.0, "ops": 3 });
        let rows = BTreeMap::from([("a".to_owned(), figures.as_object().unwrap().clone())]);
        let mut all = BTreeMap::new();
        take(&mut all, &rows, &rows);
        assert_eq!(all["a"].keys().collect::<Vec<_>>(), [&"ns_per_op"]);
    }

    #[test]
    fn rows_are_told_apart_by_words_and_by_chosen_numbers() {
        let row: Row = serde_json::from_value(serde_json::json!({
            "bench": "heavyring", "params": {"actors": 64, "depth": 8, "tree": "iso"}, "cpu_s": 1.0
        }))
        .unwrap();
        assert_eq!(label(&row, "heavyring"), "heavyring depth=8 tree=iso");
        assert_eq!(
            label(&row, "heavyring --actors 64"),
            "heavyring actors=64 depth=8 tree=iso"
        );
    }
}
