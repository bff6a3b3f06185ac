//! An exchange on actors: see `exchange --help`.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    exchange::cli::main(&exchange::cli::Arguments::parse())
}
