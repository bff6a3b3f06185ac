//! The command `vivant`: see `vivant --help`.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    vivant_cli::cli::main(vivant_cli::cli::Arguments::parse())
}
