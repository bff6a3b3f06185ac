//! Parts of a command line.

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;
use std::thread;

/// Reads a number above 0.
///
/// # Errors
///
/// It is none, or more than 10,000,000.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= 1e7 => Ok(number),
        _ => Err("it must be a number above 0 and at most 10,000,000".to_owned()),
    }
}

/// Returns the number of processors.
#[must_use]
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A progress bar on standard error. It is hidden when that is not a terminal.
///
/// # Errors
///
/// Braces in `title` or `what` are no template.
pub fn bar(count: u64, title: &str, what: &str) -> Result<ProgressBar, Box<dyn Error>> {
    let template = format!("{title}{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left");
    let bar = ProgressBar::new(count);
    bar.set_style(ProgressStyle::with_template(&template)?);
    Ok(bar)
}

/// Prints an outcome, a line of JSON if there is one, and on standard error what is wrong. Returns
/// whether nothing is.
#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a command"
)]
pub fn print(outcome: &dyn Display, json: Option<Value>, complaints: &[String]) -> bool {
    println!("{outcome}");
    json.iter().for_each(|line| println!("{line}"));
    complaints.iter().for_each(|it| eprintln!("{it}"));
    complaints.is_empty()
}

/// Returns how a command ends: well if all was well. Prints why it could not be run.
#[allow(clippy::print_stderr, reason = "this is a command")]
pub fn end(name: &str, done: Result<bool, Box<dyn Error>>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_must_be_positive() {
        for text in ["0", "-1", "nan", "inf", "1e8", "x", ""] {
            assert!(positive(text).is_err(), "{text}");
        }
        assert_eq!(positive("0.5"), Ok(0.5));
    }
}
