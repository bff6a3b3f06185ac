//! Child processes: a bench that measures a process as a whole starts this program again, in a
//! hidden mode.
//!
//! A child does its work, prints one line of JSON on its standard output, and ends. Nothing else is
//! written there.

use crate::failure::Failure;
use crate::param::Value;
use crate::run::Run;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The hidden verb of the command line.
pub(crate) const VERB: &str = "child";

/// The output of a child, and its times.
#[derive(Debug)]
pub(crate) struct Life<T> {
    pub(crate) output: T,
    /// From its start to its end.
    pub(crate) whole: Duration,
    /// From its line to its end.
    pub(crate) exit: Duration,
}

/// Runs the child of the bench `name` and waits for its end.
pub(crate) fn run<T: DeserializeOwned>(run: &Run, name: &str) -> Result<Life<T>, Failure> {
    let mut command = Command::new(&run.program);
    command.args([VERB, name, "--threads", &run.threads.to_string()]);
    for (param, value) in run.params.iter() {
        let value = match value {
            Value::Count(count) => count.to_string(),
            Value::Choice(word) => word.to_owned(),
        };
        command.arg(format!("--{param}={value}"));
    }
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut line)?;
    }
    let spoke = Instant::now();
    let status = child.wait()?;
    let ended = Instant::now();
    if !status.success() {
        return Err(Failure::Child(format!("{name} ended with {status}")));
    }
    let output = serde_json::from_str(&line)
        .map_err(|error| Failure::Child(format!("{name} printed {line:?}: {error}")))?;
    Ok(Life {
        output,
        whole: ended - began,
        exit: ended - spoke,
    })
}

/// The child's line.
pub(crate) fn print(what: &impl Serialize) -> Result<(), Failure> {
    let line = serde_json::to_string(what).map_err(io::Error::from)?;
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()?;
    Ok(())
}
