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

mod ci;
mod command;
mod deny;
mod filtered;
mod lint;
mod loom;
mod manifest;
mod matrix;
mod miri;
mod mutate;
mod quick;
mod sanitize;
mod soak;
mod suite;
mod tidy;
mod toolchain;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Why a verb failed, for the caller to read.
type Failure = String;

/// The checks and chores of this workspace.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// All verbs, in the order in which the help lists them.
#[derive(Subcommand)]
enum Verb {
    /// Everything that a change must pass, in order
    Ci(ci::Options),
    /// All that takes longer, in order
    Nightly(ci::Options),
    /// The changed packages, or one: form, lints and tests within a minute
    Quick(quick::Options),
    /// All tests
    Test,
    /// Formatting
    Fmt,
    /// Our own rules about files, words and seams
    Tidy(tidy::Options),
    /// Lints, with all features
    Clippy,
    /// Documentation without warnings
    Docs,
    /// Lints with default features; libraries with no feature, each, all; their tests with all
    Features,
    /// What users run, for other systems
    Targets,
    /// The oldest Rust that we promise
    Msrv,
    /// All interleavings of single protocols
    Loom(loom::Options),
    /// Tests of vivant, vivant-brc, vivant-heap and vivant-collections under Miri
    Miri(miri::Options),
    /// Changes of protocol lines, each of which a named test must notice
    Mutate(mutate::Options),
    /// Seeded tests under many seeds
    Sim(suite::Sim),
    /// Random operations on counted references
    Counts(suite::Counts),
    /// Tests of the packages with unsafe code under a sanitizer
    Sanitize(sanitize::Options),
    /// Heaps that are marked for an hour and must not grow; with `--leak` they do
    Soak(soak::Options),
    /// Bans, licences, sources and known weaknesses of dependencies
    Deny(deny::Options),
}

impl Verb {
    fn run(&self) -> Result<(), Failure> {
        match self {
            Verb::Ci(options) => ci::ci(options),
            Verb::Nightly(options) => ci::nightly(options),
            Verb::Quick(options) => quick::run(options),
            Verb::Test => suite::test(),
            Verb::Fmt => lint::fmt(),
            Verb::Tidy(options) => tidy::run(options),
            Verb::Clippy => lint::clippy(),
            Verb::Docs => lint::docs(),
            Verb::Features => matrix::features(),
            Verb::Targets => matrix::targets(),
            Verb::Msrv => matrix::msrv(),
            Verb::Loom(options) => loom::run(options),
            Verb::Miri(options) => miri::run(options),
            Verb::Mutate(options) => mutate::run(options),
            Verb::Sim(options) => suite::sim(options),
            Verb::Counts(options) => suite::counts(options),
            Verb::Sanitize(options) => sanitize::run(options),
            Verb::Soak(options) => soak::run(options),
            Verb::Deny(options) => deny::run(options),
        }
    }
}

fn main() -> ExitCode {
    match Cli::parse().verb.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}
