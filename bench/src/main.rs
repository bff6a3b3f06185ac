//! The benchmarks' command line: see `vivant-bench --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    vivant_bench::cli::main()
}
