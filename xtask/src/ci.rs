//! `ci`: every check that a change must pass. `nightly`: all that takes longer. Each step runs
//! under a heading and with its time. The first failure ends the run; `--from STEP` goes on there.

use crate::{Cli, Failure};
use clap::Parser;
use std::time::{Duration, Instant};

/// A list of verbs with their arguments, run in order.
struct Steps {
    verb: &'static str,
    lines: &'static [&'static str],
}

/// Cheap ones first. `.ci/run` performs `test` itself, in the words of the README, and starts here
/// from the second one. The short form of `loom` is a part of `test`.
const CI: Steps = Steps {
    verb: "ci",
    lines: &["test", "fmt", "tidy", "clippy", "docs", "miri"],
};

/// What compiles the same code once more, needs the network or takes long.
const NIGHTLY: Steps = Steps {
    verb: "nightly",
    lines: &[
        "deny",
        "features",
        "targets",
        "msrv",
        "counts",
        "sim",
        "mutate",
        "sanitize thread",
        "sanitize address",
        "soak",
        "loom --long",
        "miri --long",
    ],
};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The step to begin with
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
}

pub(crate) fn ci(options: &Options) -> Result<(), Failure> {
    CI.run(options)
}

pub(crate) fn nightly(options: &Options) -> Result<(), Failure> {
    NIGHTLY.run(options)
}

/// The verb and its arguments that a step consists of.
fn parsed(step: &str) -> Result<Cli, Failure> {
    let words = ["xtask"].into_iter().chain(step.split(' '));
    Cli::try_parse_from(words).map_err(|error| error.to_string())
}

impl Steps {
    fn run(&self, options: &Options) -> Result<(), Failure> {
        let mut times = Vec::new();
        for step in self.from(options.from.as_deref())? {
            println!("\n==== {step} ====");
            let start = Instant::now();
            let result = parsed(step).and_then(|cli| cli.verb.run());
            let elapsed = start.elapsed();
            println!(
                "---- {step}: {} in {}",
                if result.is_ok() { "passed" } else { "FAILED" },
                seconds(elapsed)
            );
            result.map_err(|why| {
                format!(
                    "{why}\nafter mending it, go on with `cargo xtask {} --from '{step}'`",
                    self.verb
                )
            })?;
            times.push((step, elapsed));
        }
        println!("\n==== all passed ====");
        for (step, elapsed) in times {
            println!("{step:<18}{:>10}", seconds(elapsed));
        }
        Ok(())
    }

    fn from(&self, from: Option<&str>) -> Result<&[&'static str], Failure> {
        let Some(from) = from else {
            return Ok(self.lines);
        };
        match self.lines.iter().position(|step| *step == from) {
            Some(at) => Ok(&self.lines[at..]),
            None => Err(format!(
                "no step `{from}`; the steps are {}",
                self.lines.join(", ")
            )),
        }
    }
}

pub(crate) fn seconds(elapsed: Duration) -> String {
    format!("{:.1} s", elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_step_is_a_verb() {
        for step in [CI.lines, NIGHTLY.lines].concat() {
            assert!(parsed(step).is_ok(), "{step}");
        }
    }

    #[test]
    fn every_check_is_a_step() {
        let steps = [CI.lines, NIGHTLY.lines].concat();
        for verb in Cli::command().get_subcommands() {
            let name = verb.get_name();
            let starts = |step: &&str| step.split(' ').next() == Some(name);
            let lists = ["ci", "nightly", "quick"].contains(&name);
            assert_ne!(lists, steps.iter().any(starts), "{name}");
        }
    }

    #[test]
    fn from_skips_what_went_before() {
        assert_eq!(CI.from(Some("docs")), Ok(&["docs", "miri"][..]));
        assert_eq!(CI.from(None), Ok(CI.lines));
        assert!(CI.from(Some("nothing")).is_err());
        assert_eq!(NIGHTLY.from(Some("miri --long")), Ok(&["miri --long"][..]));
    }
}
