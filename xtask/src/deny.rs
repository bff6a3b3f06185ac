//! `deny`: our dependencies, checked by cargo-deny against `deny.toml`.

use crate::args::Args;
use crate::command::Run;
use crate::{Failure, workspace};

/// One fixed version: its rules and its configuration change between releases.
const VERSION: &str = "0.20.2";

pub(crate) fn run(args: &mut Args) -> Result<(), Failure> {
    let advisories = args.flag("--advisories");
    args.finish()?;
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
    let deny = deny.words("check bans licenses sources");
    // The list of known vulnerabilities is fetched from a git host, which not every machine can
    // reach.
    if advisories {
        deny.arg("advisories").run()
    } else {
        deny.run()
    }
}
