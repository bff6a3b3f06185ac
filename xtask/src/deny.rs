//! `deny`: our dependencies, checked by cargo-deny against `deny.toml`.

use crate::args::Args;
use crate::command::Run;
use crate::{Failure, workspace};

/// One fixed version: its rules and its configuration change between releases.
const VERSION: &str = "0.20.2";

/// What `deny.toml` has rules for, in cargo-deny's words.
const CHECKS: &[&str] = &["bans", "licenses", "sources", "advisories"];

/// Runs the checks that the arguments name, or all.
pub(crate) fn run(args: &mut Args) -> Result<(), Failure> {
    let checks = chosen(args)?;
    let deny = installed()?;
    let (online, offline): (Vec<_>, Vec<_>) =
        checks.into_iter().partition(|check| *check == "advisories");
    if !offline.is_empty() {
        deny.clone()
            .words("check")
            .words(&offline.join(" "))
            .run()?;
    }
    if online.is_empty() {
        return Ok(());
    }
    deny.clone().words("fetch db").run().map_err(|why| {
        format!(
            "{why}\nno advisory is checked: the RustSec database cannot be fetched from its git \
             host. Run this where the host can be reached, and here \
             `cargo xtask deny bans licenses sources`, which needs no database"
        )
    })?;
    deny.words("check --disable-fetch advisories").run()
}

fn chosen(args: &mut Args) -> Result<Vec<&'static str>, Failure> {
    let mut checks = Vec::new();
    while let Some(word) = args.positional() {
        match CHECKS.iter().find(|check| **check == word) {
            Some(check) => checks.push(*check),
            None => {
                return Err(format!(
                    "no check `{word}`; the checks are {}",
                    CHECKS.join(", ")
                ));
            }
        }
    }
    args.finish()?;
    Ok(match checks.is_empty() {
        true => CHECKS.to_vec(),
        false => checks,
    })
}

/// cargo-deny, installed if its version is not there.
fn installed() -> Result<Run, Failure> {
    let tools = workspace::target_dir("tools");
    let program = tools.join("bin").join(if cfg!(windows) {
        "cargo-deny.exe"
    } else {
        "cargo-deny"
    });
    let deny = Run::new(program);
    let installed = deny
        .clone()
        .arg("--version")
        .output()
        .is_ok_and(|line| line.trim().ends_with(VERSION));
    if !installed {
        // Unoptimised: it is built far more often than its speed matters.
        Run::cargo("install cargo-deny --locked --debug --force --version")
            .arg(VERSION)
            .arg("--root")
            .arg(&tools)
            .run()?;
    }
    Ok(deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_checks_run_unless_some_are_named() {
        assert_eq!(chosen(&mut Args::of("")), Ok(CHECKS.to_vec()));
        assert_eq!(chosen(&mut Args::of("bans")), Ok(vec!["bans"]));
        assert!(chosen(&mut Args::of("weaknesses")).is_err());
        assert!(chosen(&mut Args::of("bans --advisories")).is_err());
    }
}
