//! The command line. `snapshots`: that of `vivant snapshot`.

mod snapshots;

use crate::model::Pace;
use crate::model::look::Look;
use crate::once;
use crate::source::{Origin, TokenSource, Trouble};
use crate::terminal::{self, End};
use clap::{ArgGroup, Args, Parser, Subcommand};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

/// Shortest and longest time between two snapshots.
const EVERY_MIN: Duration = Duration::from_millis(50);
const EVERY_MAX: Duration = Duration::from_secs(3600);

/// Tools for programs on Vivant, the actor runtime.
#[derive(Debug, Parser)]
#[command(name = "vivant", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a running system: slow actors, growing mailboxes, heaps and their pauses, waits, lost
    /// messages
    Top(Top),
    /// Read snapshots without the program that took them
    #[command(subcommand)]
    Snapshot(snapshots::Snapshots),
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("origin").required(true).args(["connect", "demo"])))]
struct Top {
    /// Address of the program's console, as its `Console::hint()` gives it
    #[arg(long, value_name = "HOST:PORT")]
    connect: Option<String>,

    /// File that holds the console's token; wins over --token
    #[arg(long, value_name = "PATH")]
    token_file: Option<PathBuf>,

    /// The console's token. Other users can see it here: better a file, or the variable
    #[arg(long, env = "VIVANT_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// Show a small system of this command's own
    #[arg(long)]
    demo: bool,

    /// Run the demo under this seed, in virtual time: the same seed shows the same screens
    #[arg(
        long,
        requires = "demo",
        conflicts_with = "connect",
        value_name = "NUMBER"
    )]
    seed: Option<u64>,

    /// Time between two looks, such as 500ms or 2s
    #[arg(long, default_value = "1s", value_parser = duration, value_name = "TIME")]
    every: Duration,

    /// Pause after the second look; `n` takes another one
    #[arg(long)]
    paused: bool,

    /// Print one page of text and end, as when the output is no terminal
    #[arg(long, conflicts_with = "json")]
    once: bool,

    /// Print one snapshot as the console sends it, a line of JSON, and end
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn main(arguments: Arguments) -> ExitCode {
    let code = match arguments.command {
        Command::Top(top) => show(top),
        Command::Snapshot(command) => snapshots::run(command),
    };
    match code {
        Ok(code) => code,
        Err(why) => {
            eprintln!("vivant: {why}");
            ExitCode::FAILURE
        }
    }
}

fn show(top: Top) -> Result<ExitCode, String> {
    let (every, pace) = (
        top.every,
        if top.paused {
            Pace::Paused
        } else {
            Pace::Running
        },
    );
    let (once, json) = (top.once, top.json);
    let origin = origin(top)?;
    if json {
        return print_json(origin).map(|()| ExitCode::SUCCESS);
    }
    if once || !io::stdout().is_terminal() {
        return print_once(origin, every).map(|()| ExitCode::SUCCESS);
    }
    match terminal::run(origin, every, pace) {
        Ok(End::Quit) => Ok(ExitCode::SUCCESS),
        Ok(End::Signal(signal)) => Ok(end_by(signal)),
        Err(failure) => Err(failure.to_string()),
    }
}

fn origin(top: Top) -> Result<Origin, String> {
    let Some(address) = top.connect else {
        return Ok(match top.seed {
            Some(seed) => Origin::Seeded {
                seed,
                step: top.every,
            },
            None => Origin::Demo,
        });
    };
    let token = match (top.token_file, top.token) {
        (Some(path), _) => TokenSource::File(path),
        (None, Some(text)) => TokenSource::Text(text),
        (None, None) => {
            return Err(format!(
                "{address} wants a token: give --token-file PATH, or set VIVANT_TOKEN; the program's `Console::hint()` \
                 says which"
            ));
        }
    };
    Ok(Origin::Program { address, token })
}

fn print_json(origin: Origin) -> Result<(), String> {
    let words = |trouble: Trouble| trouble.to_string();
    let snapshot = origin.open().map_err(words)?.look().map_err(words)?;
    let line = serde_json::to_string(&snapshot).map_err(|error| error.to_string())?;
    print(&format!("{line}\n"))
}

fn print_once(origin: Origin, every: Duration) -> Result<(), String> {
    let words = |trouble: Trouble| trouble.to_string();
    let title = format!("{}, rates over {every:?}", origin.title());
    // Virtual time needs no waiting.
    let pause = match origin {
        Origin::Seeded { .. } => Duration::ZERO,
        Origin::Program { .. } | Origin::Demo => every,
    };
    let mut source = origin.open().map_err(words)?;
    let before = source.look().map_err(words)?;
    thread::sleep(pause);
    let now = source.look().map_err(words)?;
    print(&once::text(&title, &Look::between(Some(&before), &now)))
}

/// The reader of our output may stop in the middle: `vivant top --once | head`.
fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Ends by the default action of the signal, so the shell sees the signal.
#[cfg(unix)]
fn end_by(signal: i32) -> ExitCode {
    // The call returns only if it failed.
    let _failed = signal_hook::low_level::emulate_default_handler(signal);
    ExitCode::FAILURE
}

#[cfg(not(unix))]
fn end_by(_signal: i32) -> ExitCode {
    ExitCode::FAILURE
}

/// `500ms`, `2s`, or seconds without a unit.
fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, Duration::from_millis(1)),
        None => (
            text.strip_suffix('s').unwrap_or(text),
            Duration::from_secs(1),
        ),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| "a time is needed, such as 500ms or 2s".to_owned())?;
    let duration = Duration::try_from_secs_f64(number * unit.as_secs_f64()).unwrap_or_default();
    if (EVERY_MIN..=EVERY_MAX).contains(&duration) {
        Ok(duration)
    } else {
        Err(format!(
            "a time from {EVERY_MIN:?} to {EVERY_MAX:?} is needed"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        for bad in [
            "", "s", "1h", "-1s", "0", "49ms", "3601s", "NaN", "inf", "1e300s",
        ] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn something_must_be_said_to_be_shown() {
        let parse = |line: &str| Arguments::try_parse_from(line.split_whitespace());
        for bad in [
            "vivant top",
            "vivant top --connect 127.0.0.1:1 --demo",
            "vivant top --connect 127.0.0.1:1 --seed 1",
            "vivant top --demo --once --json",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse("vivant top --demo --seed 1 --paused").is_ok());
    }
}
