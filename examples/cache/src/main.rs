//! A page cache on actors: see `cache --help`.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    cache::cli::main(&cache::cli::Arguments::parse())
}
