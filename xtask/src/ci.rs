//! `ci`: every check that must pass, cheap ones first, each under a heading and with its time. It
//! stops at the first failure; `--from STEP` resumes there.

use crate::args::Args;
use crate::{Failure, perform};
use std::time::{Duration, Instant};

/// The steps. `.ci/run` performs the first one itself, in the words of the README, and starts here
/// from the second.
const STEPS: &[&str] = &[
    "test", "fmt", "tidy", "clippy", "docs", "features", "targets", "msrv", "loom", "miri", "deny",
];

pub(crate) fn run(args: &mut Args) -> Result<(), Failure> {
    let from = args.option("--from")?;
    args.finish()?;
    let mut times = Vec::new();
    for step in steps_from(from.as_deref())? {
        println!("\n==== {step} ====");
        let start = Instant::now();
        let result = perform(step, &mut Args::none());
        let elapsed = start.elapsed();
        println!(
            "---- {step}: {} in {}",
            if result.is_ok() { "passed" } else { "FAILED" },
            seconds(elapsed)
        );
        result.map_err(|why| {
            format!("{why}\nafter mending it, go on with `cargo xtask ci --from {step}`")
        })?;
        times.push((step, elapsed));
    }
    println!("\n==== all passed ====");
    for (step, elapsed) in times {
        println!("{step:<10}{:>10}", seconds(elapsed));
    }
    Ok(())
}

fn steps_from(from: Option<&str>) -> Result<&'static [&'static str], Failure> {
    let Some(from) = from else {
        return Ok(STEPS);
    };
    match STEPS.iter().position(|step| *step == from) {
        Some(at) => Ok(&STEPS[at..]),
        None => Err(format!(
            "no step `{from}`; the steps are {}",
            STEPS.join(", ")
        )),
    }
}

fn seconds(elapsed: Duration) -> String {
    format!("{:.1} s", elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VERBS;

    #[test]
    fn every_step_is_a_verb() {
        for step in STEPS {
            assert!(VERBS.iter().any(|verb| verb.name == *step), "{step}");
        }
    }

    #[test]
    fn from_skips_what_went_before() {
        assert_eq!(steps_from(Some("miri")), Ok(&["miri", "deny"][..]));
        assert_eq!(steps_from(None), Ok(STEPS));
        assert!(steps_from(Some("nothing")).is_err());
    }
}
