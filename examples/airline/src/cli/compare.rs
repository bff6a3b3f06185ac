//! `airline compare`: runs with snapshots and without, in pairs.
//!
//! A run is `airline --json` in a process of its own, with new data; a run with snapshots has a new
//! folder for them. The two runs of a pair have the same load, and their order changes from pair to
//! pair.

use super::args::CompareArguments;
use crate::report::{Comparison, Measured, Pair};
use example_load::command;
use std::env;
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs all pairs. Returns whether all was well in each run.
///
/// # Errors
///
/// A run could not be made, or it printed no result.
#[allow(clippy::print_stdout, reason = "this is a command")]
pub(super) fn compare(arguments: &CompareArguments) -> Result<bool, Box<dyn Error>> {
    let mut comparison = Comparison::default();
    for round in 0..arguments.rounds {
        let run = |every| {
            let measured = run(arguments, round, every)?;
            println!("round {}, {}", round + 1, measured.sentence());
            Ok::<_, Box<dyn Error>>(measured)
        };
        let every = Some(arguments.snapshot_every.get());
        let pair = match round % 2 {
            0 => {
                let without = run(None)?;
                let with = run(every)?;
                Pair { without, with }
            }
            _ => {
                let with = run(every)?;
                let without = run(None)?;
                Pair { without, with }
            }
        };
        comparison.pairs.push(pair);
    }
    let line = arguments.json.then(|| comparison.json());
    let text = format!("\n{comparison}");
    Ok(command::print(&text, line, &comparison.complaints()))
}

/// Runs the load once, with a snapshot every so many requests if there is a number.
fn run(
    arguments: &CompareArguments,
    round: u32,
    every: Option<u64>,
) -> Result<Measured, Box<dyn Error>> {
    let folder = tempfile::Builder::new().prefix("airline-").tempdir()?;
    let mut command = command_of(arguments, round, every, folder.path())?;
    let output = command.stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(output.stdout)?;
    let line = text.lines().last().unwrap_or_default();
    serde_json::from_str(line).map_err(|error| {
        let ended = output.status;
        format!("a run printed no result, {ended}: {error}").into()
    })
}

fn command_of(
    arguments: &CompareArguments,
    round: u32,
    every: Option<u64>,
    folder: &Path,
) -> Result<Command, Box<dyn Error>> {
    let (load, data) = (&arguments.load, &arguments.data);
    let mut command = Command::new(env::current_exe()?);
    let mut word = |name: &str, value: &dyn fmt::Display| {
        command.arg(format!("--{name}={value}"));
    };
    word("seconds", &load.seconds);
    word("rate", &load.rate);
    word("connections", &load.connections);
    word("seed", &load.seed.wrapping_add(round.into()));
    word("customers", &data.customers);
    word("days", &data.days);
    if let Some(workers) = data.workers {
        word("workers", &workers);
    }
    if let Some(every) = every {
        word("snapshot-every", &every);
    }
    command.arg("--json").arg("--report");
    command.arg(folder.join("run.html"));
    Ok(command)
}
