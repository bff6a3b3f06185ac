//! The command line.

use crate::bench::Bench;
use crate::child;
use crate::compare;
use crate::param::{Kind, Param, Params, Value};
use crate::process;
use crate::report;
use crate::row::Row;
use crate::run::{Expectation, Run};
use crate::snapshots;
use crate::table;
use crate::watched;
use crate::{BENCHES, Failure};
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

/// Runs the command line. Returns 0: done; 1: a bench failed; 2: the command line is wrong.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().collect();
    let matches = match command().try_get_matches_from(&words) {
        Ok(matches) => matches,
        Err(error) => return usage(&error, &words),
    };
    match dispatch(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("vivant-bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn command() -> Command {
    let bench = |bench: &'static Bench| {
        Command::new(bench.name)
            .about(bench.about)
            .args(bench.params.iter().map(arg))
    };
    let children = BENCHES.iter().filter(|it| it.child.is_some()).map(bench);
    Command::new("vivant-bench")
        .about("Benchmarks of vivant; each checks its result")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("threads")
                .long("threads")
                .global(true)
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help("Workers of the system [default: one for each processor]"),
        )
        .arg(
            Arg::new("corpus")
                .long("corpus")
                .global(true)
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Texts of `text_search`, a document a line [default: random words]"),
        )
        .arg(flag("json", "One JSON object a line"))
        .arg(flag(
            "watched",
            "With a subscriber and a recorder that count, for the features that this was built with",
        ))
        .arg(flag(
            "tiny",
            "Sizes for a quick try; parameters still count",
        ))
        .subcommand(Command::new("list").about("Names the benches and their parameters"))
        .subcommand(report::command())
        .subcommand(compare::command())
        .subcommand(snapshots::command())
        .subcommand(
            bench(table::bench())
                .name(table::VERB)
                .about("The Orca paper's tables, from runs of `orca` and `heavyring`"),
        )
        .subcommand(
            Command::new(child::VERB)
                .hide(true)
                .subcommand_required(true)
                .subcommands(children),
        )
        .subcommands(BENCHES.iter().map(bench))
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .global(true)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn arg(param: &Param) -> Arg {
    let arg = Arg::new(param.name).long(param.name);
    match param.kind {
        Kind::Count { least, default, .. } => arg
            .value_name("N")
            .value_parser(value_parser!(u64).range(least..))
            .help(format!("{} [default: {default}]", param.meaning)),
        Kind::Choice(words) => arg
            .value_name("WORD")
            .value_parser(PossibleValuesParser::new(words))
            .help(format!("{} [default: {}]", param.meaning, words[0])),
    }
}

/// A wrong command line, with what would have been right.
fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    // Help was asked for, or the pipe is gone: nothing to add.
    let _ = error.print();
    let mentioned = words
        .iter()
        .skip(1)
        .find_map(|word| Bench::named(word.to_str()?));
    match (error.kind(), mentioned) {
        (ErrorKind::InvalidSubcommand, _) => {
            let names: Vec<_> = BENCHES.iter().map(|bench| bench.name).collect();
            eprintln!("\nBenches: {}.", names.join(", "));
        }
        (ErrorKind::UnknownArgument, Some(bench)) => {
            let names: Vec<_> = bench
                .params
                .iter()
                .map(|it| format!("--{}", it.name))
                .collect();
            eprintln!("\nParameters of {}: {}.", bench.name, names.join(", "));
        }
        _ => {}
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn dispatch(matches: &ArgMatches) -> Result<(), Failure> {
    let (verb, matches) = matches.subcommand().expect("clap demands a verb");
    if matches.get_flag("watched") {
        watched::begin()?;
    }
    if cfg!(feature = "counters") {
        eprintln!(
            "note: built with `counters`: operations on `Brc` are slow, their times are void"
        );
    }
    match verb {
        "list" => list(),
        report::VERB => report::run(matches, &shared(matches)),
        compare::VERB => compare::run(matches, &shared(matches)),
        child::VERB => {
            let (name, matches) = matches.subcommand().expect("clap demands a name");
            let bench = Bench::named(name).expect("clap knows the names");
            let child = bench.child.expect("clap knows the benches with children");
            child(&run(bench, matches)?)
        }
        snapshots::VERB => snapshots::run(matches, |bench| sized(bench, matches)),
        table::VERB => {
            let run = run(table::bench(), matches)?;
            let by_depth = Run {
                params: match matches.get_flag("tiny") {
                    true => Params::tiny(table::bench_by_depth().params),
                    false => Params::defaults(table::bench_by_depth().params),
                },
                ..run.clone()
            };
            let rows = table::bench().run(&run)?;
            let rows_by_depth = table::bench_by_depth().run(&by_depth)?;
            let mut output = io::stdout().lock();
            table::show(&rows, &mut output)?;
            Ok(table::show_by_depth(&rows_by_depth, &mut output)?)
        }
        name => {
            let bench = Bench::named(name).expect("clap knows the names");
            if !process::is_known() {
                eprintln!("note: this system does not tell of memory: peak_rss_bytes is 0");
            }
            show(&bench.run(&run(bench, matches)?)?, matches.get_flag("json"))
        }
    }
}

/// The options that hold for every bench, as the report hands them on.
fn shared(matches: &ArgMatches) -> Vec<String> {
    let mut options = Vec::new();
    if let Some(threads) = matches.get_one::<u16>("threads") {
        options.push(format!("--threads={threads}"));
    }
    if let Some(path) = matches.get_one::<PathBuf>("corpus") {
        options.push(format!("--corpus={}", path.display()));
    }
    if matches.get_flag("tiny") {
        options.push("--tiny".to_owned());
    }
    options
}

/// The run that the command line describes.
fn run(bench: &Bench, matches: &ArgMatches) -> Result<Run, Failure> {
    let mut run = sized(bench, matches)?;
    for param in bench.params {
        let value = match param.kind {
            Kind::Count { .. } => matches
                .get_one::<u64>(param.name)
                .copied()
                .map(Value::Count),
            Kind::Choice(words) => matches
                .get_one::<String>(param.name)
                .and_then(|chosen| words.iter().find(|word| *word == chosen))
                .map(|word| Value::Choice(word)),
        };
        if let Some(value) = value {
            run.params.set(param.name, value);
        }
    }
    Ok(run)
}

/// A run of the default or the tiny size, with the options that hold for every bench.
fn sized(bench: &Bench, matches: &ArgMatches) -> Result<Run, Failure> {
    let params = match matches.get_flag("tiny") {
        true => Params::tiny(bench.params),
        false => Params::defaults(bench.params),
    };
    let threads = match matches.get_one::<u16>("threads") {
        Some(threads) => usize::from(*threads),
        None => thread::available_parallelism()?.get(),
    };
    Ok(Run {
        params,
        threads,
        program: env::current_exe()?,
        corpus: matches.get_one("corpus").cloned(),
        expectation: Expectation::AsStated,
        snapshots: None,
    })
}

fn show(rows: &[Row], json: bool) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    for row in rows {
        if json {
            let line = serde_json::to_string(row).map_err(io::Error::from)?;
            writeln!(output, "{line}")?;
        } else {
            writeln!(output, "{row}")?;
        }
    }
    Ok(())
}

fn list() -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    for bench in BENCHES {
        writeln!(output, "{:<20} {}", bench.name, bench.about)?;
        for param in bench.params {
            let default = match param.kind {
                Kind::Count { default, .. } => default.to_string(),
                Kind::Choice(words) => words.join("|"),
            };
            let name = format!("--{} {default}", param.name);
            writeln!(output, "    {name:<28} {}", param.meaning)?;
        }
    }
    Ok(())
}
