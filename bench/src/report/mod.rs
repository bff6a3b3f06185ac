//! The report: every bench several times, as data and as charts.
//!
//! Each run is a process of its own, so that none inherits another's heap. Rounds are interleaved,
//! so that other load spoils one run of each bench and not all runs of one.
//!
//! - `part`: the benches, data and charts that belong together;
//! - `rounds`: runs the benches and writes their data;
//! - `peers`: the times of other platforms' programs, from their driver's file;
//! - `sample`: medians;
//! - `figure`, `counted`: the numbers in each chart;
//! - `chart`: draws them as bars;
//! - `sweep`: draws a number over a parameter.

mod chart;
mod counted;
mod figure;
mod part;
mod peers;
mod rounds;
mod sample;
mod sweep;

use crate::BENCHES;
use crate::bench::{Bench, Group};
use crate::failure::Failure;
use crate::process;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use part::PARTS;
use peers::Peers;
use std::env;
use std::fs;
use std::path::PathBuf;

/// The verb of the command line.
pub(crate) const VERB: &str = "report";

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
            Arg::new("part")
                .value_name("PART")
                .value_parser(PossibleValuesParser::new(
                    PARTS.iter().map(|part| part.name),
                ))
                .help("Only these benches, data and charts"),
        )
        .arg(
            Arg::new("bench")
                .long("bench")
                .value_name("NAME")
                .action(ArgAction::Append)
                .conflicts_with("part")
                .value_parser(PossibleValuesParser::new(
                    BENCHES.iter().map(|bench| bench.name),
                ))
                .help("Only this bench, as NAME.jsonl and without charts; may be repeated"),
        )
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

/// Runs the report: its own arguments, and `options` for each bench.
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
    let caption = format!(
        "{}; runs of each: {rounds}; bars are medians, lines go from the fastest to the slowest",
        process::machine()
    );
    let chosen = matches.get_one::<String>("part");
    let single: Vec<_> = matches
        .get_many::<String>("bench")
        .unwrap_or_default()
        .collect();
    for bench in single.iter().filter_map(|name| Bench::named(name)) {
        let data = out.join(format!("{}.jsonl", bench.name));
        rounds::run(&[bench], rounds, options, &data)?;
    }
    for part in PARTS.iter().filter(|_| single.is_empty()) {
        if chosen.is_none_or(|name| name == part.name) {
            let benches: Vec<_> = part.benches().collect();
            let samples = rounds::run(&benches, rounds, options, &out.join(part.data))?;
            for chart in part.charts {
                let path = out.join(chart.file);
                match chart.group {
                    Group::Queued => sweep::draw(&path, chart.title, &caption, &samples)?,
                    Group::Counts | Group::Programs => {
                        let sections = counted::sections(chart.group, &samples);
                        chart::draw(&path, chart.title, &caption, &sections)?;
                    }
                    group => {
                        let sections = figure::sections(group, &samples, &peers);
                        chart::draw(&path, chart.title, &caption, &sections)?;
                    }
                }
            }
        }
    }
    eprintln!("written to {}", out.display());
    Ok(())
}

/// `bench/results` of the workspace from which cargo runs this; of the current folder otherwise.
fn results() -> PathBuf {
    let bench = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| "bench".into(), PathBuf::from);
    bench.join("results")
}
