//! The only automation of this workspace: `cargo xtask VERB`, the same on a desk and in CI.
//!
//! A verb runs one check and fails when that check fails, when it cannot run, or when it finds
//! nothing to check. Tools that are missing are installed through rustup and cargo. Dependencies
//! are few and small, so that the first `cargo xtask` of a fresh clone starts in seconds.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    reason = "this is a command; its output is what it is for"
)]

mod args;
mod ci;
mod command;
mod deny;
mod filtered;
mod lint;
mod loom;
mod manifest;
mod matrix;
mod miri;
mod quick;
mod sanitize;
mod soak;
mod suite;
mod tidy;
mod toolchain;
mod workspace;

use args::Args;
use std::process::ExitCode;

/// Why a verb failed, for the caller to read.
type Failure = String;

/// One verb of the command line.
struct Verb {
    name: &'static str,
    options: &'static str,
    about: &'static str,
    run: fn(&mut Args) -> Result<(), Failure>,
}

/// All verbs, in the order in which the help lists them.
const VERBS: &[Verb] = &[
    verb(
        "ci",
        "[--from STEP]",
        "everything that a change must pass, in order",
        ci::ci,
    ),
    verb(
        "nightly",
        "[--from STEP]",
        "all that takes longer, in order",
        ci::nightly,
    ),
    verb(
        "quick",
        "[-p NAME]",
        "the changed packages, or one: form, lints and tests within a minute",
        quick::run,
    ),
    verb("test", "", "all tests", suite::test),
    verb("fmt", "", "formatting", lint::fmt),
    verb(
        "tidy",
        "",
        "our own rules about files, words and seams",
        tidy::run,
    ),
    verb("clippy", "", "lints, with all features", lint::clippy),
    verb("docs", "", "documentation without warnings", lint::docs),
    verb(
        "features",
        "",
        "lints with default features; libraries with no feature, each, all; their tests with all",
        matrix::features,
    ),
    verb(
        "targets",
        "",
        "what users run, for other systems",
        matrix::targets,
    ),
    verb("msrv", "", "the oldest Rust that we promise", matrix::msrv),
    verb(
        "loom",
        "[--long]",
        "all interleavings of single protocols",
        loom::run,
    ),
    verb(
        "miri",
        "[--long]",
        "tests of vivant, vivant-brc, vivant-heap and vivant-collections under Miri",
        miri::run,
    ),
    verb(
        "sim",
        "[--seeds N]",
        "seeded tests under many seeds",
        suite::sim,
    ),
    verb(
        "counts",
        "[--operations N]",
        "random operations on counted references",
        suite::counts,
    ),
    verb(
        "sanitize",
        "thread|address",
        "tests of the packages with unsafe code under a sanitizer",
        sanitize::run,
    ),
    verb(
        "soak",
        "[--minutes N] [--leak]",
        "heaps that are marked for an hour and must not grow; with --leak they do",
        soak::run,
    ),
    verb(
        "deny",
        "[CHECK...]",
        "bans, licences, sources and known weaknesses of dependencies",
        deny::run,
    ),
];

const fn verb(
    name: &'static str,
    options: &'static str,
    about: &'static str,
    run: fn(&mut Args) -> Result<(), Failure>,
) -> Verb {
    Verb {
        name,
        options,
        about,
        run,
    }
}

fn main() -> ExitCode {
    match dispatch(&mut Args::from_command_line()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the verb that comes first in `args`, which must use all of the rest.
fn dispatch(args: &mut Args) -> Result<(), Failure> {
    match args.positional().as_deref() {
        None | Some("help") => {
            print!("{}", help());
            Ok(())
        }
        Some(name) => match VERBS.iter().find(|verb| verb.name == name) {
            Some(verb) => (verb.run)(args),
            None => Err(format!("no verb `{name}`\n\n{}", help())),
        },
    }
}

fn help() -> String {
    let mut text = String::from("cargo xtask VERB\n\n");
    for verb in VERBS {
        let call = format!("{} {}", verb.name, verb.options);
        text.push_str(&format!("  {call:<30}{}\n", verb.about));
    }
    text
}
