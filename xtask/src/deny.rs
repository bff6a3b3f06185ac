//! `deny`: our dependencies, checked by cargo-deny against `deny.toml`.

use crate::command::Run;
use crate::{Failure, workspace};

/// One fixed version: its rules and its configuration change between releases.
const VERSION: &str = "0.20.2";

/// What `deny.toml` has rules for, in cargo-deny's words.
const CHECKS: [&str; 4] = ["bans", "licenses", "sources", "advisories"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The checks to run
    #[arg(value_parser = CHECKS, default_values = CHECKS)]
    checks: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let checks = options.checks.iter().map(String::as_str);
    let deny = installed()?;
    let (online, offline): (Vec<_>, Vec<_>) = checks.partition(|check| *check == "advisories");
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
    use crate::{Cli, Verb};
    use clap::Parser;

    #[test]
    fn all_checks_run_unless_some_are_named() {
        let chosen = |line: &str| match Cli::try_parse_from(line.split(' ')).ok()?.verb {
            Verb::Deny(options) => Some(options.checks),
            _ => None,
        };
        let all = super::CHECKS.map(String::from).to_vec();
        assert_eq!(chosen("xtask deny"), Some(all));
        assert_eq!(chosen("xtask deny bans"), Some(vec!["bans".into()]));
        assert_eq!(chosen("xtask deny weaknesses"), None);
        assert_eq!(chosen("xtask deny bans --advisories"), None);
    }
}
