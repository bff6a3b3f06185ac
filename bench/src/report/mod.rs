//! The report: every bench several times, as data and as charts.
//!
//! Each run is a process of its own, so that none inherits another's heap; rounds are interleaved, so that a busy
//! neighbour spoils one run of each bench and not all runs of one.
//!
//! - `rounds`: runs the benches and writes `runs.jsonl`;
//! - `peers`: what other platforms' programs took, from their driver's file;
//! - `sample`: medians;
//! - `figure`: which figures stand in which chart;
//! - `chart`: draws them.

mod chart;
mod figure;
mod peers;
mod rounds;
mod sample;

use crate::bench::Group;
use crate::failure::Failure;
use crate::process;
use clap::{Arg, ArgMatches, Command, value_parser};
use peers::Peers;
use std::env;
use std::fs;
use std::path::PathBuf;

/// The verb of the command line.
pub(crate) const VERB: &str = "report";

/// The charts and their files.
const CHARTS: [(Group, &str, &str); 3] = [
    (Group::Messages, "messages.svg", "Messages"),
    (Group::Creation, "creation.svg", "Creation"),
    (Group::Latency, "latency.svg", "Latency"),
];

pub(crate) fn command() -> Command {
    let path = |name, help| {
        Arg::new(name)
            .long(name)
            .value_parser(value_parser!(PathBuf))
            .help(help)
    };
    Command::new(VERB)
        .about("Runs all benches, and writes data and charts to bench/results")
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_name("N")
                .default_value("5")
                .value_parser(value_parser!(u64).range(1..))
                .help("How often each bench runs"),
        )
        .arg(path(
            "out",
            "Folder for data and charts [default: bench/results]",
        ))
        .arg(path(
            "peers",
            "Peers' runs: round,label,workload,metric,value",
        ))
}

/// What the report runs, beside this program's own options for each bench.
pub(crate) fn run(matches: &ArgMatches, options: &[String]) -> Result<(), Failure> {
    let rounds = *matches.get_one::<u64>("rounds").expect("has a default");
    let out = matches
        .get_one::<PathBuf>("out")
        .cloned()
        .unwrap_or_else(results);
    let peers = match matches.get_one::<PathBuf>("peers") {
        Some(path) => Peers::read(path)?,
        None => Peers::default(),
    };
    fs::create_dir_all(&out)?;
    let samples = rounds::run(rounds, options, &out.join("runs.jsonl"))?;
    let caption = format!(
        "{}; runs of each: {rounds}; bars are medians, lines go from the fastest to the slowest",
        process::machine()
    );
    for (group, file, title) in CHARTS {
        let sections = figure::sections(group, &samples, &peers);
        chart::draw(&out.join(file), title, &caption, &sections)?;
    }
    eprintln!("written to {}", out.display());
    Ok(())
}

/// `bench/results` of the workspace from which cargo runs this; of the current folder otherwise.
fn results() -> PathBuf {
    let bench = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| "bench".into(), PathBuf::from);
    bench.join("results")
}
