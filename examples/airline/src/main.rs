//! Acme Air on actors: see `airline --help`.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    airline::cli::main(&airline::cli::Arguments::parse())
}
